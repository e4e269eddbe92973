# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.kubelet and spec.controlPlaneKubelet."""

from __future__ import annotations

from ..kubelet import KubeletConfigSpec
from .kubelet_values import validate_kubelet_values
from .problems import Problems, forbidden, invalid, one_of

# Attribute -> (manifest key as kops' errors spell it, what to do instead). Flags that kubelet no longer has.
REMOVED = {
    "configure_cbr0": ("ConfigureCBR0", "kubelet has no such flag any longer; remove it"),
    "api_servers": ("apiServers", "kubelet has no such flag any longer; remove it"),
    "pod_infra_container_image": ("podInfraContainerImage", "use spec.containerd.sandboxImage instead"),
    "require_kubeconfig": (
        "requireKubeconfig",
        "kubelet has no such flag any longer; a spec that has it was probably completed already",
    ),
    "experimental_allowed_unsafe_sysctls": ("experimentalAllowedUnsafeSysctls", "use allowedUnsafeSysctls instead"),
    "bootstrap_kubeconfig": ("bootstrapKubeconfig", "nodes do not join by bootstrap tokens; remove it"),
    "enable_cadvisor_json_endpoints": (
        "enableCadvisorJsonEndpoints",
        "kubelet has no such flag any longer; remove it",
    ),
    "cpu_cfs_quota_period": ("cpuCFSQuotaPeriod", "kubelet has no such flag any longer; remove it"),
    "network_plugin_name": ("networkPluginName", "kubelet has no such flag any longer; remove it"),
    "network_plugin_mtu": ("networkPluginMTU", "kubelet has no such flag any longer; remove it"),
    "non_masquerade_cidr": ("nonMasqueradeCIDR", "kubelet has no such flag any longer; remove it"),
}
CHOICES = {
    "topology_manager_policy": ("topologyManagerPolicy", ("none", "best-effort", "restricted", "single-numa-node")),
    "log_format": ("logFormat", ("text", "json")),
    "memory_swap_behavior": ("memorySwapBehavior", ("LimitedSwap", "UnlimitedSwap")),
}
# Seconds.
SHORTEST_RESTART_PERIOD, LONGEST_RESTART_PERIOD = 1, 300


def validate_kubelet(kubelet: KubeletConfigSpec, path: str) -> Problems:
    """The cluster's kubelet settings: kops' own rules, and those of the kubelet."""
    return validate_kubelet_as_kops(kubelet, path) + validate_kubelet_values(kubelet, path)


def validate_kubelet_as_kops(kubelet: KubeletConfigSpec, path: str) -> Problems:
    """No removed flags, known values, periods that fit each other. kops looks at the cluster's settings only."""
    found: Problems = []
    for attribute, (key, instead) in REMOVED.items():
        value = getattr(kubelet, attribute)
        if value is not None and value != [] and value != "":
            found.append(forbidden(f"{path}.{key}", instead))
    for attribute, (key, allowed) in CHOICES.items():
        found += one_of(f"{path}.{key}", getattr(kubelet, attribute) or None, allowed)
    found += _validate_shutdown(kubelet, f"{path}.shutdownGracePeriodCriticalPods")
    restart = kubelet.crash_loop_back_off_max_container_restart_period
    if restart is not None and not SHORTEST_RESTART_PERIOD <= restart.seconds <= LONGEST_RESTART_PERIOD:
        found.append(
            invalid(
                f"{path}.crashLoopBackOffMaxContainerRestartPeriod",
                restart,
                f"must be between {SHORTEST_RESTART_PERIOD}s and {LONGEST_RESTART_PERIOD}s",
            )
        )
    return found


def _validate_shutdown(kubelet: KubeletConfigSpec, path: str) -> Problems:
    critical, whole = kubelet.shutdown_grace_period_critical_pods, kubelet.shutdown_grace_period
    if critical is None:
        return []
    if whole is None:
        return [forbidden(path, "is a part of shutdownGracePeriod, which has to be set too")]
    if critical.seconds > whole.seconds:
        return [invalid(path, critical, f"is a part of shutdownGracePeriod, so at most {whole}")]
    return []
