# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the kubelets of workers and of the control plane."""

from __future__ import annotations

from ...api.clouds import GCE, METAL, cloud_of
from ...api.cluster import Cluster
from ...api.components import CloudConfiguration
from ...api.kubelet import KubeletConfigSpec
from ...api.scalars import Duration
from ...api.versions import Version
from ..addresses import service_address
from ..context import Context
from ..filling import fill
from ..gce.questions import role_tag

_EVICTION_HARD = ",".join(
    (
        "memory.available<100Mi",
        "nodefs.available<10%",
        "nodefs.inodesFree<5%",
        "imagefs.available<10%",
        "imagefs.inodesFree<5%",
    )
)


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubelet and spec.controlPlaneKubelet; their Kubernetes versions may differ during an upgrade."""
    spec = cluster.spec
    spec.kubelet = spec.kubelet or KubeletConfigSpec()
    spec.control_plane_kubelet = spec.control_plane_kubelet or KubeletConfigSpec()
    _complete_kubelet(cluster, spec.kubelet, context.node_version)
    _complete_kubelet(cluster, spec.control_plane_kubelet, context.control_plane_version)
    if cloud_of(cluster) is GCE:
        _complete_gce(cluster, context)
    if spec.networking.isolate_control_plane:
        spec.control_plane_kubelet.enable_debugging_handlers = False
        spec.control_plane_kubelet.hairpin_mode = "none"


def _complete_kubelet(cluster: Cluster, kubelet: KubeletConfigSpec, kubernetes: Version) -> None:
    spec = cluster.spec
    kubelet.enable_debugging_handlers = True
    kubelet.pod_manifest_path = "/etc/kubernetes/manifests"
    kubelet.log_level = 2
    kubelet.cluster_domain = spec.cluster_dns_domain
    kubelet.allow_privileged = None
    if not kubelet.cluster_dns:
        cache = spec.kube_dns.node_local_dns if spec.kube_dns else None
        kubelet.cluster_dns = cache.local_ip if cache and cache.enabled else service_address(spec, 10)
    fill(kubelet, eviction_hard=_EVICTION_HARD, protect_kernel_defaults=True)
    kubelet.kubeconfig_path = "/var/lib/kubelet/kubeconfig"
    kubelet.cgroup_root = "/"
    # With an external cloud provider a node waits for the cloud's controller. Users may have installed that of vSphere.
    if cloud_of(cluster).has_cloud_controller:
        kubelet.cloud_provider = "external"
    elif cloud_of(cluster) is METAL:
        kubelet.cloud_provider = None
    if cloud_of(cluster) is GCE:
        kubelet.hairpin_mode = "promiscuous-bridge"
    kubelet.cgroup_driver = "systemd"
    if spec.networking.amazon_vpc is not None:
        # A graceful shutdown would leave network interfaces behind.
        kubelet.shutdown_grace_period = kubelet.shutdown_grace_period_critical_pods = Duration("0s")
    elif kubelet.shutdown_grace_period is None:
        kubelet.shutdown_grace_period = Duration("30s")
        kubelet.shutdown_grace_period_critical_pods = Duration("10s")
    if kubernetes < Version(1, 34):
        kubelet.register_schedulable = True


def _complete_gce(cluster: Cluster, context: Context) -> None:
    cluster.spec.cloud_config = cluster.spec.cloud_config or CloudConfiguration()
    gce = cluster.spec.cloud_provider.gce
    if gce is not None:
        gce.multizone = True
        gce.node_tags = role_tag(context.cluster_name, "node")
