# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in the lab's project of Hetzner Cloud, as its user has it."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets
from ansible_collections.kubeops.kops.tests.lab.cloud.server_sites import ServerSite
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import HEALTH
from ansible_collections.kubeops.kops.tests.lab.hetzner import account, clusters, metadata


class HetznerSite(ServerSite):
    """A cluster. directory: for its manifest."""

    store: ClassVar[str] = account.STORE
    ports: ClassVar[tuple[int, ...]] = (account.PORT, buckets.PORT)
    provider: ClassVar[str] = "hcloud://"
    user_data: ClassVar[str] = f"http://169.254.169.254{metadata.USER_DATA}"
    scheme: ClassVar[str] = "x-kubeops-hetzner"
    zones: ClassVar[tuple[str, ...]] = account.LOCATIONS[:1]
    made_by: ClassVar[Any] = clusters
    shows: ClassVar[frozenset[str]] = frozenset({HEALTH})

    def instances(self, *, control_planes: bool | None = None) -> dict[str, dict[str, Any]]:
        """Name -> what Hetzner says, of those that run. control_planes: only these, or only the others."""
        found = {}
        for each in account.client().servers.get_all():
            role = each.labels.get(names.ROLE)
            if each.status != each.STATUS_RUNNING or not role:
                continue
            if control_planes is None or (role == "ControlPlane") == control_planes:
                known = {"group": each.labels[names.GROUP], "zone": each.data_model.location.name}
                found[each.name] = {"id": each.id, "server": each, **known}
        return found

    def launched(self, name: str) -> datetime.datetime:
        """When a server was made."""
        found: datetime.datetime = self.instances()[name]["server"].created
        return found

    def address(self, name: str) -> str:
        """The private address of a server."""
        return str(self.instances()[name]["server"].private_net[0].ip)

    def terminate(self, *names: str) -> None:
        """Delete servers; nobody makes others before an update, or a repair."""
        servers = self.instances()
        for name in names:
            servers[name]["server"].delete().wait_until_finished()
