# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: a firewall, which says what reaches the droplets that have its tag. Those of several add up."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....engine.task import Change, unordered
from ..cloud import DigitalOceanCloud
from ..kinds import FIREWALL
from ..ownership import guards, refuse_lookalikes
from ._digitalocean import READY, DigitalOceanTask, id_of, refer
from .load_balancer import LoadBalancer

TCP, UDP, ICMP = "tcp", "udp", "icmp"
# All that firewalls of DigitalOcean know: nothing else passes them.
PROTOCOLS = (TCP, UDP, ICMP)
WORLD = ("0.0.0.0/0", "::/0")
_ALL_PORTS, _FAILED = "0", "failed"


@dataclass(frozen=True)
class FirewallRule:
    """What passes. protocol: one of PROTOCOLS. ports: one, a range with a hyphen, or "0" for all.

    networks: whence, or where to, however they are written. balanced: from the load balancer.
    """

    protocol: str
    ports: str = _ALL_PORTS
    networks: tuple[str, ...] = ()
    balanced: bool = False

    def __post_init__(self) -> None:
        networks = {str(ipaddress.ip_network(each, strict=False)) for each in self.networks}
        object.__setattr__(self, "networks", tuple(sorted(networks)))


def everything(networks: Iterable[str]) -> list[FirewallRule]:
    """Rules for all that firewalls know."""
    return [FirewallRule(each, networks=tuple(networks)) for each in PROTOCOLS]


def _outbound() -> list[FirewallRule]:
    return everything(WORLD)


@dataclass(eq=False, repr=False)
class Firewall(DigitalOceanTask):
    """A firewall. droplet_tag: of its droplets. balancer: the one that rules mean. state: READY, or "failed"."""

    droplet_tag: str | None = None
    balancer: LoadBalancer | None = None
    inbound: list[FirewallRule] | None = unordered()
    outbound: list[FirewallRule] | None = unordered(default_factory=_outbound)
    state: str | None = READY

    of = FIREWALL

    def find(self, cloud: DigitalOceanCloud) -> Firewall | None:
        refuse_lookalikes(cloud)
        found = self.named(cloud)
        if found is None:
            return None
        if not guards(found, cloud.cluster_name):
            raise self.not_own()
        inbound = found.get("inbound_rules") or ()
        balancers = [uid for each in inbound for uid in each["sources"].get("load_balancer_uids") or ()]
        return Firewall(
            self.name,
            id=str(found["id"]),
            # Capitals are those of whoever used the tag first.
            droplet_tag=self.droplet_tag,
            balancer=refer(LoadBalancer, next(iter(balancers), None)),
            inbound=[_rule(each, "sources") for each in inbound],
            outbound=[_rule(each, "destinations") for each in found.get("outbound_rules") or ()],
            # It waits each time that a droplet comes or goes.
            state=_FAILED if found.get("status") == _FAILED else READY,
        )

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "inbound_rules": [self._as_asked(each, "sources") for each in self.inbound or ()],
            "outbound_rules": [self._as_asked(each, "destinations") for each in self.outbound or ()],
            "tags": [self.droplet_tag],
        }

    def create(self, cloud: DigitalOceanCloud) -> None:
        # Firewalls take only tags that are there.
        cloud.make_tag(str(self.droplet_tag))
        super().create(cloud)

    def update(self, cloud: DigitalOceanCloud, actual: Firewall, changes: dict[str, Change]) -> None:
        # Whatever is not said again is gone; droplets and tags beside the cluster's are the user's.
        now = cloud.get(self.of, id_of(actual)) or {}
        kept = {key: now[key] for key in ("droplet_ids", "tags") if now.get(key)}
        cloud.change(self.of, id_of(actual), {**self.request(cloud), **kept})

    def _as_asked(self, rule: FirewallRule, way: str) -> dict[str, Any]:
        ends: dict[str, Any] = {"addresses": list(rule.networks)} if rule.networks else {}
        if rule.balanced:
            ends["load_balancer_uids"] = [id_of(self.balancer)]
        return {"protocol": rule.protocol, "ports": rule.ports, way: ends}


def _rule(found: Mapping[str, Any], way: str) -> FirewallRule:
    ends = found.get(way) or {}
    return FirewallRule(
        str(found["protocol"]),
        str(found.get("ports") or _ALL_PORTS),
        tuple(ends.get("addresses") or ()),
        bool(ends.get("load_balancer_uids")),
    )
