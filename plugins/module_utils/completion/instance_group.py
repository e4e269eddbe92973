# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From an instance group that a user wrote to one that leaves nothing open: a pure function.

Source: upup/pkg/fi/cloudup/populate_instancegroup_spec.go of kops.
"""

from __future__ import annotations

from ..api import codec
from ..api.clouds import AWS, OPENSTACK, cloud_of
from ..api.cluster import Cluster
from ..api.containerd import ContainerdConfig
from ..api.facts import CloudFacts
from ..api.instance_group import InstanceGroup
from ..api.kubelet import KubeletConfigSpec
from .filling import fill
from .group_defaults import default_image, default_machine_type, default_size, default_subnets
from .node_labels import API_SERVER_ROLE, CONTROL_PLANE_ROLE, node_labels
from .problems import invalid, not_found, required
from .settings import Settings

_GPU_LABEL, _GPU_TAINT = "kops.k8s.io/gpu", "nvidia.com/gpu"
_GVISOR_LABEL = "kops.k8s.io/gvisor"
# A taint without a value still needs its "=", or the kubelet refuses it.
_ROLE_TAINTS = {"ControlPlane": f"{CONTROL_PLANE_ROLE}=:NoSchedule", "APIServer": f"{API_SERVER_ROLE}=:NoSchedule"}
# Karpenter takes this away once it knows the node that has registered.
_KARPENTER_TAINT = "karpenter.sh/unregistered=:NoExecute"
# Roles that are experiments, and the feature flag of each.
_EXPERIMENTAL_ROLES = {
    "APIServer": "APIServerNodes",
    "Etcd": "ExperimentalRoles",
    "Scheduler": "ExperimentalRoles",
    "KubeControllerManager": "ExperimentalRoles",
}
# Machine types of AWS that cannot have hosts of their own.
_NEVER_DEDICATED = ("t2.nano", "t2.micro", "t2.small", "t2.medium", "t2.large", "t2.xlarge")


def complete_instance_group(
    cluster: Cluster, group: InstanceGroup, *, facts: CloudFacts, settings: Settings
) -> InstanceGroup:
    """The completed group; what is given stays as it is.

    cluster: the completed cluster that the group belongs to.
    Raises ValidationError where something cannot be inferred or contradicts the cloud.
    """
    completed = codec.merge(InstanceGroup(), group)
    spec = completed.spec
    subject = f"instance group {group.metadata.name}"
    flag = _EXPERIMENTAL_ROLES.get(spec.role or "")
    if flag and flag not in settings.feature_flags:
        raise invalid("spec.role", f"needs the feature flag {flag}", spec.role, subject=subject)
    if not spec.machine_type:
        spec.machine_type = default_machine_type(cluster, completed, facts=facts)
    size = default_size(completed)
    if size is not None:
        fill(spec, min_size=size, max_size=size)
    if not spec.image:
        spec.image = default_image(cluster, completed, facts=facts, settings=settings)
    if spec.tenancy not in (None, "default") and cloud_of(cluster) is AWS and spec.machine_type in _NEVER_DEDICATED:
        raise invalid("spec.tenancy", f"{spec.machine_type} has no hosts of its own", spec.tenancy, subject=subject)
    if not spec.subnets:
        spec.subnets = default_subnets(cluster, completed)
        if not spec.subnets:
            raise required("spec.subnets", "must be given, none can be inferred", subject=subject)
    if _has_gpu(cluster, completed, facts):
        spec.node_labels[_GPU_LABEL] = "1"
        if not any(taint.startswith(_GPU_TAINT) for taint in spec.taints):
            spec.taints.append(f"{_GPU_TAINT}:NoSchedule")
    if spec.role == "Node" and spec.containerd and spec.containerd.gvisor and spec.containerd.gvisor.enabled:
        spec.node_labels[_GVISOR_LABEL] = "1"
    fill(spec, manager="CloudGroup")
    spec.kubelet = _kubelet(cluster, completed, settings)
    return completed


def _has_gpu(cluster: Cluster, group: InstanceGroup, facts: CloudFacts) -> bool:
    """True if containerd is to serve the GPUs of the group's machines and they have any."""
    for_group, for_cluster = _wants_gpu(group.spec.containerd), _wants_gpu(cluster.spec.containerd)
    if cloud_of(cluster) is OPENSTACK:
        return for_group
    if cloud_of(cluster) is not AWS or not (for_group or for_cluster) or not group.spec.machine_type:
        return False
    described = facts.instance_type(group.spec.machine_type)
    if described is None:
        message = f"there is no such machine type in {facts.region}"
        subject = f"instance group {group.metadata.name}"
        raise not_found("spec.machineType", message, group.spec.machine_type, subject=subject)
    return described.gpu


def _wants_gpu(containerd: ContainerdConfig | None) -> bool:
    return bool(containerd and containerd.nvidia_gpu and containerd.nvidia_gpu.enabled)


def _kubelet(cluster: Cluster, group: InstanceGroup, settings: Settings) -> KubeletConfigSpec:
    """The cluster's kubelet for the role, the group's over it; taints add up instead."""
    spec, common = group.spec, cluster.spec.kubelet
    control_plane = spec.role == "ControlPlane"
    base = cluster.spec.control_plane_kubelet if control_plane else common
    kubelet = codec.copy(base) if base else KubeletConfigSpec()
    if control_plane and common and common.anonymous_auth is False:
        kubelet.anonymous_auth = False
    kubelet.node_labels = node_labels(cluster, group, settings.feature_flags)
    # kops' own logic: what would let anonymous clients in keeps them out.
    keep_out = bool(kubelet.anonymous_auth)
    taints = {*kubelet.taints, *spec.taints, *(common.taints if common else ())}
    if spec.kubelet is not None:
        taints.update(spec.kubelet.taints)
        codec.merge(kubelet, spec.kubelet)
    if spec.role in _ROLE_TAINTS:
        taints.add(_ROLE_TAINTS[spec.role])
    if spec.manager == "Karpenter":
        taints.add(_KARPENTER_TAINT)
    kubelet.taints = sorted(taints)
    if keep_out:
        kubelet.anonymous_auth = False
    return kubelet
