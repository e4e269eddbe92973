# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in the lab's vCenter, as its user has it."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import marks
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets
from ansible_collections.kubeops.kops.tests.lab.cloud.server_sites import ServerSite
from ansible_collections.kubeops.kops.tests.lab.vsphere import account, clusters
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import done


class VSphereSite(ServerSite):
    """A cluster. directory: for its manifest."""

    store: ClassVar[str] = account.STORE
    ports: ClassVar[tuple[int, ...]] = (account.PORT, buckets.PORT)
    provider: ClassVar[str] = "vsphere://"
    user_data: ClassVar[str] = "http://169.254.169.254/lab/user-data"
    scheme: ClassVar[str] = "x-kubeops-vsphere"
    zones: ClassVar[tuple[str, ...]] = account.ZONES
    made_by: ClassVar[Any] = clusters
    shows: ClassVar[frozenset[str]] = frozenset()

    def instances(self, *, control_planes: bool | None = None) -> dict[str, dict[str, Any]]:
        """Name -> what vCenter says, of those that run. control_planes: only these, or only the others."""
        found = {}
        with account.machines() as machines:
            for each in machines:
                settings = account.settings_of(each)
                role = settings.get(marks.ROLE)
                if role is None or each.runtime.powerState != marks.ON:
                    continue
                if control_planes is None or (role == marks.CONTROL_PLANE) == control_planes:
                    found[str(each.name)] = {
                        "id": str(each.config.uuid),
                        "group": settings[marks.GROUP],
                        "zone": account.ZONES[0],
                        "address": str(each.guest.ipAddress or ""),
                        "created": each.config.createDate,
                    }
        return found

    def launched(self, name: str) -> datetime.datetime:
        """When a virtual machine was made."""
        found: datetime.datetime = self.instances()[name]["created"]
        return found

    def address(self, name: str) -> str:
        """The address of a virtual machine."""
        return str(self.instances()[name]["address"])

    def terminate(self, *names: str) -> None:
        """Destroy workers in vCenter; nobody makes others before an update, or a repair."""
        with account.machines() as machines:
            for each in [each for each in machines if each.name in names]:
                done(each.PowerOffVM_Task())
                done(each.Destroy_Task())
