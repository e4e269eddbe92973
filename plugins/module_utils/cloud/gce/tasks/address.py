# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a reserved address of a load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, reference
from ....engine.task import computed, internal
from ._google import GoogleTask
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class Address(GoogleTask):
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

    def terraform_link(self) -> Literal:
        """The address itself as other resources write it."""
        return reference("google_compute_address", self.name, "address")

    def terraform(self, target: TerraformTarget) -> None:
        if self.local_name:
            target.local(self.local_name, Literal(f"[{self.terraform_link().text}]"))
        target.resource(
            "google_compute_address",
            self.name,
            {
                "address_type": self.ip_address_type,
                "name": self.name,
                "purpose": self.purpose,
                "subnetwork": self.subnetwork.terraform_link() if self.subnetwork else None,
            },
        )
