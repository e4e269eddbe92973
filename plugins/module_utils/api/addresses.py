# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IP addresses and networks, parsed as strictly as in kops: no host bits, no netmasks, no zone ids."""

from __future__ import annotations

import ipaddress
import re
from typing import Union

from .validation.problems import Problems, invalid

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]
Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]

_CIDR = re.compile(r"([0-9A-Fa-f.:]+)/([0-9]+)")


def parse_address(text: str) -> Address | None:
    """The IP address in the text; None if it is not one."""
    try:
        return None if "%" in text else ipaddress.ip_address(text)
    except ValueError:
        return None


def parse_cidr(text: str) -> Network | None:
    """The network of ``address/prefix`` without its host bits; None if the text is not one."""
    found = _CIDR.fullmatch(text)
    if not found:
        return None
    try:
        return ipaddress.ip_network((found.group(1), int(found.group(2))), strict=False)
    except ValueError:
        return None


def check_cidr(path: str, text: str) -> tuple[Network | None, Problems]:
    """Parse a CIDR. Returns the network (None if it is not valid) and the errors."""
    network = parse_cidr(text)
    if network is None:
        return None, [invalid(path, text, f"is not a CIDR{_cidr_hint(text)}")]
    if parse_address(text.partition("/")[0]) != network.network_address:
        return network, [invalid(path, text, f"has bits set beyond the prefix; did you mean {network}?")]
    return network, []


def _cidr_hint(text: str) -> str:
    address = parse_address(text)
    if address is None:
        return "; write address/prefix, for example 172.20.0.0/16 or 2001:db8::/64"
    return f"; did you mean {text}/{32 if address.version == 4 else 64}?"


def overlap(first: Network | None, second: Network | None) -> bool:
    """Whether two networks overlap. False if one of them is None."""
    return first is not None and second is not None and first.version == second.version and first.overlaps(second)


def belongs_to(parent: Network, child: Network) -> bool:
    """Whether child lies within parent."""
    return parent.version == child.version and child.subnet_of(parent)  # type: ignore[arg-type]
