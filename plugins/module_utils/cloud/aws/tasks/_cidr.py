# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Address blocks: one spelling for comparisons, and kops' short form for IPv6 subnets."""

from __future__ import annotations

import ipaddress
import re

from ....base.errors import KopsError

# "/64#1a": the subnet number 1a (hexadecimal) of that prefix length in the VPC's IPv6 block.
NUMBERED = re.compile(r"/(\d+)#([a-f0-9]+)")


def canonical(cidr: str | None) -> str | None:
    """The block as AWS writes it: without host bits, IPv6 compressed and in lower case."""
    if cidr is None:
        return None
    try:
        return str(ipaddress.ip_network(cidr, strict=False))
    except ValueError:
        return cidr


def numbered_subnet(cidr: str) -> tuple[int, int]:
    """Prefix length and number of a block like "/64#1a". Raises KopsError for anything else."""
    match = NUMBERED.fullmatch(cidr)
    if match is None:
        raise KopsError(f"{cidr!r} is no IPv6 subnet: write a block, or /<prefix length>#<number in hexadecimal>")
    return int(match[1]), int(match[2], 16)


def subnet_of(parent: str, cidr: str) -> str:
    """The IPv6 block that cidr means inside parent; a block that is written out stays as it is.

    Raises KopsError when the parent has no subnet of that length and number.
    """
    if not cidr.startswith("/"):
        return str(canonical(cidr))
    length, number = numbered_subnet(cidr)
    block = ipaddress.IPv6Network(parent, strict=False)
    if not block.prefixlen <= length <= block.max_prefixlen or number >= 1 << (length - block.prefixlen):
        raise KopsError(f"the VPC's IPv6 block {parent} has no subnet {cidr}")
    first = int(block.network_address) + (number << (block.max_prefixlen - length))
    return str(ipaddress.IPv6Network((first, length)))
