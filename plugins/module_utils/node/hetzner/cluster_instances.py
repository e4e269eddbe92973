# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster as its controllers see them (pkg/nodeidentity/hetzner of kops).

Labels of a server can be changed only by whoever may change the project, which workers may not: they have no token.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...base.hetzner_server_ids import HETZNER_SERVERS
from ..cloud.instances import CloudInstance
from .api import Hetzner
from .marks import (
    CLUSTER,
    CONTROL_PLANE,
    ENDING,
    GROUP,
    NODE_LABEL,
    ROLE,
    RUNNING,
    WORKER,
    labels_of,
    private_addresses,
    public_addresses,
)

_NODE_ROLES = {CONTROL_PLANE: "control-plane", WORKER: "node"}


class Servers:
    """Those of one cluster. own: the name of the server that the process runs on."""

    ids = HETZNER_SERVERS

    def __init__(self, hetzner: Hetzner, cluster: str, own: str) -> None:
        self.hetzner, self.cluster, self._own = hetzner, cluster, own

    def own_id(self) -> str:
        """See CloudInstances."""
        return self._own

    def all(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {each.id: each for each in map(_read, self.hetzner.listed("servers", {CLUSTER: self.cluster}))}

    def servers(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {name: each for name, each in self.all().items() if each.role == CONTROL_PLANE}

    def existing(self, ids: Collection[str]) -> set[str]:
        """See CloudInstances."""
        found = self.hetzner.listed("servers", {}) if ids else ()
        return {str(each["name"]) for each in found if each["status"] not in ENDING} & set(ids)


def _read(server: Mapping[str, Any]) -> CloudInstance:
    labels = labels_of(server)
    role = labels.get(ROLE, "")
    named = {f"node-role.kubernetes.io/{_NODE_ROLES[role]}": ""} if role in _NODE_ROLES else {}
    of_node = {key[len(NODE_LABEL) :]: value for key, value in labels.items() if key.startswith(NODE_LABEL)}
    return CloudInstance(
        id=str(server["name"]),
        group=labels.get(GROUP, ""),
        role=CONTROL_PLANE if role == CONTROL_PLANE else "",
        runs=server["status"] in RUNNING,
        is_terminated=server["status"] in ENDING,
        tagged_labels={**named, **of_node},
        internal=private_addresses(server),
        external=public_addresses(server),
    )
