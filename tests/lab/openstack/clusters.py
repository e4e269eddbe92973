# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters for the lab's OpenStack."""

from __future__ import annotations

from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters
from ansible_collections.kubeops.kops.tests.lab.openstack import account
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import EXTERNAL, FLAVOR, IMAGE

# A zone has one hypervisor.
_TOGETHER = {"openstack.kops.io/serverGroupAffinity": "soft-anti-affinity"}


def manifest(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> str:
    """Cluster and instance groups as YAML documents; options and spec as clusters.manifest of AWS takes them."""
    given = {
        "state_store": account.STORE,
        "cloud": "openstack",
        "zones": [account.ZONES[0]],
        "network_cidr": ["172.20.0.0/16"],
        "os_ext_net": EXTERNAL,
        "os_octavia": True,
        "api_loadbalancer_type": "public",
        "topology": "private",
        "image": IMAGE,
        "node_size": [FLAVOR],
        "control_plane_size": [FLAVOR],
        **(options or {}),
    }
    documents = list(yaml.safe_load_all(clusters.made(given, environment(), spec or {})))
    for document in documents:
        if document["kind"] == "InstanceGroup":
            document["metadata"].setdefault("annotations", {}).update(_TOGETHER)
    return "---\n".join(yaml.safe_dump(document, sort_keys=False) for document in documents)


def environment() -> dict[str, str]:
    """What a controller has in its environment."""
    return {**account.environment(), **running.environment(), "KOPS_CLUSTER_NAME": clusters.NAME}
