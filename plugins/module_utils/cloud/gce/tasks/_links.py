# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where networks and subnetworks are, which can be of the project that shares its network with the cluster's."""

from __future__ import annotations

from ..cloud import GCECloud
from ..identifiers import url_of
from .network import Network
from .subnet import Subnet


def network_path(cloud: GCECloud, network: Network) -> str:
    """Path of a network in the API."""
    return f"{network.project or cloud.project}/global/networks/{network.name}"


def subnet_path(cloud: GCECloud, subnet: Subnet) -> str:
    """Path of a subnetwork in the API: it is in the project of its network."""
    project = subnet.network.project if subnet.network else None
    return f"{project or cloud.project}/regions/{cloud.region}/subnetworks/{subnet.name}"


def network_url(cloud: GCECloud, network: Network) -> str:
    """By which other objects refer to a network."""
    return url_of(network_path(cloud, network))


def subnet_url(cloud: GCECloud, subnet: Subnet) -> str:
    """By which other objects refer to a subnetwork."""
    return url_of(subnet_path(cloud, subnet))
