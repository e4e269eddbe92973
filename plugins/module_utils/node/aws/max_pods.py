# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pods an instance takes whose pods have addresses of the VPC: as many as its interfaces have addresses for.

Source: kubelet.go of nodeup.
"""

from __future__ import annotations

from ...base.errors import KopsError
from .api import AWS

# The kubelet's own default.
_MOST = 110


def max_pods(aws: AWS) -> int:
    """For the type of this instance, which may be any of its group's. Raises KopsError."""
    name = aws.told("meta-data/instance-type")
    answer = aws.call("ec2", "DescribeInstanceTypes", {"InstanceType.1": name})
    described = answer.find("instanceTypeSet/item")
    if described is None:
        raise KopsError(f"EC2 does not know the type of this instance, {name}")
    interfaces = int(described.findtext("networkInfo/maximumNetworkInterfaces") or 0)
    addresses = int(described.findtext("networkInfo/ipv4AddressesPerInterface") or 0)
    if not interfaces or not addresses:
        return _MOST
    # The first address of each interface is the machine's; two pods on it use the machine's own network.
    return min(_MOST, interfaces * (addresses - 1) + 2)
