# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node of an instance group shall be, as data: the NodeConfig.

It depends on nothing but the completed specification, so that its hash changes exactly when what a node gets does.
It holds no secret: it lies beside user data in the state store, readable by the nodes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from ...api import codec
from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...completion.node_labels import node_labels

SCHEMA_VERSION = 1


class _ForRoles(Protocol):
    roles: list[str]


Selected = TypeVar("Selected", bound=_ForRoles)


def node_config(cluster: Cluster, group: InstanceGroup, features: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The NodeConfig of a completed group, as plain data with sorted meaning: keys, then lists in the order of use."""
    config = {
        "schemaVersion": SCHEMA_VERSION,
        "cluster": cluster.metadata.name,
        "instanceGroup": group.metadata.name,
        "role": group.spec.role,
        "cloudProvider": cloud_of(cluster).name,
        "kubernetesVersion": cluster.spec.kubernetes_version,
        "updatePolicy": group.spec.update_policy or cluster.spec.update_policy or "automatic",
        "labels": node_labels(cluster, group, features),
        "taints": list(group.spec.taints),
        "kubelet": codec.to_plain(group.spec.kubelet) if group.spec.kubelet else {},
        "kubeProxy": codec.to_plain(cluster.spec.kube_proxy) if cluster.spec.kube_proxy else {},
        "containerd": _containerd(cluster, group),
        "packages": [*cluster.spec.packages, *group.spec.packages],
        "sysctls": [*cluster.spec.sysctl_parameters, *group.spec.sysctl_parameters],
        "hooks": _plain_for_role(group, group.spec.hooks, cluster.spec.hooks),
        "fileAssets": _plain_for_role(group, group.spec.file_assets, cluster.spec.file_assets),
        "volumeMounts": [codec.to_plain(mount) for mount in group.spec.volume_mounts],
        "networking": _networking(cluster),
        "managesTime": cluster.spec.ntp is None or cluster.spec.ntp.managed is not False,
    }
    if group.spec.role in ("ControlPlane", "APIServer"):
        config["apiServer"] = _api_server(cluster)
    if group.spec.role == "ControlPlane":
        config["controlPlane"] = _control_plane(cluster)
    return config


def render(config: dict[str, Any]) -> str:
    """A NodeConfig as the text that is stored and hashed."""
    return json.dumps(config, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def config_hash(text: str) -> str:
    """The hash by which a node knows that the configuration it reads is the one that it shall have."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _plain_for_role(group: InstanceGroup, *sources: Iterable[Selected]) -> list[dict[str, Any]]:
    """Of the group's, then the cluster's entries, those that are for its role; no roles means all."""
    role = group.spec.role
    return [codec.to_plain(entry) for source in sources for entry in source if not entry.roles or role in entry.roles]


def _containerd(cluster: Cluster, group: InstanceGroup) -> dict[str, Any]:
    general, own = cluster.spec.containerd, group.spec.containerd
    merged = codec.merge(general, own) if general and own else own or general
    return codec.to_plain(merged) if merged else {}


def _networking(cluster: Cluster) -> dict[str, Any]:
    """Ranges and the network plug-in's settings: subnets and zones are the cloud's business, not the node's."""
    plain = codec.to_plain(cluster.spec.networking)
    return {key: plain[key] for key in plain if key not in ("subnets", "topology", "networkID", "tagSubnets")}


def _api_server(cluster: Cluster) -> dict[str, Any]:
    spec = cluster.spec
    return {
        "kubeAPIServer": codec.to_plain(spec.kube_api_server) if spec.kube_api_server else {},
        "authentication": codec.to_plain(spec.authentication) if spec.authentication else {},
        "publicName": spec.api.public_name,
        "additionalSANs": list(spec.api.additional_sans),
        "clusterDNSDomain": spec.cluster_dns_domain,
        "encryptsSecrets": bool(spec.encryption_config),
    }


def _control_plane(cluster: Cluster) -> dict[str, Any]:
    spec = cluster.spec
    return {
        "kubeControllerManager": codec.to_plain(spec.kube_controller_manager) if spec.kube_controller_manager else {},
        "kubeScheduler": codec.to_plain(spec.kube_scheduler) if spec.kube_scheduler else {},
        "etcdClusters": [codec.to_plain(etcd) for etcd in spec.etcd_clusters],
    }
