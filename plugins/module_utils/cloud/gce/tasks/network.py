# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a VPC network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal, reference
from ....engine.task import internal
from ..cloud import COMPUTE, GCECloud
from ..resources.listing import BY_NAME, NETWORK
from ._compute import ComputeTask, Described

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

# Whether Google makes a subnet in every region by itself.
_CREATES_SUBNETS = {"auto": True, "custom": False}


@dataclass(eq=False, repr=False)
class Network(ComputeTask):
    """A network; its task name is its name.

    project: the one that lends the network to the cluster's (shared VPC); None is the cluster's own.
    mode: auto or custom; None leaves it as it is. shared: it existed before the cluster.
    """

    project: str | None = None
    mode: str | None = None
    shared: bool = internal(False)

    of = BY_NAME[NETWORK]
    resource = "google_compute_network"
    immutable: ClassVar[frozenset[str]] = frozenset({"mode"})

    def collection(self, cloud: GCECloud) -> str:
        return f"{self.project or cloud.project}/{self.scope(cloud)}/{self.of.collection}"

    def find(self, cloud: GCECloud) -> Network | None:
        found = self._given(cloud) if self.shared else self.described(cloud)
        if found is None:
            return None
        mode = "auto" if found.get("autoCreateSubnetworks") else "custom"
        return Network(self.name, project=self.project, mode=mode, shared=self.shared)

    def _given(self, cloud: GCECloud) -> Described:
        """The network that the specification names. Raises KopsError if there is none."""
        found = cloud.once(described_at, self.path(cloud))
        if found is None:
            raise KopsError(
                f"spec.networking.networkID: project {self.project or cloud.project} has no network {self.name}"
            )
        return found

    def create(self, cloud: GCECloud) -> None:
        # Without it, Google would make a subnet in every region.
        self.insert(cloud, autoCreateSubnetworks=_CREATES_SUBNETS.get(self.mode or "", False))

    def terraform_link(self) -> Literal | str:
        """The network's name as other resources write it."""
        if self.shared:
            return f"{self.project}/{self.name}" if self.project else self.name
        return reference(self.resource, self.name, "name")

    def terraform(self, target: TerraformTarget) -> None:
        if self.shared:
            return
        creates_subnets = _CREATES_SUBNETS.get(self.mode or "")
        target.resource(self.resource, self.name, {"auto_create_subnetworks": creates_subnets, "name": self.name})


def described_at(cloud: GCECloud, path: str) -> Described | None:
    """One object by its path, which may be in another project; None if there is none."""
    return cloud.get(COMPUTE, path)
