# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack tasks: what a load balancer has: pool, members, health monitor and listener.

Octavia changes one thing of a load balancer at a time, and refuses others meanwhile: so one after the other has its
turn, and what others change meanwhile is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.targets.hcl import ignoring
from ....engine.task import Change, internal, unordered
from ..cloud import Described, OpenStackCloud
from ..kinds import LISTENER, MEMBER, MONITOR, POOL
from ._openstack import OpenStackTask, id_of, members, refers
from .load_balancer import LoadBalancer
from .port import Port
from .subnet import Subnet

TCP = "TCP"


@dataclass(eq=False, repr=False)
class BalancerPart(OpenStackTask):
    """What a load balancer has. It is there when Octavia has carried it into the load balancer.

    asked: when it was asked for.
    """

    asked: float = internal(0.0)

    def owner(self) -> LoadBalancer | None:
        """The load balancer."""
        raise NotImplementedError(f"{self.kind}.owner")

    def create(self, cloud: OpenStackCloud) -> None:
        if self.id is None:
            with self._owner.turn(cloud):
                self.ask_for(cloud)
            self.asked = self._owner.changed

    def ask_for(self, cloud: OpenStackCloud) -> None:
        """Have it made."""
        super().create(cloud)

    def take(self, made: Described) -> None:
        super().take(made)
        self._owner.begun = str(made.get(self._owner.status, ""))

    def wait(self, cloud: OpenStackCloud) -> None:
        # Else the next one has had its turn, for which this one was waited for. Of one that was found nobody knows.
        if self.asked in (self._owner.changed, 0.0):
            self._owner.wait(cloud, self._owner.changed)

    @property
    def _owner(self) -> LoadBalancer:
        return self.needed(self.owner(), "is of no load balancer")


@dataclass(eq=False, repr=False)
class Pool(BalancerPart):
    """Where a load balancer sends connections. method: ROUND_ROBIN, SOURCE_IP_PORT ..."""

    balancer: LoadBalancer | None = None
    method: str | None = None

    of = POOL
    resource = "openstack_lb_pool_v2"

    def owner(self) -> LoadBalancer | None:
        return self.balancer

    def among(self, found: Described) -> bool:
        return refers(found, "loadbalancers", self.balancer.id if self.balancer else None)

    def find(self, cloud: OpenStackCloud) -> Pool | None:
        found = self.described(cloud)
        if found is None:
            return None
        return Pool(self.name, id=found["id"], balancer=self.balancer, method=found["lb_algorithm"])

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "loadbalancer_id": id_of(self.balancer),
            "lb_algorithm": self.method,
            "protocol": TCP,
        }

    def update(self, cloud: OpenStackCloud, actual: Pool, changes: dict[str, Change]) -> None:
        if "method" in changes:
            cloud.change(self.of, id_of(actual), {"lb_algorithm": self.method})

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "lb_method": self.method,
            # Of one that is imported, the provider takes the listener for its owner.
            "lifecycle": ignoring("listener_id", "loadbalancer_id"),
            "loadbalancer_id": self.needed(self.balancer, "is of no load balancer").terraform_link(),
            "name": self.name,
            "protocol": TCP,
        }


@dataclass(eq=False, repr=False)
class PoolMember(BalancerPart):
    """A server in a pool, by the address of its port.

    title: the member's name in Octavia, which members may share. subnet: the one that kops names, of the load balancer.
    weight: 1 is Octavia's own; a server that is being replaced has 0, and gets no connections.
    """

    title: str | None = None
    pool: Pool | None = None
    port: Port | None = None
    subnet: Subnet | None = None
    protocol_port: int | None = None
    weight: int = 1

    of = MEMBER

    def owner(self) -> LoadBalancer | None:
        return self.pool.balancer if self.pool else None

    def find(self, cloud: OpenStackCloud) -> PoolMember | None:
        if self.pool is None or self.pool.id is None or self.port is None or self.port.id is None:
            return None
        address = self.port.address
        for each in cloud.once(members, self.pool.id):
            if (each["address"], each["protocol_port"]) == (address, self.protocol_port):
                return PoolMember(
                    self.name,
                    id=each["id"],
                    title=each.get("name"),
                    pool=self.pool,
                    port=self.port,
                    # Not compared: the address says where it is.
                    subnet=self.subnet,
                    protocol_port=self.protocol_port,
                    weight=int(each.get("weight", 1)),
                )
        return None

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.title,
            "address": self.port.address if self.port else None,
            "protocol_port": self.protocol_port,
            "subnet_id": id_of(self.subnet),
        }

    def ask_for(self, cloud: OpenStackCloud) -> None:
        path, body = f"/{id_of(self.pool)}/members", {self.of.key: self.request(cloud)}
        self.take(cloud.ask("POST", self.of, path, body, f"add {self.name} to its pool")[self.of.key])

    def update(self, cloud: OpenStackCloud, actual: PoolMember, changes: dict[str, Change]) -> None:
        wanted = {"name": self.title, "weight": self.weight}
        path, body = f"/{id_of(self.pool)}/members/{id_of(actual)}", {self.of.key: wanted}
        cloud.ask("PUT", self.of, path, body, f"change member {self.name}")


@dataclass(eq=False, repr=False)
class Listener(BalancerPart):
    """Where a load balancer takes connections. allowed_cidrs: from whom; None where it cannot say."""

    balancer: LoadBalancer | None = None
    pool: Pool | None = None
    port: int | None = None
    allowed_cidrs: list[str] | None = unordered()

    of = LISTENER
    resource = "openstack_lb_listener_v2"
    immutable: ClassVar[frozenset[str]] = frozenset({"port"})

    def owner(self) -> LoadBalancer | None:
        return self.balancer

    def among(self, found: Described) -> bool:
        return refers(found, "loadbalancers", self.balancer.id if self.balancer else None)

    def find(self, cloud: OpenStackCloud) -> Listener | None:
        found = self.described(cloud)
        if found is None:
            return None
        same = self.pool is not None and found.get("default_pool_id") == self.pool.id
        return Listener(
            self.name,
            id=found["id"],
            balancer=self.balancer,
            pool=self.pool if same else None,
            port=found["protocol_port"],
            allowed_cidrs=found.get("allowed_cidrs"),
        )

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "loadbalancer_id": id_of(self.balancer),
            "default_pool_id": id_of(self.pool),
            "protocol": TCP,
            "protocol_port": self.port,
            "allowed_cidrs": self.allowed_cidrs,
        }

    def update(self, cloud: OpenStackCloud, actual: Listener, changes: dict[str, Change]) -> None:
        properties: dict[str, Any] = {}
        if "pool" in changes:
            properties["default_pool_id"] = id_of(self.pool)
        if "allowed_cidrs" in changes:
            properties["allowed_cidrs"] = self.allowed_cidrs
        cloud.change(self.of, id_of(actual), properties)

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "allowed_cidrs": self.allowed_cidrs,
            "default_pool_id": self.needed(self.pool, "has no pool").terraform_link(),
            "loadbalancer_id": self.needed(self.balancer, "is of no load balancer").terraform_link(),
            "name": self.name,
            "protocol": TCP,
            "protocol_port": self.port,
        }


@dataclass(eq=False, repr=False)
class HealthMonitor(BalancerPart):
    """How a load balancer finds out which members answer. delay, timeout: in seconds. retries: until it believes it."""

    pool: Pool | None = None
    delay: int | None = None
    timeout: int | None = None
    retries: int | None = None

    of = MONITOR
    resource = "openstack_lb_monitor_v2"

    def owner(self) -> LoadBalancer | None:
        return self.pool.balancer if self.pool else None

    def among(self, found: Described) -> bool:
        return refers(found, "pools", self.pool.id if self.pool else None)

    def find(self, cloud: OpenStackCloud) -> HealthMonitor | None:
        found = self.described(cloud)
        if found is None:
            return None
        return HealthMonitor(
            self.name,
            id=found["id"],
            pool=self.pool,
            delay=found["delay"],
            timeout=found["timeout"],
            retries=found["max_retries"],
        )

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {"name": self.name, "pool_id": id_of(self.pool), "type": TCP, **self._timing()}

    def _timing(self) -> dict[str, Any]:
        # Octavia's own default for going down is three, whatever the one for coming up is; kops' are equal.
        retries = {"max_retries": self.retries, "max_retries_down": self.retries}
        return {"delay": self.delay, "timeout": self.timeout, **retries}

    def update(self, cloud: OpenStackCloud, actual: HealthMonitor, changes: dict[str, Change]) -> None:
        cloud.change(self.of, id_of(actual), self._timing())

    def terraform_arguments(self) -> dict[str, Any]:
        pool = self.needed(self.pool, "is of no pool").terraform_link()
        return {"name": self.name, "pool_id": pool, "type": TCP, **self._timing()}
