# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster as its controllers see them (pkg/nodeidentity/openstack of kops).

One listing is asked for all of them. Metadata of a server can be changed only by whoever may change servers of the
project, which workers may not: they have no credential.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...base.labels import INSTANCE_GROUP
from ...base.openstack_server_ids import SERVERS
from ..cloud.instances import CloudInstance
from .api import NOVA, OpenStack
from .marks import CLUSTER, CONTROL_PLANE, GROUP, ROLE, WORKER, addresses_of, metadata_of

_RUNNING = ("BUILD", "ACTIVE", "REBOOT", "HARD_REBOOT")
_ENDED = ("DELETED", "SOFT_DELETED")
_NODE_ROLES = {CONTROL_PLANE: "control-plane", WORKER: "node"}


class Servers:
    """Those of one cluster. own: the name of the server that the process runs on."""

    ids = SERVERS

    def __init__(self, openstack: OpenStack, cluster: str, own: str) -> None:
        self.openstack, self.cluster, self._own = openstack, cluster, own

    def own_id(self) -> str:
        """See CloudInstances."""
        return self._own

    def all(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {each.id: each for each in map(_read, self._ours())}

    def servers(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {name: each for name, each in self.all().items() if each.role == CONTROL_PLANE}

    def existing(self, ids: Collection[str]) -> set[str]:
        """See CloudInstances."""
        return {str(each["name"]) for each in self._every() if each["status"] not in _ENDED} & set(ids)

    def _every(self) -> Iterator[dict[str, Any]]:
        return self.openstack.listed(NOVA, "/servers/detail", "servers")

    def _ours(self) -> Iterator[dict[str, Any]]:
        return (each for each in self._every() if metadata_of(each).get(CLUSTER) == self.cluster)


def _read(server: Mapping[str, Any]) -> CloudInstance:
    metadata = metadata_of(server)
    group, role = metadata.get(GROUP, ""), metadata.get(ROLE, "")
    named = {f"node-role.kubernetes.io/{_NODE_ROLES[role]}": ""} if role in _NODE_ROLES else {}
    return CloudInstance(
        id=str(server["name"]),
        group=group,
        role=CONTROL_PLANE if role == CONTROL_PLANE else "",
        runs=server["status"] in _RUNNING,
        is_terminated=server["status"] in _ENDED,
        tagged_labels={**named, **({INSTANCE_GROUP: group} if group else {})},
        internal=addresses_of(server, "fixed"),
        external=addresses_of(server, "floating"),
    )
