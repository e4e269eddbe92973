# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters for the lab's project of Hetzner Cloud."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, network
from ansible_collections.kubeops.kops.tests.lab.hetzner import account


def manifest(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> str:
    """Cluster and instance groups as YAML documents; options and spec as clusters.manifest of AWS takes them."""
    given = {
        "state_store": account.STORE,
        "cloud": "hetzner",
        "zones": [account.LOCATIONS[0]],
        "network_cidr": [network.BRIDGE.subnet],
        **(options or {}),
    }
    return clusters.made(given, environment(), spec or {})


def environment() -> dict[str, str]:
    """What a controller has in its environment."""
    return {**account.environment(), **running.environment(), "KOPS_CLUSTER_NAME": clusters.NAME}
