# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What hosts cannot do of a specification is refused before it is stored."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd import EtcdClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.kube_apiserver import KubeAPIServerConfig
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.names import validate_host_names
from ansible_collections.kubeops.kops.plugins.module_utils.base import labels
from ansible_collections.kubeops.kops.plugins.module_utils.model.metal.limits import refused

METAL = {labels.CLOUD: "metal"}


def cluster(public_name: str = "", port: int | None = None, **networking: Any) -> Cluster:
    made = Cluster()
    made.metadata.name = "metal.example.com"
    made.metadata.labels = METAL
    made.spec.api.public_name = public_name
    made.spec.kube_api_server = KubeAPIServerConfig(secure_port=port)
    made.spec.etcd_clusters = [EtcdClusterSpec(name="main")]
    made.spec.networking.non_masquerade_cidr = networking.get("everything", "100.64.0.0/10")
    made.spec.networking.service_cluster_ip_range = networking.get("services", "100.64.0.0/13")
    made.spec.networking.pod_cidr = networking.get("pods", "100.96.0.0/11")
    return made


IPV6 = {"everything": "::/0", "services": "fd00:1::/108", "pods": ""}


@pytest.mark.parametrize(
    ("public_name", "networking", "problem"),
    [
        ("", {}, ""),
        ("api.example.com", {}, ""),
        ("10.0.0.100", {}, ""),
        ("100.128.0.1", {}, ""),
        ("127.0.0.1", {}, "is an address that each host has for itself"),
        ("100.64.0.1", {}, "is in 100.64.0.0/13, the range of Services (spec.networking.serviceClusterIPRange)"),
        ("100.96.0.1", {}, "is in 100.96.0.0/11, the range of pods (spec.networking.podCIDR)"),
        ("10.0.0.300", {}, "is not an address, and no name: the last part of a name is not a number"),
        ("fd00::100", {}, "is an address of IPv6, and the cluster has IPv4"),
        ("fd00::100", IPV6, ""),
        ("fd00:1::9", IPV6, "is in fd00:1::/108, the range of Services (spec.networking.serviceClusterIPRange)"),
        ("10.0.0.100", IPV6, "is an address of IPv4, and the cluster has IPv6"),
    ],
)
def test_where_users_reach_the_api(public_name: str, networking: dict[str, Any], problem: str) -> None:
    made = cluster(public_name, **networking)
    found = [*refused(made, []), *validate_host_names(made)]
    assert [(each.path, each.message) for each in found] == ([("spec.api.publicName", problem)] if problem else [])


@pytest.mark.parametrize(
    ("port", "program"),
    [(None, ""), (443, ""), (6443, ""), (8443, ""), (22, "SSH"), (10250, "the kubelet"), (2380, "etcd main"),
     (4001, "etcd main"), (10259, "kube-scheduler"), (3990, "the health check of the API server")],
)  # fmt: skip
def test_ports_that_other_programs_have(port: int | None, program: str) -> None:
    told = [each.message for each in refused(cluster(port=port), [])]
    expected = f"is the port of {program} on the same host; the usual ones are 443 and 6443"
    assert told == ([expected] if program else [])
