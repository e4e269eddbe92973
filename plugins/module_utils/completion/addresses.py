# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of addresses in a cluster's spec."""

from __future__ import annotations

from ..api.addresses import Network, parse_cidr
from ..api.cluster import ClusterSpec
from .problems import invalid


def parse_network(path: str, text: str | None) -> Network:
    """The range that the field at path holds; raises ValidationError naming the field if it is none."""
    network = parse_cidr(text or "")
    if network is None:
        raise invalid(path, "must be a range of addresses such as 10.0.0.0/16", text)
    return network


def service_address(spec: ClusterSpec, index: int) -> str:
    """The address at that index of the service range; raises ValidationError if the range is not set or malformed."""
    network = parse_network("spec.networking.serviceClusterIPRange", spec.networking.service_cluster_ip_range)
    return str(network.network_address + index)
