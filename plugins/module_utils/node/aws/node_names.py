# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The name that EC2 makes of an instance's address, for clusters that do not name nodes by their instance's id."""

from __future__ import annotations

from ...base.errors import KopsError
from .api import AWS

_OLDEST_REGION = "us-east-1"


def name_by_address(address: str, region: str) -> str:
    """``ip-10-0-0-7.eu-west-1.compute.internal``. Source: PrivateDNSName of kops (pkg/bootstrap/awsbootstrap)."""
    domain = "ec2.internal" if region == _OLDEST_REGION else f"{region}.compute.internal"
    return f"ip-{address.replace('.', '-')}.{domain}"


def own_name(aws: AWS, instance: str, address: str) -> str:
    """That of this instance. Raises KopsError if it has been launched with a name of the other kind.

    Such a name stays for the instance's life, and the node would not have the name of its machine.
    """
    host = aws.find("meta-data/local-hostname")
    if host.startswith(instance):
        raise KopsError(
            f"nodes are named by address (useIPBasedNodeNames), but this instance was launched with the name {host}; "
            "its subnet must give names by address"
        )
    return name_by_address(address, aws.region)
