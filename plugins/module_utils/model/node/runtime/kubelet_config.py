# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KubeletConfiguration: the kubelet's settings that are no options of its command line (kubelet.go of nodeup).

Fields that have no value are left out; kops writes some of them as zeros, which means the same to the kubelet.
"""

from __future__ import annotations

from typing import Any

from ....api.kubelet import KubeletConfigSpec
from ....api.taints import parse_taint
from ....api.versions import is_at_least
from ....base.errors import KopsError
from ....exchange.distributions import Family
from ....exchange.document import MAX_PODS
from ..context import CA_FILE, PROVIDER_ID, RESOLV_CONF, SRV, NodeContext
from .containerd import SOCKET

SERVING_CERTIFICATE, SERVING_KEY = f"{SRV}/kubelet-server.crt", f"{SRV}/kubelet-server.key"

# Field of the specification -> field of KubeletConfiguration, where the value is the same.
_SAME = {
    "allowed_unsafe_sysctls": "allowedUnsafeSysctls",
    "cgroup_driver": "cgroupDriver",
    "cgroup_root": "cgroupRoot",
    "cluster_domain": "clusterDomain",
    "container_log_max_files": "containerLogMaxFiles",
    "container_log_max_size": "containerLogMaxSize",
    "cpu_cfs_quota": "cpuCFSQuota",
    "cpu_cfs_quota_period": "cpuCFSQuotaPeriod",
    "cpu_manager_policy": "cpuManagerPolicy",
    "enable_debugging_handlers": "enableDebuggingHandlers",
    "event_record_qps": "eventRecordQPS",
    "eviction_max_pod_grace_period": "evictionMaxPodGracePeriod",
    "eviction_pressure_transition_period": "evictionPressureTransitionPeriod",
    "fail_swap_on": "failSwapOn",
    "hairpin_mode": "hairpinMode",
    "image_gc_high_threshold_percent": "imageGCHighThresholdPercent",
    "image_gc_low_threshold_percent": "imageGCLowThresholdPercent",
    "image_maximum_gc_age": "imageMaximumGCAge",
    "kernel_memcg_notification": "kernelMemcgNotification",
    "kube_reserved": "kubeReserved",
    "kube_reserved_cgroup": "kubeReservedCgroup",
    "kubelet_cgroups": "kubeletCgroups",
    "max_parallel_image_pulls": "maxParallelImagePulls",
    "max_pods": "maxPods",
    "node_lease_duration_seconds": "nodeLeaseDurationSeconds",
    "node_status_update_frequency": "nodeStatusUpdateFrequency",
    "pod_cidr": "podCIDR",
    "pod_manifest_path": "staticPodPath",
    "pod_pids_limit": "podPidsLimit",
    "protect_kernel_defaults": "protectKernelDefaults",
    "read_only_port": "readOnlyPort",
    "registry_pull_qps": "registryPullQPS",
    "rotate_certificates": "rotateCertificates",
    "seccomp_default": "seccompDefault",
    "serialize_image_pulls": "serializeImagePulls",
    "shutdown_grace_period": "shutdownGracePeriod",
    "shutdown_grace_period_critical_pods": "shutdownGracePeriodCriticalPods",
    "system_cgroups": "systemCgroups",
    "system_reserved": "systemReserved",
    "system_reserved_cgroup": "systemReservedCgroup",
    "tls_cipher_suites": "tlsCipherSuites",
    "tls_min_version": "tlsMinVersion",
    "topology_manager_policy": "topologyManagerPolicy",
}
# The kubelet takes "" or 0 for its own default in these, and kops leaves them out like that.
_ZERO_IS_UNSET = frozenset(
    {
        *("evictionMaxPodGracePeriod", "kernelMemcgNotification", "maxPods", "nodeLeaseDurationSeconds"),
        *("protectKernelDefaults", "readOnlyPort", "rotateCertificates"),
    }
)
# Field -> field of KubeletConfiguration, and what separates a name from its value in the text.
_PAIRS = {
    "eviction_hard": ("evictionHard", "<"),
    "eviction_soft": ("evictionSoft", "<"),
    "eviction_soft_grace_period": ("evictionSoftGracePeriod", "="),
    "eviction_minimum_reclaim": ("evictionMinimumReclaim", "="),
}
_TRUTHS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


def kubelet_configuration(context: NodeContext, kubelet: KubeletConfigSpec, family: Family) -> dict[str, Any]:
    """The configuration file as plain data. Raises KopsError for a text that is not what the kubelet reads."""
    values: dict[str, Any] = {}
    for attribute, key in _SAME.items():
        value = getattr(kubelet, attribute)
        if value in (None, "", [], {}) or (not value and key in _ZERO_IS_UNSET):
            continue
        values[key] = str(value) if isinstance(value, str) else value
    for attribute, (key, separator) in _PAIRS.items():
        text = getattr(kubelet, attribute)
        if text:
            values[key] = parse_pairs(text, separator, f"kubelet.{key}")
    # The older name of the field counts.
    if kubelet.event_qps is not None:
        values["eventRecordQPS"] = kubelet.event_qps
    if kubelet.cluster_dns:
        values["clusterDNS"] = [kubelet.cluster_dns]
    if kubelet.enforce_node_allocatable:
        values["enforceNodeAllocatable"] = kubelet.enforce_node_allocatable.split(",")
    if kubelet.feature_gates:
        values["featureGates"] = parse_feature_gates(kubelet.feature_gates)
    if kubelet.taints:
        values["registerWithTaints"] = [parse_taint(taint) for taint in kubelet.taints]
    if kubelet.max_pods is None and _pods_have_addresses_of_the_network(context):
        values["maxPods"] = f"@@{MAX_PODS}@@"
    if kubelet.memory_swap_behavior:
        values["memorySwap"] = {"swapBehavior": kubelet.memory_swap_behavior}
    if kubelet.log_format:
        values["logging"] = {"format": kubelet.log_format}
    if context.has_provider_id:
        values["providerID"] = PROVIDER_ID
    restart_period = kubelet.crash_loop_back_off_max_container_restart_period
    if context.is_control_plane and is_at_least(context.cluster, "1.35"):
        # While the control plane comes up, its parts fail until others are there.
        values["crashLoopBackOff"] = {"maxContainerRestartPeriod": "1m0s"}
    elif restart_period is not None:
        values["crashLoopBackOff"] = {"maxContainerRestartPeriod": str(restart_period)}
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        **values,
        "authentication": _authentication(kubelet),
        "authorization": {"mode": kubelet.authorization_mode or "Webhook"},
        "containerRuntimeEndpoint": f"unix://{context.containerd.address or SOCKET}",
        "enableProfilingHandler": False,
        "resolvConf": RESOLV_CONF if kubelet.resolv_conf is None else kubelet.resolv_conf,
        "tlsCertFile": SERVING_CERTIFICATE,
        "tlsPrivateKeyFile": SERVING_KEY,
        "volumePluginDir": kubelet.volume_plugin_directory or family.volume_plugins,
    }


def _pods_have_addresses_of_the_network(context: NodeContext) -> bool:
    """Whether an instance takes as many pods as its interfaces have addresses for."""
    networking = context.cluster.spec.networking
    return networking.amazon_vpc is not None or bool(networking.cilium and networking.cilium.ipam == "eni")


def _authentication(kubelet: KubeletConfigSpec) -> dict[str, Any]:
    webhook = True if kubelet.authentication_token_webhook is None else kubelet.authentication_token_webhook
    anonymous = {} if kubelet.anonymous_auth is None else {"enabled": kubelet.anonymous_auth}
    return {"anonymous": anonymous, "webhook": {"enabled": webhook}, "x509": {"clientCAFile": CA_FILE}}


def parse_pairs(text: str, separator: str, where: str) -> dict[str, str]:
    """``memory.available<100Mi,nodefs.available<10%`` as a mapping."""
    pairs = {}
    for pair in text.split(","):
        name, found, value = pair.partition(separator)
        if not found:
            raise KopsError(f"{where}: {pair!r} has no {separator!r} between a name and its value")
        pairs[name.strip()] = value.strip()
    return pairs


def parse_feature_gates(gates: dict[str, str]) -> dict[str, bool]:
    """Feature gates as truths."""
    for name, text in gates.items():
        if text not in _TRUTHS:
            raise KopsError(f"featureGates: {name} is true or false, not {text!r}")
    return {name: _TRUTHS[text] for name, text in gates.items()}
