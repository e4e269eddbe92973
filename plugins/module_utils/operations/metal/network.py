# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters whose hosts would have no network of pods: refused before anything of them is stored or applied."""

from __future__ import annotations

from ...addons.networks import OWN, available_networks, unavailable_network
from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...base.errors import FieldError


def problems_of_network(cluster: Cluster, *, path: str = "spec.networking") -> list[FieldError]:
    """The network of a cluster on hosts, if it gives pods no network there; none for a cluster of instances.

    path: where the network is chosen.
    """
    cloud = cloud_of(cluster)
    if not cloud.has_hosts:
        return []
    network = unavailable_network(cluster)
    if not network:
        return []
    others = [each for each in available_networks(cloud) if each != OWN]
    message = (
        f"{network} is not available on {cloud.title}, so pods would have no network; choose {', '.join(others)},"
        f" or {OWN} for a network that you install yourself"
    )
    return [FieldError("NotSupported", path, message)]
