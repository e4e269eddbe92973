# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a firewall rule, which lets traffic into the instances that carry a network tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.hcl import Block
from ....engine.task import Change, internal, unordered
from ..cloud import GCECloud
from ..ownership import mark
from ..resources.listing import BY_NAME, FIREWALL
from ._compute import ComputeTask, given, refer
from .network import Network

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class FirewallRule(ComputeTask):
    """A rule; its task name is its name.

    Either source_tags or source_ranges; the ranges are all of the address family ("ipv4", "ipv6").
    target_tags: whom it lets in to. allowed: "<protocol>" or "<protocol>:<port or ports>", as "tcp:443".
    disabled: the rule is there and lets nothing in: without any source, Google would let in everybody.
    """

    family: str | None = internal()
    network: Network | None = None
    source_tags: list[str] | None = unordered()
    source_ranges: list[str] | None = unordered()
    target_tags: list[str] | None = unordered()
    allowed: list[str] | None = unordered()
    disabled: bool = False

    of = BY_NAME[FIREWALL]
    resource = "google_compute_firewall"
    immutable: ClassVar[frozenset[str]] = frozenset({"network"})

    def find(self, cloud: GCECloud) -> FirewallRule | None:
        found = self.described(cloud)
        if found is None:
            return None
        return FirewallRule(
            self.name,
            network=refer(found.get("network"), self.network, lambda each: each.path(cloud), Network),
            source_tags=list(found.get("sourceTags") or ()),
            source_ranges=list(found.get("sourceRanges") or ()),
            target_tags=list(found.get("targetTags") or ()),
            allowed=list(_texts(found.get("allowed") or ())),
            disabled=bool(found.get("disabled")),
        )

    def create(self, cloud: GCECloud) -> None:
        self.insert(cloud, **self._properties(cloud))

    def update(self, cloud: GCECloud, actual: FirewallRule, changes: dict[str, Change]) -> None:
        # Replaced as a whole: in a patch, no sources would mean that they stay.
        described = {"name": self.name, "description": mark(cloud), **given(self._properties(cloud))}
        cloud.replace(self.path(cloud), described)

    def _properties(self, cloud: GCECloud) -> dict[str, Any]:
        return {
            "network": self.needed(self.network, "is in no network").url(cloud),
            "sourceTags": self.source_tags or None,
            "sourceRanges": self.source_ranges or None,
            "targetTags": self.target_tags or None,
            "allowed": [_allowed(text) for text in self.allowed or ()],
            "disabled": self.disabled,
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            self.resource,
            self.name,
            {
                "allow": [_allow(text) for text in self.allowed or ()],
                "disabled": self.disabled,
                "name": self.name,
                "network": self.network.terraform_link() if self.network else None,
                "source_ranges": self.source_ranges,
                "source_tags": self.source_tags,
                "target_tags": self.target_tags,
            },
        )


def _allow(text: str) -> Block:
    protocol, _colon, port = text.partition(":")
    return Block(ports=[port] if port else None, protocol=protocol)


def _allowed(text: str) -> dict[str, Any]:
    protocol, _colon, port = text.partition(":")
    return {"IPProtocol": protocol, **({"ports": [port]} if port else {})}


def _texts(allowed: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for each in allowed:
        ports = each.get("ports") or ()
        yield from (f"{each['IPProtocol']}:{port}" for port in ports)
        if not ports:
            yield str(each["IPProtocol"])
