# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a firewall rule, which lets traffic into the instances that carry a network tag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Block
from ....engine.task import internal, unordered
from ._google import GoogleTask
from .network import Network

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False)
class FirewallRule(GoogleTask):
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

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_firewall",
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
