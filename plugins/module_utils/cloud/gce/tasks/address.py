# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a reserved address of a load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ....engine.targets.hcl import Literal, reference
from ....engine.task import computed, internal
from ..cloud import COMPUTE, GCECloud
from ..resources.listing import ADDRESS, BY_NAME
from ._compute import ComputeTask, refer
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class Address(ComputeTask):
    """An address of a region; its task name is its name.

    ip_address_type: INTERNAL, out of subnetwork's range; None is external.
    purpose: SHARED_LOADBALANCER_VIP, where several forwarding rules use it.
    well_known_services: what clients find at the address ("kube-apiserver", "kops-controller", "etcd-main").
    local_name: of the value in Terraform that user data has for the address; None for none.
    """

    ip_address: str | None = computed()
    ip_address_type: str | None = None
    purpose: str | None = None
    subnetwork: Subnet | None = None
    well_known_services: list[str] | None = internal()
    local_name: str | None = internal()

    of = BY_NAME[ADDRESS]
    resource = "google_compute_address"
    immutable: ClassVar[frozenset[str]] = frozenset({"ip_address_type", "purpose", "subnetwork"})

    def find(self, cloud: GCECloud) -> Address | None:
        found = self.described(cloud)
        if found is None:
            return None
        return Address(
            self.name,
            ip_address=found.get("address"),
            ip_address_type=found.get("addressType"),
            purpose=found.get("purpose"),
            subnetwork=refer(found.get("subnetwork"), self.subnetwork, lambda each: each.path(cloud), Subnet),
        )

    def create(self, cloud: GCECloud) -> None:
        self.insert(
            cloud,
            addressType=self.ip_address_type,
            purpose=self.purpose,
            subnetwork=self.subnetwork.url(cloud) if self.subnetwork else None,
        )
        self.ip_address = (cloud.get(COMPUTE, self.path(cloud)) or {}).get("address")

    def terraform_link(self) -> Literal:
        """The address itself as other resources write it."""
        return reference(self.resource, self.name, "address")

    def terraform(self, target: TerraformTarget) -> None:
        if self.local_name:
            target.local(self.local_name, Literal(f"[{self.terraform_link().text}]"))
        target.resource(
            self.resource,
            self.name,
            {
                "address_type": self.ip_address_type,
                "name": self.name,
                "purpose": self.purpose,
                "subnetwork": self.subnetwork.terraform_link() if self.subnetwork else None,
            },
        )
