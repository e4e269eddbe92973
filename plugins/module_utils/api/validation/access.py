# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From where nodes and the API may be reached: CIDRs, and on AWS prefix lists."""

from __future__ import annotations

from ..addresses import check_cidr
from ..clouds import AWS, cloud_of
from ..cluster import Cluster
from .problems import Problems, invalid


def validate_access(cluster: Cluster) -> Problems:
    """sshAccess, kubernetesAPIAccess and nodePortAccess."""
    spec = cluster.spec
    found: Problems = []
    for path, sources in (
        ("spec.sshAccess", spec.ssh_access),
        ("spec.kubernetesAPIAccess", spec.api.access),
        ("spec.nodePortAccess", spec.node_port_access),
    ):
        for index, source in enumerate(sources):
            at = f"{path}[{index}]"
            if not source.startswith("pl-"):
                found += check_cidr(at, source)[1]
            elif cloud_of(cluster) is not AWS:
                found.append(invalid(at, source, "prefix lists (pl-...) exist on AWS only; give a CIDR"))
    return found
