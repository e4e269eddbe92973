# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a server group, which says whether servers may share a hypervisor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..cloud import OpenStackCloud
from ..kinds import SERVER_GROUP
from ._openstack import OpenStackTask


@dataclass(eq=False, repr=False)
class ServerGroup(OpenStackTask):
    """A server group. policy: anti-affinity, affinity, soft-anti-affinity, soft-affinity."""

    policy: str | None = None

    of = SERVER_GROUP
    resource = "openstack_compute_servergroup_v2"
    immutable: ClassVar[frozenset[str]] = frozenset({"policy"})

    def find(self, cloud: OpenStackCloud) -> ServerGroup | None:
        found = self.described(cloud)
        if found is None:
            return None
        # Newer services have one policy, older ones a list of one.
        policies = [found["policy"]] if found.get("policy") else found.get("policies") or [None]
        return ServerGroup(self.name, id=found["id"], policy=policies[0])

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {"name": self.name, "policies": [self.policy]}

    def terraform_arguments(self) -> dict[str, Any]:
        return {"name": self.name, "policies": [self.policy]}
