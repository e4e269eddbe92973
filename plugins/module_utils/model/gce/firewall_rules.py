# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds firewall rules of both address families: in Google Cloud a rule is of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...cloud.gce.tasks.firewall_rule import FirewallRule
from ..context import ModelContext
from . import names, network

IPV4, IPV6 = "ipv4", "ipv6"
EVERYWHERE = {IPV4: "0.0.0.0/0", IPV6: "::/0"}
ICMP = "icmp"
# ICMP for IPv6 has no name in firewall rules, only its number.
ICMP_V6 = "58"


def add(
    context: ModelContext,
    name: str,
    *,
    targets: Sequence[str],
    allowed: Sequence[str],
    tags: Sequence[str] = (),
    ranges: Sequence[str] = (),
    family: str | None = None,
) -> None:
    """One rule, for sources of one family: instances with tags, or address ranges."""
    context.add(
        FirewallRule(
            names.suffixed(name, context.name),
            context.layers.security,
            family=family,
            network=network.network_of(context),
            source_tags=list(tags),
            source_ranges=list(ranges),
            target_tags=list(targets),
            allowed=list(allowed),
        )
    )


def add_pair(
    context: ModelContext,
    name: str,
    *,
    targets: Sequence[str],
    allowed: Sequence[str],
    tags: Sequence[str] = (),
    ranges: Iterable[str] = (),
) -> None:
    """A rule for IPv4 and one for IPv6, so that both are there and either can be changed.

    A family without sources has a rule that is disabled: without any source, Google would let in everybody.
    """
    chosen = list(ranges)
    for family, suffix in ((IPV4, ""), (IPV6, "-ipv6")):
        own = [] if tags else [cidr for cidr in chosen if (":" in cidr) == (family == IPV6)]
        disabled = not tags and not own
        context.add(
            FirewallRule(
                names.suffixed(name + suffix, context.name),
                context.layers.security,
                family=family,
                network=network.network_of(context),
                source_tags=list(tags),
                source_ranges=[EVERYWHERE[family]] if disabled else own,
                target_tags=list(targets),
                allowed=[ICMP_V6 if family == IPV6 and protocol == ICMP else protocol for protocol in allowed],
                disabled=disabled,
            )
        )
