# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.networking.calico."""

from __future__ import annotations

import re

from ..addresses import parse_address
from ..cluster import Cluster
from ..networking import CalicoNetworkingSpec
from ..questions import is_ipv6_only, kube_proxy_enabled
from .problems import Problems, forbidden, invalid, one_of

# Attribute -> (manifest key, allowed values); checked where set.
CHOICES = {
    "bpf_external_service_mode": ("bpfExternalServiceMode", ("Tunnel", "DSR")),
    "bpf_log_level": ("bpfLogLevel", ("Off", "Info", "Debug")),
    "chain_insert_mode": ("chainInsertMode", ("insert", "append")),
    "encapsulation_mode": ("encapsulationMode", ("ipip", "vxlan", "none")),
    "iptables_backend": ("iptablesBackend", ("Auto", "Legacy", "NFT")),
    "ipip_mode": ("ipipMode", ("Always", "CrossSubnet", "Never")),
    "vxlan_mode": ("vxlanMode", ("Always", "CrossSubnet", "Never")),
}
# Attribute -> (manifest key, the encapsulation mode in which it may be used).
MODES_OF_ENCAPSULATION = {"ipip_mode": ("ipipMode", "ipip"), "vxlan_mode": ("vxlanMode", "vxlan")}
AUTODETECTION = (
    "must be first-found, can-reach=<address>, interface=<patterns> or skip-interface=<patterns>, "
    "patterns being regular expressions separated by commas"
)


def validate_calico(cluster: Cluster, calico: CalicoNetworkingSpec, path: str) -> Problems:
    """Calico's settings, alone and with the cloud, the IP family and kube-proxy."""
    found: Problems = []
    for attribute, (key, allowed) in CHOICES.items():
        found += one_of(f"{path}.{key}", getattr(calico, attribute) or None, allowed)
    found += _validate_source_check(cluster, calico, f"{path}.awsSrcDstCheck")
    found += _validate_encapsulation(cluster, calico, path)
    if calico.bpf_enabled and kube_proxy_enabled(cluster):
        found.append(
            forbidden("spec.kubeProxy.enabled", "calico in BPF mode replaces kube-proxy: set kubeProxy.enabled: false")
        )
    if calico.ipv4_auto_detection_method:
        found += _validate_autodetection(calico.ipv4_auto_detection_method, 4, f"{path}.ipv4AutoDetectionMethod")
    if calico.ipv6_auto_detection_method:
        found += _validate_autodetection(calico.ipv6_auto_detection_method, 6, f"{path}.ipv6AutoDetectionMethod")
    if (calico.typha_replicas or 0) < 0:
        found.append(invalid(f"{path}.typhaReplicas", calico.typha_replicas, "must be 0 or more"))
    if calico.wireguard_enabled and is_ipv6_only(cluster):
        found.append(forbidden(f"{path}.wireguardEnabled", "WireGuard is not available in IPv6 clusters"))
    return found


def _validate_source_check(cluster: Cluster, calico: CalicoNetworkingSpec, path: str) -> Problems:
    check = calico.aws_src_dst_check
    if check and is_ipv6_only(cluster) and check != "DoNothing":
        return [forbidden(path, "can only be DoNothing in IPv6 clusters")]
    return one_of(path, check or None, ("Enable", "Disable", "DoNothing"))


def _validate_encapsulation(cluster: Cluster, calico: CalicoNetworkingSpec, path: str) -> Problems:
    mode = calico.encapsulation_mode
    if not mode:
        return []
    at = f"{path}.encapsulationMode"
    found: Problems = []
    if mode != "none" and is_ipv6_only(cluster):
        found.append(forbidden(at, "must be none in IPv6 clusters"))
    elif mode == "none" and not is_ipv6_only(cluster):
        found.append(forbidden(at, "none is available in IPv6 clusters only; choose ipip or vxlan"))
    # Azure's network drops IP-in-IP packets.
    if mode != "vxlan" and cluster.spec.cloud_provider.azure is not None:
        found.append(forbidden(at, "must be vxlan on Azure"))
    for attribute, (key, needed) in MODES_OF_ENCAPSULATION.items():
        if (getattr(calico, attribute) or "Never") != "Never" and mode != needed:
            found.append(forbidden(f"{path}.{key}", f"needs encapsulationMode {needed}, which is {mode}"))
    return found


def _validate_autodetection(method: str, version: int, path: str) -> Problems:
    kind, *values = method.split("=")
    value = values[0] if values else ""
    if len(values) > 1:
        return [invalid(path, method, f"has more than one '='; {AUTODETECTION}")]
    if kind == "first-found":
        return []
    if kind == "can-reach":
        address = parse_address(value)
        good = address is not None and address.version == version
        return [] if good else [invalid(path, method, f"can-reach= must be followed by an IPv{version} address")]
    if kind not in ("interface", "skip-interface"):
        return [invalid(path, method, AUTODETECTION)]
    patterns = re.split(r"\s*,\s*", value)
    found: Problems = []
    if not patterns[0]:
        found.append(invalid(path, method, f"{kind}= must be followed by patterns separated by commas"))
    found += [
        invalid(path, method, f"{pattern} is not a regular expression")
        for pattern in patterns
        if not _is_pattern(pattern)
    ]
    return found


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True
