# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controllers of the running cluster are told by a file of the state store (exchange/controllers.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..api import questions
from ..api.instance_group import InstanceGroup
from ..cloud.tasks.managed_file import ManagedFile
from ..exchange.controllers import LOCATION, Wanted, WantedRecord
from . import dns_names
from .context import ModelContext
from .node.build import labels_of
from .node.control_plane.etcd import host_of_cluster

_NAME = "controllers"


def build(
    context: ModelContext,
    labels_by_tags: Callable[[InstanceGroup], Mapping[str, str]] = lambda _group: {},
    rights_to_zone: Callable[[], tuple[str, str]] = lambda: ("", ""),
) -> None:
    """The file: labels of groups, whether pods have ranges of their instances, and records.

    labels_by_tags: gives those that kops' Nodes have by the tags of their instances, which users may add to; none where
    instances have no labels for their Nodes.
    rights_to_zone: gives the role with rights to the zone and its service account, both "" if control planes have the
    rights themselves; it is asked only if there are records.
    """
    wanted_records = tuple(records(context))
    role, account = rights_to_zone() if wanted_records else ("", "")
    wanted = Wanted(
        labels=_labels_of_groups(context, labels_by_tags),
        pod_ranges=context.is_ipv6_only,
        zone=str(context.cluster.spec.dns_zone or "") if wanted_records else "",
        private=bool(wanted_records) and questions.dns_type(context.cluster) == "Private",
        records=wanted_records,
        role=role,
        account=account,
    )
    context.add(
        ManagedFile(_NAME, context.layers.cluster, base=context.store_base, location=LOCATION, contents=wanted.text())
    )


def provider(context: ModelContext) -> str:
    """What writes the records of the cluster in kops."""
    external = context.cluster.spec.external_dns
    return (external.provider if external else None) or "dns-controller"


def _labels_of_groups(
    context: ModelContext, labels_by_tags: Callable[[InstanceGroup], Mapping[str, str]]
) -> dict[str, Mapping[str, str]]:
    """Of groups that are not updated, removed ones too, those that the last update has written.

    Their Nodes keep them in kops as well, where labels are tags of instances.
    """
    found: dict[str, Mapping[str, str]] = {}
    stored = context.stored.read(LOCATION) if context.chosen is not None else None
    if stored is not None:
        found.update(Wanted.read(stored).labels)
    groups = [group for group in context.updated_groups if group.spec.role != "Bastion"]
    for group in groups:
        of_group = labels_of(context.cluster, group, context.features)
        found[str(group.metadata.name)] = {**labels_by_tags(group), **of_group}
    return found


def records(context: ModelContext) -> list[WantedRecord]:
    """Those that control planes write, as dns-controller in kops.

    external-dns, where it runs in its place, has no pod for the one by which nodes join.
    """
    writer = provider(context)
    if not context.publishes_dns_records or writer == "none":
        return []
    found = []
    for name, types in dns_names.to_servers(context).items():
        is_joining = name == dns_names.joining_name(context)
        if writer == "dns-controller" or is_joining:
            addresses = "external" if name == context.cluster.spec.api.public_name else "internal"
            servers = "control-plane" if is_joining else "api"
            found += [WantedRecord(name, record_type, addresses, servers) for record_type in types]
    return [*found, *_records_of_etcd(context)]


def _records_of_etcd(context: ModelContext) -> list[WantedRecord]:
    """By which API servers elsewhere find etcd; in kops the pods of etcd-manager ask dns-controller for them."""
    if not any(True for _group in context.groups_of("APIServer")):
        return []
    names = [host_of_cluster(context.name, str(etcd.name)) for etcd in context.cluster.spec.etcd_clusters]
    record_type = "AAAA" if context.is_ipv6_only else "A"
    return [WantedRecord(name, record_type, "internal", "control-plane") for name in names]
