# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters for the lab's project of Google Cloud."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.tests.lab import cluster, running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters
from ansible_collections.kubeops.kops.tests.lab.google import account

# Of the lab's bridge.
_SUBNET = "172.20.16.0/20"
# The driver of disks is built for the tests that use it.
_FIELDS = {"cloudConfig": {"gcpPDCSIDriver": {"enabled": False}}}


def manifest(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> str:
    """Cluster and instance groups as YAML documents; options and spec as clusters.manifest of AWS takes them."""
    given = {
        "state_store": account.STORE,
        "cloud": "gce",
        "project": account.PROJECT,
        "zones": [account.ZONES[0]],
        **(options or {}),
    }
    subnets = [{"name": account.REGION, "region": account.REGION, "cidr": _SUBNET, "type": "Public"}]
    return clusters.made(given, environment(), cluster.merged({**_FIELDS, "subnets": subnets}, spec or {}))


def environment() -> dict[str, str]:
    """What a controller has in its environment."""
    return {**account.environment(), **running.environment(), "KOPS_CLUSTER_NAME": clusters.NAME}
