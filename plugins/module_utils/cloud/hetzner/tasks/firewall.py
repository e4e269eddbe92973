# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a firewall, which says what reaches the servers that its label selector chooses."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....engine.targets.hcl import Block
from ....engine.task import Change, unordered
from ..cloud import Described, HetznerCloud
from ..kinds import FIREWALL
from ._hetzner import HetznerTask, id_of

IN = "in"
_BY_LABELS = "label_selector"


@dataclass(frozen=True)
class FirewallRule:
    """What comes in. protocol: tcp, udp, icmp ... port: one, or a range with a hyphen.

    sources: networks, however they are written: the cloud keeps them without bits of hosts, and in any order.
    """

    protocol: str
    port: str | None = None
    sources: tuple[str, ...] = ()
    direction: str = IN

    def __post_init__(self) -> None:
        networks = {str(ipaddress.ip_network(each, strict=False)) for each in self.sources}
        object.__setattr__(self, "sources", tuple(sorted(networks)))


@dataclass(eq=False, repr=False)
class Firewall(HetznerTask):
    """A firewall. selector: the label selector of its servers; it may be applied to others, too."""

    selector: str | None = None
    rules: list[FirewallRule] | None = unordered()

    of = FIREWALL
    resource = "hcloud_firewall"

    def find(self, cloud: HetznerCloud) -> Firewall | None:
        found = self.described(cloud)
        if found is None:
            return None
        selectors = selectors_of(found)
        return Firewall(
            self.name,
            id=found["id"],
            labels=self.own_labels(found),
            selector=self.selector if self.selector in selectors else next(iter(selectors), None),
            rules=[_rule(each) for each in found["rules"]],
        )

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        return {**super().request(cloud), "rules": self._rules(), "apply_to": [_selected(self.selector)]}

    def update(self, cloud: HetznerCloud, actual: Firewall, changes: dict[str, Change]) -> None:
        super().update(cloud, actual, changes)
        identifier = id_of(actual)
        if "rules" in changes:
            rules = {"rules": self._rules()}
            cloud.act(self.of, identifier, "set_rules", rules, f"set the rules of firewall {self.name}")
        if "selector" in changes:
            # A selector that was another's stays: it may be the user's.
            resources = {"apply_to": [_selected(self.selector)]}
            cloud.act(self.of, identifier, "apply_to_resources", resources, f"apply firewall {self.name}")

    def _rules(self) -> list[dict[str, Any]]:
        return [_as_asked(each) for each in self.rules or ()]

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            **super().terraform_arguments(),
            "apply_to": Block({_BY_LABELS: self.selector}),
            "rule": [Block(each) for each in self._rules()],
        }


def selectors_of(found: Described) -> list[str]:
    """The label selectors that a firewall is applied by."""
    return [str(each[_BY_LABELS]["selector"]) for each in found["applied_to"] if each["type"] == _BY_LABELS]


def _selected(selector: str | None) -> dict[str, Any]:
    return {"type": _BY_LABELS, _BY_LABELS: {"selector": selector}}


def _rule(found: Mapping[str, Any]) -> FirewallRule:
    networks = found["source_ips"] if found["direction"] == IN else found["destination_ips"]
    return FirewallRule(found["protocol"], found.get("port"), tuple(networks), found["direction"])


def _as_asked(rule: FirewallRule) -> dict[str, Any]:
    networks = "source_ips" if rule.direction == IN else "destination_ips"
    asked = {"direction": rule.direction, "protocol": rule.protocol, networks: list(rule.sources)}
    return {**asked, "port": rule.port} if rule.port else asked
