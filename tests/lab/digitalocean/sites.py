# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in the lab's account of DigitalOcean, as its user has it."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.marks import GROUP, ROLE, tags_of
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets
from ansible_collections.kubeops.kops.tests.lab.cloud.server_sites import ServerSite
from ansible_collections.kubeops.kops.tests.lab.digitalocean import account, clusters, metadata


class DigitalOceanSite(ServerSite):
    """A cluster. directory: for its manifest."""

    store: ClassVar[str] = account.STORE
    ports: ClassVar[tuple[int, ...]] = (account.PORT, buckets.PORT)
    provider: ClassVar[str] = "digitalocean://"
    user_data: ClassVar[str] = f"http://169.254.169.254{metadata.USER_DATA}"
    scheme: ClassVar[str] = "x-kubeops-digitalocean"
    zones: ClassVar[tuple[str, ...]] = account.REGIONS[:1]
    made_by: ClassVar[Any] = clusters
    shows: ClassVar[frozenset[str]] = frozenset()

    def instances(self, *, control_planes: bool | None = None) -> dict[str, dict[str, Any]]:
        """Name -> what DigitalOcean says, of those that run. control_planes: only these, or only the others."""
        found = {}
        for each in account.all_of("droplets"):
            tags = tags_of(each)
            if each["status"] != "active" or ROLE not in tags:
                continue
            if control_planes is None or (tags[ROLE].lower() == "controlplane") == control_planes:
                found[each["name"]] = {**each, "group": tags.get(GROUP, ""), "zone": each["region"]["slug"]}
        return found

    def launched(self, name: str) -> datetime.datetime:
        """When a droplet was made."""
        return datetime.datetime.fromisoformat(self.instances()[name]["created_at"])

    def address(self, name: str) -> str:
        """The private address of a droplet."""
        return metadata.address_of(self.instances()[name])

    def terminate(self, *names: str) -> None:
        """Delete droplets; nobody makes others before an update, or a repair."""
        droplets = self.instances()
        for name in names:
            account.call("DELETE", f"droplets/{droplets[name]['id']}")
