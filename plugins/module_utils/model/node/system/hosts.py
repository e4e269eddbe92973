# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that nodes have to know before DNS of the cluster does: a block of /etc/hosts (etc_hosts.go of nodeup)."""

from __future__ import annotations

from ....api.questions import uses_none_dns
from ....exchange.document import API_HOSTS
from ..context import LOOPBACK, NodeContext
from ..control_plane.bootstrap_server import server_name
from ..control_plane.etcd import cluster_host
from ..draft import Draft

PATH = "/etc/hosts"


def build(context: NodeContext, draft: Draft) -> None:
    """The API server's internal name, and those of etcd where DNS has none; nothing where DNS has them all."""
    lines = [f"{address} {' '.join(names)}" for address, names in records(context)]
    if names_of_balancer(context):
        lines.append(f"@@{API_HOSTS}@@")
    if lines:
        draft.file(PATH, "\n".join(lines) + "\n", block="kops")


def records(context: NodeContext) -> list[tuple[str, list[str]]]:
    """Address and names, one for each line."""
    found: list[tuple[str, list[str]]] = []
    public = context.cluster.spec.api.public_name
    if context.is_control_plane and uses_none_dns(context.cluster):
        # Next door; the others may be down.
        found.append((LOOPBACK, [context.api_internal_name, *([public] if public else [])]))
    else:
        found += [(address, [context.api_internal_name]) for address in context.api_addresses]
    if context.role == "APIServer":
        for etcd, addresses in sorted(context.etcd_addresses.items()):
            found += [(address, [cluster_host(context, etcd)]) for address in addresses]
    return found


def names_of_balancer(context: NodeContext) -> list[str]:
    """What the API's load balancer is called by a cloud's workers without DNS; user data says where it is."""
    if not context.cloud.starts_nodes or context.has_api_server or not uses_none_dns(context.cluster):
        return []
    return [context.api_internal_name, server_name(context.name)]


def restart_reasons(draft: Draft) -> list[str]:
    """For pods that resolve these names: a pod sees the file as it was when it started."""
    return [f"file:{PATH}"] if any(item["path"] == PATH for item in draft.items.get("files", [])) else []
