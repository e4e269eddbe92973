# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: the load balancer of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ....engine.targets.hcl import Block
from ....engine.task import Change, computed, unordered
from ..cloud import Described, DigitalOceanCloud
from ..kinds import BALANCER
from ..ownership import refuse_lookalikes, serves_api
from ..states import COMING, ERRORED
from ._digitalocean import SettlingTask, id_of, refer
from .vpc import VPC

_API, _PLAIN, _JOINING = 443, 80, 3988


def _passed(protocol: str, port: int) -> dict[str, Any]:
    """A rule that leaves TLS to the control planes."""
    entry = {"entry_protocol": protocol, "entry_port": port, "target_protocol": protocol, "target_port": port}
    return {**entry, "tls_passthrough": protocol == "https"}


def _rules() -> list[dict[str, Any]]:
    """Those of kops."""
    return [_passed("https", _API), _passed("http", _PLAIN), _passed("https", _JOINING)]


def _check() -> dict[str, Any]:
    """As kops asks control planes."""
    return {
        "protocol": "tcp",
        "port": _API,
        "check_interval_seconds": 60,
        "response_timeout_seconds": 5,
        "unhealthy_threshold": 3,
        "healthy_threshold": 5,
    }


@dataclass(eq=False, repr=False)
class LoadBalancer(SettlingTask):
    """A load balancer. region: slug. vpc: None is the region's own. droplet_tag: of the droplets behind it.

    forwarding_rules, health_check: in the words of the API. address: is there once it is made.
    """

    region: str | None = None
    vpc: VPC | None = None
    droplet_tag: str | None = None
    forwarding_rules: list[dict[str, Any]] | None = unordered(default_factory=_rules)
    health_check: dict[str, Any] | None = field(default_factory=_check)
    address: str | None = computed()

    of = BALANCER
    resource = "digitalocean_loadbalancer"
    coming = frozenset({COMING})
    failed = frozenset({ERRORED})
    immutable: ClassVar[frozenset[str]] = frozenset({"region", "vpc"})

    def find(self, cloud: DigitalOceanCloud) -> LoadBalancer | None:
        refuse_lookalikes(cloud)
        found = self.named(cloud)
        if found is None:
            return None
        if not serves_api(found, cloud.cluster_name):
            raise self.not_own()
        return LoadBalancer(
            self.name,
            id=str(found["id"]),
            state=self.state_of(found),
            region=str(found["region"]["slug"]),
            vpc=refer(VPC, found.get("vpc_uuid")),
            # Capitals are those of whoever used the tag first.
            droplet_tag=self.droplet_tag,
            forwarding_rules=[_like(_passed("", 0), each) for each in found["forwarding_rules"]],
            health_check=_like(self.health_check or {}, found.get("health_check") or {}),
            address=str(found["ip"]) if found.get("ip") else None,
        )

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "region": self.region,
            "tag": self.droplet_tag,
            "vpc_uuid": id_of(self.vpc) if self.vpc else None,
            "forwarding_rules": self.forwarding_rules,
            "health_check": self.health_check,
        }

    def take(self, made: Described) -> None:
        super().take(made)
        self.address = str(made["ip"]) if made.get("ip") else None

    def update(self, cloud: DigitalOceanCloud, actual: LoadBalancer, changes: dict[str, Change]) -> None:
        self.wait(cloud)
        if changes.keys() - {"state"}:
            # Whatever is not said again would become what it is for new ones.
            now = cloud.get(self.of, id_of(actual)) or {}
            kept = {key: now[key] for key in _KEPT if now.get(key) is not None}
            wanted = {key: value for key, value in self.request(cloud).items() if value is not None}
            cloud.change(self.of, id_of(actual), {**kept, **wanted})

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "droplet_tag": self.droplet_tag,
            "forwarding_rule": [Block(each) for each in self.forwarding_rules or ()],
            "healthcheck": Block(self.health_check or {}),
            "name": self.name,
            "region": self.region,
            "vpc_uuid": self.vpc.terraform_link() if self.vpc else None,
        }


# What others may have set.
_KEPT = (
    "size_unit",
    "sticky_sessions",
    "redirect_http_to_https",
    "enable_proxy_protocol",
    "enable_backend_keepalive",
    "http_idle_timeout_seconds",
    "firewall",
    "vpc_uuid",
    "project_id",
)


def _like(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the same things."""
    return {key: found.get(key) for key in wanted}
