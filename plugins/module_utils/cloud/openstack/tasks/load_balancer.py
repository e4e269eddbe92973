# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a load balancer of Octavia."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.targets.hcl import ignoring
from ....engine.task import Change, computed, internal
from ..cloud import Described, OpenStackCloud
from ..kinds import BALANCER, PORT
from ._openstack import SettlingTask, described, id_of, refer
from .security_group import SecurityGroup
from .subnet import Subnet

OVN = "ovn"


@dataclass(eq=False, repr=False)
class LoadBalancer(SettlingTask):
    """A load balancer.

    subnet: where its address is. flavor: id of Octavia's. provider: Octavia's word for what does the work; None is the
    cloud's own choice. security_group: of its port, where listeners cannot say themselves who may connect.
    port, address: Octavia gives them.
    changed: when this run has last changed something of it. turn_lock: is held by what changes it.
    """

    subnet: Subnet | None = None
    flavor: str | None = None
    provider: str | None = None
    security_group: SecurityGroup | None = None
    port: str | None = computed()
    address: str | None = computed()
    changed: float = internal(0.0)
    turn_lock: threading.Lock = internal(default_factory=threading.Lock)

    of = BALANCER
    resource = "openstack_lb_loadbalancer_v2"
    status = "provisioning_status"
    # Of an update, too: until then what was asked for has no effect.
    coming = frozenset({"PENDING_CREATE", "PENDING_UPDATE", "PENDING_DELETE"})
    failed = frozenset({"ERROR"})
    immutable: ClassVar[frozenset[str]] = frozenset({"subnet", "flavor", "provider"})

    def find(self, cloud: OpenStackCloud) -> LoadBalancer | None:
        found = self.described(cloud)
        if found is None:
            return None
        return LoadBalancer(
            self.name,
            id=found["id"],
            subnet=refer(Subnet, found["vip_subnet_id"]),
            flavor=found.get("flavor_id"),
            provider=found.get("provider"),
            security_group=self._group_of(cloud, str(found["vip_port_id"])),
            state=self.state_of(found),
            port=found["vip_port_id"],
            address=found["vip_address"],
        )

    def _group_of(self, cloud: OpenStackCloud, port: str) -> SecurityGroup | None:
        if self.security_group is None:
            return None
        found = (each["security_groups"] for each in cloud.once(described, PORT) if each["id"] == port)
        groups: list[str] = next(found, [])
        return self.security_group if self.security_group.id in groups else None

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "vip_subnet_id": id_of(self.subnet),
            "flavor_id": self.flavor,
            "provider": self.provider,
        }

    def create(self, cloud: OpenStackCloud) -> None:
        super().create(cloud)
        self._guard(cloud, str(self.port))

    def take(self, made: Described) -> None:
        super().take(made)
        self.port, self.address = str(made["vip_port_id"]), str(made["vip_address"])

    def update(self, cloud: OpenStackCloud, actual: LoadBalancer, changes: dict[str, Change]) -> None:
        if "security_group" in changes:
            self._guard(cloud, str(actual.port))
        if "state" in changes:
            self.wait(cloud)

    def _guard(self, cloud: OpenStackCloud, port: str) -> None:
        if self.security_group is not None:
            cloud.change(PORT, port, {"security_groups": [id_of(self.security_group)]})

    @contextlib.contextmanager
    def turn(self, cloud: OpenStackCloud) -> Iterator[None]:
        """In the block one thing of it may be changed. Raises TryAgainLater while another change is carried into it."""
        with self.turn_lock:
            self.wait(cloud, self.changed)
            try:
                yield
            finally:
                self.changed = time.monotonic()

    def failure(self, found: Described) -> str:
        return f"is in the state {found[self.status]}: delete it, and run again"

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "flavor_id": self.flavor,
            # Octavia may add groups of its own to the port.
            "lifecycle": ignoring("security_group_ids"),
            "loadbalancer_provider": self.provider,
            "name": self.name,
            "security_group_ids": [self.security_group.terraform_link()] if self.security_group else None,
            "vip_subnet_id": self.needed(self.subnet, "is in no subnet").terraform_link(),
        }
