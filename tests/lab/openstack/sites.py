# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in the lab's OpenStack, as its user has it."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ansible_collections.kubeops.kops.tests.lab.cloud.server_sites import ServerSite
from ansible_collections.kubeops.kops.tests.lab.openstack import account, clusters


class OpenStackSite(ServerSite):
    """A cluster. directory: for its manifest."""

    store: ClassVar[str] = account.STORE
    ports: ClassVar[tuple[int, ...]] = ()
    provider: ClassVar[str] = "openstack:///"
    user_data: ClassVar[str] = "http://169.254.169.254/openstack/latest/user_data"
    scheme: ClassVar[str] = "x-kubeops-openstack"
    zones: ClassVar[tuple[str, ...]] = account.ZONES
    made_by: ClassVar[Any] = clusters

    def instances(self, *, control_planes: bool | None = None) -> dict[str, dict[str, Any]]:
        """Name -> what Nova says, of those that run. control_planes: only these, or only the others."""
        found = {}
        for each in account.connection().compute.servers():
            metadata = each.metadata
            if each.status != "ACTIVE" or not metadata.get("KopsInstanceGroup"):
                continue
            if control_planes is None or (metadata.get("KopsRole") == "ControlPlane") == control_planes:
                known = {"group": metadata["KopsInstanceGroup"], "zone": each.availability_zone}
                found[each.name] = {**each.to_dict(), **known}
        return found

    def launched(self, name: str) -> datetime.datetime:
        """When a server was made."""
        return datetime.datetime.fromisoformat(self.instances()[name]["created_at"].replace("Z", "+00:00"))

    def address(self, name: str) -> str:
        """The private address of a server."""
        (addresses,) = self.instances()[name]["addresses"].values()
        return str(addresses[0]["addr"])

    def terminate(self, *names: str) -> None:
        """Delete servers; nobody makes others before an update, or a repair."""
        servers = self.instances()
        for name in names:
            account.connection().compute.delete_server(servers[name]["id"])
