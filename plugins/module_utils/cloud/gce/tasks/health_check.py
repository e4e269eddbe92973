# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a health check of the kind that backend services have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ....engine.targets.hcl import Block, Literal, reference
from ..cloud import GCECloud
from ..resources.listing import BY_NAME, CHECK
from ._compute import ComputeTask

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

_BLOCKS = {"TCP": "tcp_health_check", "SSL": "ssl_health_check"}
_FIELDS = {"TCP": "tcpHealthCheck", "SSL": "sslHealthCheck"}


@dataclass(eq=False, repr=False)
class HealthCheck(ComputeTask):
    """A check of a region; its task name is its name. protocol: TCP or SSL."""

    port: int | None = None
    protocol: str = "TCP"

    of = BY_NAME[CHECK]
    resource = "google_compute_region_health_check"
    immutable: ClassVar[frozenset[str]] = frozenset({"port", "protocol"})

    def find(self, cloud: GCECloud) -> HealthCheck | None:
        found = self.described(cloud)
        if found is None:
            return None
        protocol = str(found.get("type"))
        return HealthCheck(self.name, port=found.get(_FIELDS.get(protocol, ""), {}).get("port"), protocol=protocol)

    def create(self, cloud: GCECloud) -> None:
        self.insert(cloud, type=self.protocol, **{_FIELDS[self.protocol]: {"port": self.port}})

    def terraform_link(self) -> Literal:
        """The check's id as other resources write it."""
        return reference(self.resource, self.name)

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            self.resource,
            self.name,
            {"name": self.name, _BLOCKS[self.protocol]: Block(port=self.port)},
        )
