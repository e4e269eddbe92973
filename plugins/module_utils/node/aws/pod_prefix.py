# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The IPv6 prefix of an instance, from which its pods get their addresses in clusters with IPv6 only.

As in kops (nodetasks/prefix.go), the instance assigns it to its first network interface by itself. The leader of the
control planes reads it there, and makes it the range of the node.
"""

from __future__ import annotations

from ...base.errors import KopsError
from .api import AWS

# What is not assigned while nothing may be changed.
_NONE_YET = "none yet"


def pod_prefix(aws: AWS, *, check: bool = False) -> str:
    """The prefix, which is assigned if there is none; check: only looked for. Raises KopsError."""
    place = f"meta-data/network/interfaces/macs/{aws.told('meta-data/mac').strip()}"
    there = aws.find(f"{place}/ipv6-prefix").split()
    if there:
        return there[0]
    if check:
        return _NONE_YET
    interface = aws.told(f"{place}/interface-id").strip()
    request = {"NetworkInterfaceId": interface, "Ipv6PrefixCount": "1"}
    assigned = aws.call("ec2", "AssignIpv6Addresses", request).findtext("assignedIpv6PrefixSet/item")
    if not assigned:
        raise KopsError(f"EC2 has assigned no IPv6 prefix to network interface {interface}")
    return assigned
