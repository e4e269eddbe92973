# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in the lab's project of Google Cloud, as its user has it."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.instances import GROUP_NAME, MADE_BY, metadata_of
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite
from ansible_collections.kubeops.kops.tests.lab.google import account, clusters

_CONTROL_PLANE = "k8s-io-role-control-plane"


class GoogleSite(CloudSite):
    """A cluster. directory: for its manifest."""

    store: ClassVar[str] = account.STORE
    ports: ClassVar[tuple[int, ...]] = (account.PORT, account.STORAGE_PORT)
    zones: ClassVar[tuple[str, ...]] = account.ZONES
    made_by: ClassVar[Any] = clusters

    def instances(self, *, control_planes: bool | None = None) -> dict[str, dict[str, Any]]:
        """Name -> what Compute Engine says, of those that run. control_planes: only these, or only the others."""
        return {
            each["name"]: {
                **each,
                "group": metadata_of(each).get(GROUP_NAME, ""),
                "zone": each["zone"].rpartition("/")[2],
            }
            for each in account.all_of("instances")
            if control_planes is None or (_CONTROL_PLANE in each.get("labels", {})) == control_planes
        }

    def serials(self) -> dict[str, str]:
        """See CloudSite."""
        return {name: str(each["id"]) for name, each in self.instances().items()}

    def resize(self, size: int) -> None:
        """Give all managed groups a size, beside what the store says."""
        for manager in account.all_of("instanceGroupManagers"):
            zone = manager["zone"].rpartition("/")[2]
            account.call("POST", f"zones/{zone}/instanceGroupManagers/{manager['name']}/resize?size={size}")

    def remove(self, name: str) -> None:
        """Delete an instance by its managed group, which is smaller then."""
        instance = self.instances()[name]
        manager = metadata_of(instance)[MADE_BY].rpartition("/")[2]
        path = f"zones/{instance['zone']}/instanceGroupManagers/{manager}/deleteInstances"
        account.call("POST", path, {"instances": [instance["selfLink"]]})

    def launched(self, name: str) -> datetime.datetime:
        """When an instance was made."""
        return datetime.datetime.fromisoformat(self.instances()[name]["creationTimestamp"])

    def address(self, name: str) -> str:
        """The private address of an instance."""
        return str(self.instances()[name]["networkInterfaces"][0]["networkIP"])

    def terminate(self, *names: str) -> None:
        """Delete instances beside their groups, which start others."""
        zones = {name: each["zone"] for name, each in self.instances().items()}
        for name in names:
            account.call("DELETE", f"zones/{zones[name]}/instances/{name}")
