# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a load balancer in front of the servers that its label selector chooses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal, sanitize
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, TryAgainLater, computed, internal, unordered
from ..cloud import Described, HetznerCloud, described
from ..kinds import BALANCER
from ..states import name_in
from ._hetzner import HetznerTask, id_of
from .network import Network
from .network_subnet import NetworkSubnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

BY_LABELS = "label_selector"
_TCP, _ALGORITHM = "tcp", {"type": "round_robin"}
# Of what Terraform's provider has resources of its own for.
_NETWORK, _SERVICE, _TARGET = "network", "service", "target"
_SERVICES_GO = "the specification does not have it any more; nodes that run may still connect to it"


@dataclass(frozen=True)
class Service:
    """Where a load balancer takes connections, and where it passes them on to."""

    port: int
    to: int
    protocol: str = _TCP


@dataclass(frozen=True)
class _Part:
    """What Terraform's provider makes by a resource of its own. kind: of part. id: what follows the load balancer's."""

    kind: str
    name: str
    arguments: dict[str, Any]
    id: str


@dataclass(eq=False, repr=False)
class LoadBalancer(HetznerTask):
    """A load balancer, which reaches its servers by the network. target: their label selector.

    type: such as lb11. address, private_address: IPv4; the cloud gives them. there: the names of parts that it has, for
    Terraform, by their kind. after: the subnets of its network.
    """

    network: Network | None = None
    location: str | None = None
    type: str | None = None
    services: list[Service] | None = unordered()
    target: str | None = None
    address: str | None = computed()
    private_address: str | None = computed()
    there: dict[str, list[str]] | None = computed()
    after: list[NetworkSubnet] = internal(default_factory=list)

    of = BALANCER
    resource = "hcloud_load_balancer"
    immutable: ClassVar[frozenset[str]] = frozenset({"location", "type"})

    def find(self, cloud: HetznerCloud) -> LoadBalancer | None:
        found = self.described(cloud)
        return self._read(found) if found else None

    def _read(self, found: Described) -> LoadBalancer:
        wanted = {each.port for each in self.services or ()}
        network = self.network.id if self.network else None
        read = LoadBalancer(
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
        read.there = {
            _NETWORK: [self.name] if read.network else [],
            _SERVICE: [self._service_name(each) for each in read.services or ()],
            _TARGET: [self.name] if read.target else [],
        }
        return read

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

    # -- target terraform ---------------------------------------------------------------------------------------

    def terraform_arguments(self) -> dict[str, Any]:
        return {**super().terraform_arguments(), "load_balancer_type": self.type, "location": self.location}

    def terraform(self, target: TerraformTarget) -> None:
        super().terraform(target)
        for part in self._parts():
            arguments = {"load_balancer_id": self.terraform_link(), **part.arguments}
            target.resource(f"{self.resource}_{part.kind}", part.name, arguments)

    def terraform_imports(self) -> Iterator[Import]:
        yield from super().terraform_imports()
        for part in self._parts():
            if part.name in (self.there or {}).get(part.kind, ()):
                yield Import(f"{self.resource}_{part.kind}", part.name, f"{self.id}{part.id}")

    def _parts(self) -> Iterator[_Part]:
        """What has resources of its own. Terraform needs to be told their order, which kops leaves to chance."""
        network = self.needed(self.network, "is in no network")
        in_network = {
            "network_id": network.terraform_link(),
            "depends_on": [each.terraform_address for each in self.after],
        }
        yield _Part(_NETWORK, self.name, in_network, f"-{network.id}")
        for each in self.services or ():
            ports = {"destination_port": each.to, "listen_port": each.port, "protocol": each.protocol}
            yield _Part(_SERVICE, self._service_name(each), ports, f"__{each.port}")
        attached = Literal(f"{self.resource}_{_NETWORK}.{sanitize(self.name)}")
        chosen = {"type": BY_LABELS, BY_LABELS: self.target, "use_private_ip": True, "depends_on": [attached]}
        yield _Part(_TARGET, self.name, chosen, f"__{BY_LABELS}__{self.target}")

    def _service_name(self, service: Service) -> str:
        return f"{self.name}-{service.protocol}-{service.port}"

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
