# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kubelet refuses when it starts (its own pkg/kubelet/apis/config/validation, eviction and sysctl packages).

kops checks none of it; every new node would be left with a kubelet that ends at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...base.errors import FieldError
from ..addresses import parse_address, parse_cidr
from ..fields import camel_case, fields_of, rules_of
from ..kubelet import KubeletConfigSpec
from ..scalars import Duration, Quantity
from .problems import Problems, invalid, one_of, required
from .syntax import (
    TLS_VERSIONS,
    is_dns_subdomain,
    validate_cipher_suites,
    validate_duration,
    validate_hostname_override,
    validate_quantity,
)

# Attribute -> least and greatest value; None for no limit.
RANGES: dict[str, tuple[int | None, int | None]] = {
    "container_log_max_files": (2, None),
    "event_burst": (0, None),
    "event_qps": (0, None),
    "event_record_qps": (0, None),
    "eviction_max_pod_grace_period": (0, None),
    "image_gc_high_threshold_percent": (0, 100),
    "image_gc_low_threshold_percent": (0, 100),
    "kube_api_qps": (0, None),
    "log_level": (0, None),
    "max_parallel_image_pulls": (1, None),
    "max_pods": (0, None),
    "node_lease_duration_seconds": (0, None),
    "pod_pids_limit": (-1, None),
    "registry_burst": (0, None),
    "registry_pull_qps": (0, None),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "authorization_mode": ("AlwaysAllow", "Webhook"),
    "cgroup_driver": ("systemd", "cgroupfs"),
    "cpu_manager_policy": ("none", "static"),
    "hairpin_mode": ("promiscuous-bridge", "hairpin-veth", "none"),
    "tls_min_version": TLS_VERSIONS,
}
PATHS = (
    *("client_ca_file", "kubeconfig_path", "pod_manifest_path", "root_dir", "tls_cert_file"),
    *("tls_private_key_file", "volume_plugin_directory"),
)
# What kube_reserved and system_reserved can be of.
RESERVED = ("cpu", "memory", "ephemeral-storage", "pid")
ALLOCATABLE = (
    *("none", "pods", "system-reserved", "kube-reserved"),
    *("system-reserved-compressible", "kube-reserved-compressible"),
)
_BYTES = ("memory.available", "nodefs.available", "imagefs.available", "containerfs.available")
SIGNALS = (
    *_BYTES,
    *("nodefs.inodesFree", "imagefs.inodesFree", "containerfs.inodesFree"),
    *("allocatableMemory.available", "pid.available"),
)
# A smaller number of bytes is a percentage or a unit that was forgotten: no node has so little left and still works.
_LEAST_BYTES = 1024
_PERCENTAGE = re.compile(r"(\d+(?:\.\d*)?)%")
# Sysctls of a namespace of their own, which are all that a pod may set.
NAMESPACED = ("fs.mqueue.", "kernel.msg", "kernel.sem", "kernel.shm", "net.")
_SYSCTL_PATTERN = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./]?\*)?")
# The kubelet's own, of imageGCLowThresholdPercent and imageGCHighThresholdPercent.
_LOW_THRESHOLD, _HIGH_THRESHOLD = 80, 85


def validate_kubelet_values(kubelet: KubeletConfigSpec, path: str) -> Problems:
    """Numbers, words and texts with a form of their own, of the cluster's kubelets or a group's."""
    found: Problems = []
    for attribute, (least, most) in RANGES.items():
        value = getattr(kubelet, attribute)
        if value is not None and ((least is not None and value < least) or (most is not None and value > most)):
            allowed = f"at least {least}" if most is None else f"between {least} and {most}"
            found.append(invalid(f"{path}.{_key(attribute)}", value, f"must be {allowed}"))
    for attribute, choices in CHOICES.items():
        found += one_of(f"{path}.{_key(attribute)}", getattr(kubelet, attribute) or None, choices)
    found += [
        invalid(f"{path}.{_key(attribute)}", getattr(kubelet, attribute), "must be an absolute path")
        for attribute in PATHS
        if getattr(kubelet, attribute) and not getattr(kubelet, attribute).startswith("/")
    ]
    found += validate_hostname_override(kubelet.hostname_override or "", f"{path}.hostnameOverride")
    found += _validate_images(kubelet, path)
    found += _validate_reserved(kubelet, path)
    found += _validate_evictions(kubelet, path)
    found += _validate_network(kubelet, path)
    found += _validate_shutdown(kubelet, path) + _validate_periods(kubelet, path)
    if kubelet.container_log_max_size:
        found += validate_quantity(kubelet.container_log_max_size, f"{path}.containerLogMaxSize")
    found += validate_cipher_suites(kubelet.tls_cipher_suites, f"{path}.tlsCipherSuites")
    return found + list(_unsafe_sysctls(kubelet.allowed_unsafe_sysctls, f"{path}.allowedUnsafeSysctls"))


def validate_kubelet_whole(kubelet: KubeletConfigSpec, path: str) -> Problems:
    """What depends on all settings of a node together, which a group and its cluster may have given."""
    found: Problems = []
    if kubelet.cpu_manager_policy == "static":
        texts = [reserved.get("cpu", "") for reserved in (kubelet.kube_reserved, kubelet.system_reserved)]
        if not any(_amount(text) for text in texts):
            message = "the policy static needs CPUs for the system: give kubeReserved or systemReserved some cpu"
            found.append(invalid(f"{path}.cpuManagerPolicy", "static", message))
    high, low = kubelet.image_gc_high_threshold_percent, kubelet.image_gc_low_threshold_percent
    if high is not None and low is None and high <= _LOW_THRESHOLD:
        message = f"must be more than imageGCLowThresholdPercent, which is {_LOW_THRESHOLD} unless it is set"
        found.append(invalid(f"{path}.imageGCHighThresholdPercent", high, message))
    if low is not None and high is None and low >= _HIGH_THRESHOLD:
        message = f"must be less than imageGCHighThresholdPercent, which is {_HIGH_THRESHOLD} unless it is set"
        found.append(invalid(f"{path}.imageGCLowThresholdPercent", low, message))
    return found


def _amount(text: str) -> bool:
    try:
        return Quantity.parse(text).value > 0
    except ValueError:
        # Its form is judged elsewhere.
        return False


def _validate_images(kubelet: KubeletConfigSpec, path: str) -> Problems:
    found: Problems = []
    high, low = kubelet.image_gc_high_threshold_percent, kubelet.image_gc_low_threshold_percent
    if high is not None and low is not None and low >= high:
        message = f"must be less than imageGCHighThresholdPercent, which is {high}"
        found.append(invalid(f"{path}.imageGCLowThresholdPercent", low, message))
    if kubelet.serialize_image_pulls and (kubelet.max_parallel_image_pulls or 1) > 1:
        message = "needs serializeImagePulls: false"
        found.append(invalid(f"{path}.maxParallelImagePulls", kubelet.max_parallel_image_pulls, message))
    return found


def _validate_reserved(kubelet: KubeletConfigSpec, path: str) -> Problems:
    found: Problems = []
    for key, reserved in (("kubeReserved", kubelet.kube_reserved), ("systemReserved", kubelet.system_reserved)):
        for name, text in reserved.items():
            found += one_of(f"{path}.{key}", name, RESERVED)
            found += validate_quantity(text, f"{path}.{key}.{name}")
    names = [name for name in (kubelet.enforce_node_allocatable or "").split(",") if name]
    for name in names:
        found += one_of(f"{path}.enforceNodeAllocatable", name, ALLOCATABLE)
    if "none" in names and len(names) > 1:
        message = "none stands alone"
        found.append(invalid(f"{path}.enforceNodeAllocatable", kubelet.enforce_node_allocatable, message))
    for prefix, key, cgroup in (
        ("kube-reserved", "kubeReservedCgroup", kubelet.kube_reserved_cgroup),
        ("system-reserved", "systemReservedCgroup", kubelet.system_reserved_cgroup),
    ):
        if not cgroup and any(name.startswith(prefix) for name in names):
            found.append(required(f"{path}.{key}", f"is needed to enforce {prefix} (enforceNodeAllocatable)"))
    return found


def _validate_evictions(kubelet: KubeletConfigSpec, path: str) -> Problems:
    found: Problems = []
    signals: dict[str, list[str]] = {}
    for attribute, separator, check in (
        ("eviction_hard", "<", _share_or_quantity),
        ("eviction_soft", "<", _share_or_quantity),
        ("eviction_soft_grace_period", "=", validate_duration),
        ("eviction_minimum_reclaim", "=", _share_or_quantity),
    ):
        at, text = f"{path}.{_key(attribute)}", getattr(kubelet, attribute) or ""
        signals[attribute] = []
        for pair in text.split(",") if text else []:
            name, separated, value = (part.strip() for part in pair.partition(separator))
            if not separated:
                example = "memory.available<100Mi" if separator == "<" else "memory.available=1m30s"
                message = f"must be a list of signal{separator}value, for example {example}"
                found.append(invalid(at, pair, message))
                continue
            if name in signals[attribute]:
                found.append(invalid(at, pair, f"{name} is there twice"))
            signals[attribute].append(name)
            found += one_of(at, name, SIGNALS)
            wrong = check(value, at)
            found += wrong
            if not wrong and separator == "<" and name in _BYTES and "%" not in value:
                found += _validate_bytes(name, value, at)
    found += [
        required(f"{path}.evictionSoftGracePeriod", f"evictionSoft has {name}, which needs a grace period")
        for name in signals["eviction_soft"]
        if name not in signals["eviction_soft_grace_period"]
    ]
    return found


def _share_or_quantity(text: str, path: str) -> Problems:
    if text.endswith("%"):
        share = _PERCENTAGE.fullmatch(text)
        if share and float(share[1]) <= 100:
            return []
        return [invalid(path, text, "must be a percentage from 0% to 100%")]
    return validate_quantity(text, path)


def _validate_bytes(name: str, text: str, path: str) -> Problems:
    if 0 < Quantity.parse(text).value < _LEAST_BYTES:
        message = f"{text} means {text} bytes, which never remain; write {text}% or {text}Gi, or 0 for no limit"
        return [invalid(path, f"{name}<{text}", message)]
    return []


def _validate_network(kubelet: KubeletConfigSpec, path: str) -> Problems:
    found: Problems = []
    if kubelet.pod_cidr and any(parse_cidr(each) is None for each in kubelet.pod_cidr.split(",")):
        found.append(invalid(f"{path}.podCIDR", kubelet.pod_cidr, "must be a CIDR, for example 100.96.0.0/24"))
    if kubelet.cluster_dns and any(parse_address(each) is None for each in kubelet.cluster_dns.split(",")):
        found.append(invalid(f"{path}.clusterDNS", kubelet.cluster_dns, "must be an IP address"))
    if kubelet.cluster_domain and not is_dns_subdomain(kubelet.cluster_domain.rstrip(".")):
        found.append(invalid(f"{path}.clusterDomain", kubelet.cluster_domain, "must be a DNS name"))
    return found


def _unsafe_sysctls(patterns: list[str], path: str) -> Iterator[FieldError]:
    for index, pattern in enumerate(patterns):
        at = f"{path}[{index}]"
        if not _SYSCTL_PATTERN.fullmatch(pattern):
            example = "net.core.somaxconn or net.ipv4.*"
            yield invalid(
                at, pattern, f"must be the name of a sysctl, or a pattern that ends with *, such as {example}"
            )
        elif not pattern.replace("/", ".").startswith(NAMESPACED):
            names = ", ".join(f"{prefix}*" for prefix in NAMESPACED)
            yield invalid(at, pattern, f"pods can set only sysctls that have a namespace: {names}")


def _key(attribute: str) -> str:
    declared = next(each for each in fields_of(KubeletConfigSpec) if each.name == attribute)
    return rules_of(declared).key or camel_case(attribute)


def _validate_periods(kubelet: KubeletConfigSpec, path: str) -> Problems:
    found: Problems = []
    youngest, oldest = kubelet.image_minimum_gc_age, kubelet.image_maximum_gc_age
    if youngest and oldest and 0 < oldest.seconds <= youngest.seconds:
        message = f"must be longer than imageMinimumGCAge, {youngest}, or 0s for no limit"
        found.append(invalid(f"{path}.imageMaximumGCAge", oldest, message))
    return found


def _validate_shutdown(kubelet: KubeletConfigSpec, path: str) -> Problems:
    found: Problems = []
    for attribute in ("shutdown_grace_period", "shutdown_grace_period_critical_pods"):
        period: Duration | None = getattr(kubelet, attribute)
        if period is not None and 0 < period.seconds < 1:
            found.append(invalid(f"{path}.{_key(attribute)}", period, "must be 0s or at least 1s"))
    return found
