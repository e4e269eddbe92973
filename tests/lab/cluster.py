# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters for the lab's hosts, as kops' manifests: as users behind mirrors write them, and fit for containers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import NoFacts
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import to_data
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.draft import Draft
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import CreateOptions
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.steps.hardening import add_hardening
from ansible_collections.kubeops.kops.tests.lab import binaries, network, servers

API_VERSION = "kops.k8s.io/v1alpha2"
NAME = "lab.example.com"
ZONE = "main"
POD_CIDR, SERVICE_CIDR = "100.96.0.0/11", "100.64.0.0/13"
# Containers of this machine cannot raise limits or lower their OOM score.
MAX_OPEN_FILES = 20000
# All hosts have this machine's disk, which others fill as well: shares of it say nothing about a host.
KUBELET = {
    "evictionHard": "memory.available<100Mi,nodefs.available<1Gi,imagefs.available<1Gi",
    "imageGCHighThresholdPercent": 100,
}


def control_plane_group(index: int) -> str:
    """The name of the group of a control plane's host, from 0; kops has a group for each."""
    return f"control-plane-{'abcdefghi'[index]}"


def etcd_member(index: int) -> str:
    """The name of the etcd member on a control plane's host, from 0."""
    return "abcdefghi"[index]


def manifest(
    name: str = NAME,
    *,
    control_planes: int = 1,
    etcd_members: int | None = None,
    kubernetes: str = binaries.NEWEST,
    api: str = "",
    hardened: bool = False,
    spec: Mapping[str, Any] | None = None,
    nodes: Mapping[str, Any] | None = None,
) -> str:
    """Cluster and instance groups (control-plane-a ..., nodes) as YAML documents.

    etcd_members: on the first so many control planes, all of them if not given. kubernetes: minor version.
    api: the address that users reach the API by; the first host's if not given.
    hardened: with all that create_cluster's option of this name writes.
    spec, nodes: fields of the cluster's specification, and of the nodes' group, to be merged over these.
    """
    members = range(control_planes if etcd_members is None else etcd_members)
    cluster = {
        "apiVersion": API_VERSION,
        "kind": "Cluster",
        # kops' label for bare metal.
        "metadata": {"name": name, "labels": {"alpha.kops.k8s.io/cloud": "metal"}},
        "spec": merged(
            merged(
                _cluster_spec(members, kubernetes, api or network.address("host1")),
                hardened_fields() if hardened else {},
            ),
            spec or {},
        ),
    }
    groups = [_group(name, control_plane_group(index), "ControlPlane", {}) for index in range(control_planes)]
    groups.append(_group(name, "nodes", "Node", nodes or {}))
    return "---\n".join(yaml.safe_dump(document, sort_keys=False) for document in (cluster, *groups))


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings merged at every level; a None takes a field away."""
    result = dict(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(result.get(key), Mapping):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


def hardened_fields() -> dict[str, Any]:
    """The fields of a specification that create_cluster's option "hardened" writes."""
    draft = Draft(CreateOptions(name=NAME, hardened=True), NoFacts(), Settings())
    add_hardening(draft)
    fields: dict[str, Any] = to_data(draft.cluster)["spec"]
    return fields


def fit(document: Mapping[str, Any], kubernetes: str) -> dict[str, Any]:
    """A user's manifest of a cluster with what the lab needs besides. kubernetes: minor version."""
    clusters = [
        {**each, "image": f"registry.k8s.io/etcd:v{binaries.VERSIONS['etcd']}", "version": binaries.VERSIONS["etcd"]}
        for each in document["spec"]["etcdClusters"]
    ]
    return merged(document, {"spec": merged(_own_fields(kubernetes), {"etcdClusters": clusters})})


def _own_fields(kubernetes: str) -> dict[str, Any]:
    """What clusters of the lab need: its downloads and its builds, and what containers cannot do."""
    return {
        "assets": {"containerRegistry": servers.REGISTRY, "fileRepository": servers.FILES},
        "containerd": {
            "version": binaries.VERSIONS["containerd"],
            "runc": {"version": binaries.VERSIONS["runc"]},
            # One mirror for all registries, which also says that the lab's own speaks plain HTTP.
            "registryMirrors": {"*": [f"http://{servers.REGISTRY}"]},
            "configAdditions": {'plugins."io.containerd.cri.v1.runtime".restrict_oom_score_adj': "true"},
        },
        "kubeDNS": {"coreDNSImage": f"registry.k8s.io/coredns/coredns:v{binaries.VERSIONS['coredns']}"},
        # In a container's network namespace this sysctl is read-only.
        "kubeProxy": {"conntrackMaxPerCore": 0},
        "kubelet": KUBELET,
        "kubernetesVersion": binaries.KUBERNETES[kubernetes],
        # The machine keeps the clock; no package can be installed.
        "ntp": {"managed": False},
        "updatePolicy": "external",
    }


def _cluster_spec(members: range, kubernetes: str, api: str) -> dict[str, Any]:
    spec = {
        "api": {},
        "authorization": {"rbac": {}},
        "channel": "stable",
        "etcdClusters": [
            {
                "name": etcd,
                "cpuRequest": "100m",
                "memoryRequest": "100Mi",
                "etcdMembers": [
                    {"name": etcd_member(index), "instanceGroup": control_plane_group(index)} for index in members
                ],
            }
            for etcd in ("main", "events")
        ],
        "kubelet": {"anonymousAuth": False, "maxPods": 110},
        "kubernetesApiAccess": ["0.0.0.0/0"],
        "masterPublicName": api,
        "networking": {"flannel": {"backend": "vxlan"}},
        "nonMasqueradeCIDR": "100.64.0.0/10",
        "sshAccess": ["0.0.0.0/0"],
        "subnets": [{"name": ZONE, "type": "Public", "zone": ZONE}],
        "topology": {"dns": {"type": "None"}},
    }
    fields: dict[str, Any] = fit({"spec": spec}, kubernetes)["spec"]
    return fields


def _group(cluster: str, name: str, role: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": "InstanceGroup",
        "metadata": {"name": name, "labels": {"kops.k8s.io/cluster": cluster}},
        "spec": merged({"role": role, "image": "debian-12", "minSize": 1, "maxSize": 1, "subnets": [ZONE]}, spec),
    }
