# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a VPC network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Literal, reference
from ....engine.task import internal
from ._google import GoogleTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

# Whether Google makes a subnet in every region by itself.
_CREATES_SUBNETS = {"auto": True, "custom": False}


@dataclass(eq=False)
class Network(GoogleTask):
    """A network; its task name is its name.

    project: the one that lends the network to the cluster's (shared VPC); None is the cluster's own.
    mode: auto or custom; None leaves it as it is. shared: it existed before the cluster.
    """

    project: str | None = None
    mode: str | None = None
    shared: bool = internal(False)

    def terraform_link(self) -> Literal | str:
        """The network's name as other resources write it."""
        if self.shared:
            return f"{self.project}/{self.name}" if self.project else self.name
        return reference("google_compute_network", self.name, "name")

    def terraform(self, target: TerraformTarget) -> None:
        if self.shared:
            return
        creates_subnets = _CREATES_SUBNETS.get(self.mode or "")
        target.resource(
            "google_compute_network", self.name, {"auto_create_subnetworks": creates_subnets, "name": self.name}
        )
