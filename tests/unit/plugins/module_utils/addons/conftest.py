# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A completed cluster on bare metal to vary."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster

DATA = {
    "metadata": {"name": "demo.example.com", "labels": {"alpha.kops.k8s.io/cloud": "metal"}},
    "spec": {
        "kubernetesVersion": "1.34.4",
        "kubeDNS": {
            "domain": "cluster.local",
            "serverIP": "100.64.0.10",
            "memoryRequest": "70Mi",
            "cpuRequest": "100m",
            "memoryLimit": "170Mi",
            "nodeLocalDNS": {
                "enabled": False,
                "image": "registry.k8s.io/dns/k8s-dns-node-cache:1.26.0",
                "memoryRequest": "5Mi",
                "cpuRequest": "25m",
            },
        },
        "networking": {
            "nonMasqueradeCIDR": "100.64.0.0/10",
            "topology": {"dns": "None"},
            "flannel": {"backend": "vxlan"},
        },
    },
}


@pytest.fixture
def cluster() -> Cluster:
    return codec.from_plain(Cluster, DATA)
