# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters for the lab's account of DigitalOcean."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.tests.lab import cluster, running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, network
from ansible_collections.kubeops.kops.tests.lab.digitalocean import account


def manifest(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> str:
    """Cluster and instance groups as YAML documents; options and spec as clusters.manifest of AWS takes them."""
    given = {
        "state_store": account.STORE,
        "cloud": "digitalocean",
        "zones": [account.REGIONS[0]],
        "network_cidr": [network.BRIDGE.subnet],
        **(options or {}),
    }
    assets = {"assets": {"fileRepository": account.CENTRE.ready.read_text()}}
    return clusters.made(given, environment(), cluster.merged(assets, spec or {}))


def environment() -> dict[str, str]:
    """What a controller has in its environment."""
    return {**account.environment(), **running.environment(), "KOPS_CLUSTER_NAME": clusters.NAME}
