# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is particular to clusters on GCE: names without dots, and pods on alias ranges."""

from __future__ import annotations

from ...api.cloud_names import safe_cluster_name, truncate
from ...api.cluster import Cluster

_TAG_LENGTH = 63


def uses_ip_aliases(cluster: Cluster) -> bool:
    """True if pods get addresses of the cloud's own network, by alias ranges of the subnet."""
    return cluster.spec.networking.gcp is not None or cluster.spec.networking.kindnet is not None


def role_tag(cluster_name: str, role: str) -> str:
    """The network tag of the instances of a role ("control-plane", "node", "bastion")."""
    suffix = f"-k8s-io-role-{role}"
    return truncate(safe_cluster_name(cluster_name), _TAG_LENGTH - len(suffix)) + suffix
