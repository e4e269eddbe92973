# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a load balancer in front of the servers that its label selector chooses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, Deletion, TryAgainLater, computed, internal, unordered
from ..cloud import Described, HetznerCloud, described
from ..kinds import BALANCER
from ..states import name_in
from ._hetzner import HetznerTask, id_of
from .network import Network
from .network_subnet import NetworkSubnet

BY_LABELS = "label_selector"
_TCP, _ALGORITHM = "tcp", {"type": "round_robin"}
_SERVICES_GO = "the specification does not have it any more; nodes that run may still connect to it"


@dataclass(frozen=True)
class Service:
    """Where a load balancer takes connections, and where it passes them on to."""

    port: int
    to: int
    protocol: str = _TCP


@dataclass(eq=False, repr=False)
class LoadBalancer(HetznerTask):
    """A load balancer, which reaches its servers by the network. target: their label selector.

    type: such as lb11. address, private_address: IPv4; the cloud gives them. after: the subnets of its network.
    """

    network: Network | None = None
    location: str | None = None
    type: str | None = None
    services: list[Service] | None = unordered()
    target: str | None = None
    address: str | None = computed()
    private_address: str | None = computed()
    after: list[NetworkSubnet] = internal(default_factory=list)

    of = BALANCER
    immutable: ClassVar[frozenset[str]] = frozenset({"location", "type"})

    def find(self, cloud: HetznerCloud) -> LoadBalancer | None:
        found = self.described(cloud)
        return self._read(found) if found else None

    def _read(self, found: Described) -> LoadBalancer:
        wanted = {each.port for each in self.services or ()}
        network = self.network.id if self.network else None
        return LoadBalancer(
            self.name,
            id=found["id"],
            labels=self.own_labels(found),
            network=self.network if private_address(found, network) else None,
            location=name_in(found, "location"),
            type=name_in(found, "load_balancer_type"),
            services=[each for each in services_of(found) if each.port in wanted],
            target=self.target if self.target in targets_of(found) else None,
            address=found["public_net"]["ipv4"]["ip"],
            private_address=private_address(found, network),
        )

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        return {
            **super().request(cloud),
            "load_balancer_type": self.type,
            "location": self.location,
            "algorithm": _ALGORITHM,
            "network": id_of(self.network),
            "services": [_asked(each) for each in self.services or ()],
            "targets": [self._target()],
        }

    def _target(self) -> dict[str, Any]:
        return {"type": BY_LABELS, BY_LABELS: {"selector": self.target}, "use_private_ip": True}

    def wait(self, cloud: HetznerCloud) -> None:
        super().wait(cloud)
        found = cloud.get(self.of, id_of(self))
        address = private_address(found, id_of(self.network)) if found else None
        if found is None or address is None:
            raise TryAgainLater(f"load balancer {self.name} has no address in its network yet")
        self.address, self.private_address = found["public_net"]["ipv4"]["ip"], address

    def update(self, cloud: HetznerCloud, actual: LoadBalancer, changes: dict[str, Change]) -> None:
        super().update(cloud, actual, changes)
        identifier = self.id = id_of(actual)
        if changes.keys() <= {"labels"}:
            return
        # It may be the second attempt, after some of the writes.
        found = cloud.get(self.of, identifier)
        if found is None:
            raise KopsError(f"load balancer {self.name} is not there any more: run again to make it")
        now = self._read(found)
        if now.network is None:
            # Before its targets, which it reaches there.
            network = {"network": id_of(self.network)}
            cloud.act(self.of, identifier, "attach_to_network", network, f"attach load balancer {self.name}")
        present = {each.port: each for each in now.services or ()}
        for each in self.services or ():
            if present.get(each.port) != each:
                action = "update_service" if each.port in present else "add_service"
                cloud.act(self.of, identifier, action, _asked(each), f"add port {each.port} to {self.name}")
        if now.target is None:
            cloud.act(self.of, identifier, "add_target", self._target(), f"add the servers of {self.name}")
        self.wait(cloud)

    def deletions(self, cloud: HetznerCloud, actual: LoadBalancer | None) -> list[Deletion]:
        if actual is None:
            return []
        wanted = {each.port for each in self.services or ()}
        found = next((each for each in cloud.once(described, self.of) if each["id"] == actual.id), None)
        extra = [each for each in services_of(found) if each.port not in wanted] if found else []
        return [self._deletion(cloud, id_of(actual), each) for each in extra]

    def _deletion(self, cloud: HetznerCloud, identifier: int, service: Service) -> Deletion:
        doing = f"take port {service.port} from {self.name}"
        run = partial(cloud.act, self.of, identifier, "delete_service", {"listen_port": service.port}, doing)
        item = f"{service.port} of {self.name}"
        return Deletion(self.key, "LoadBalancerService", item, run, deferred=True, reason=_SERVICES_GO)


def services_of(found: Described) -> list[Service]:
    """The services of a load balancer."""
    return [Service(each["listen_port"], each["destination_port"], each["protocol"]) for each in found["services"]]


def targets_of(found: Described) -> list[str]:
    """The label selectors of a load balancer, of servers that it reaches by its network."""
    return [
        str(each[BY_LABELS]["selector"])
        for each in found["targets"]
        if each["type"] == BY_LABELS and each.get("use_private_ip")
    ]


def private_address(found: Described, network: int | None) -> str | None:
    """The address that a server or load balancer has in a network; None if it is not in it, or has none yet."""
    return next((str(each["ip"]) for each in found["private_net"] if each["network"] == network and each["ip"]), None)


def _asked(service: Service) -> dict[str, Any]:
    return {"protocol": service.protocol, "listen_port": service.port, "destination_port": service.to}
