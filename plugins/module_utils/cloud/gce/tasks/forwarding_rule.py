# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a forwarding rule, which leads from a load balancer's address to its instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal
from ....engine.task import Change, unordered
from ..cloud import GCECloud
from ..resources.listing import BY_NAME, RULE
from ._compute import ComputeTask, labels_of, refer, set_labels
from .address import Address
from .backend_service import BackendService
from .network import Network
from .subnet import Subnet
from .target_pool import TargetPool

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class ForwardingRule(ComputeTask):
    """A rule of a region; its task name is its name.

    A public one leads a port_range ("443-443") to a target_pool; an internal one leads ports to a backend_service,
    from inside of network and subnetwork.
    """

    port_range: str | None = None
    ports: list[str] | None = unordered()
    target_pool: TargetPool | None = None
    ip_address: Address | None = None
    ip_protocol: str | None = None
    load_balancing_scheme: str | None = None
    network: Network | None = None
    subnetwork: Subnet | None = None
    backend_service: BackendService | None = None
    labels: dict[str, str] | None = None

    of = BY_NAME[RULE]
    resource = "google_compute_forwarding_rule"
    immutable: ClassVar[frozenset[str]] = frozenset(
        {"port_range", "ports", "ip_address", "ip_protocol", "load_balancing_scheme", "network", "subnetwork"}
    )

    def find(self, cloud: GCECloud) -> ForwardingRule | None:
        found = self.described(cloud)
        if found is None:
            return None
        return ForwardingRule(
            self.name,
            port_range=found.get("portRange"),
            ports=list(found.get("ports") or ()),
            target_pool=refer(found.get("target"), self.target_pool, lambda each: each.path(cloud), TargetPool),
            ip_address=self._address(str(found.get("IPAddress", ""))),
            ip_protocol=found.get("IPProtocol"),
            load_balancing_scheme=found.get("loadBalancingScheme"),
            network=refer(found.get("network"), self.network, lambda each: each.path(cloud), Network),
            subnetwork=refer(found.get("subnetwork"), self.subnetwork, lambda each: each.path(cloud), Subnet),
            backend_service=refer(
                found.get("backendService"), self.backend_service, lambda each: each.path(cloud), BackendService
            ),
            labels=labels_of(found, self.labels),
        )

    def _address(self, found: str) -> Address:
        """The wanted address if the rule has it; a rule knows addresses as such, and not by their names."""
        wanted = self.ip_address
        return wanted if wanted is not None and wanted.ip_address == found else Address(found)

    def create(self, cloud: GCECloud) -> None:
        if self.ip_address is not None and not self.ip_address.ip_address:
            raise KopsError(f"{self.key}: Google has given {self.ip_address.key} no address")
        self.insert(
            cloud,
            portRange=self.port_range,
            ports=self.ports,
            IPAddress=self.ip_address.ip_address if self.ip_address else None,
            IPProtocol=self.ip_protocol,
            loadBalancingScheme=self.load_balancing_scheme,
            target=self.target_pool.url(cloud) if self.target_pool else None,
            backendService=self.backend_service.url(cloud) if self.backend_service else None,
            network=self.network.url(cloud) if self.network else None,
            subnetwork=self.subnetwork.url(cloud) if self.subnetwork else None,
        )
        # Rules are the only objects that Google gives labels afterwards only. Until then the mark says whose it is.
        if self.labels:
            set_labels(cloud, self.path(cloud), self.labels)

    def update(self, cloud: GCECloud, actual: ForwardingRule, changes: dict[str, Change]) -> None:
        target = self.target_pool or self.backend_service
        if target is not None and changes.keys() & {"target_pool", "backend_service"}:
            cloud.call(f"{self.path(cloud)}/setTarget", {"target": target.url(cloud)})
        if "labels" in changes:
            set_labels(cloud, self.path(cloud), self.labels)

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            self.resource,
            self.name,
            {
                "backend_service": _link(self.backend_service),
                "ip_address": _link(self.ip_address),
                "ip_protocol": self.ip_protocol,
                "labels": self.labels,
                "load_balancing_scheme": self.load_balancing_scheme,
                "name": self.name,
                "network": _link(self.network),
                "port_range": self.port_range,
                "ports": self.ports,
                "subnetwork": _link(self.subnetwork),
                "target": _link(self.target_pool),
            },
        )


def _link(task: Address | BackendService | Network | Subnet | TargetPool | None) -> Literal | str | None:
    return task.terraform_link() if task else None
