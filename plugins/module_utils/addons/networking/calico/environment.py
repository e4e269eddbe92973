# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of Calico's agent: what it is told about the cluster, and the settings of Felix, its core."""

from __future__ import annotations

from typing import Any, Union

from ...objects.egress_proxy import proxy_variables
from ...objects.pods import config_map_variable, field_variable, variables
from .settings import CONFIG, Settings

Value = Union[str, bool, int, None]
METRICS_PORT = 9091


def from_config(name: str, key: str) -> dict[str, Any]:
    """A variable with a value of Calico's ConfigMap."""
    return config_map_variable(name, CONFIG, key)


def of_agent(settings: Settings) -> list[dict[str, Any]]:
    """The environment, in kops' order."""
    typha = [from_config("FELIX_TYPHAK8SSERVICENAME", "typha_service_name")] if settings.has_typha else []
    mtu = [from_config(f"FELIX_{kind}MTU", "veth_mtu") for kind in ("IPINIP", "VXLAN", "WIREGUARD")]
    return [
        *variables({"DATASTORE_TYPE": "kubernetes", **({"USE_POD_CIDR": "true"} if settings.ipv6 else {})}),
        *typha,
        *variables({"WAIT_FOR_DATASTORE": "true"}),
        field_variable("NODENAME", "spec.nodeName"),
        from_config("CALICO_NETWORKING_BACKEND", "calico_backend"),
        *_texts({"CLUSTER_TYPE": "kops,bgp", **_addresses(settings), **_encapsulation(settings)}),
        *mtu,
        *_texts({**_pools(settings), "CALICO_DISABLE_FILE_LOGGING": True, **_felix(settings)}),
        *variables(proxy_variables(settings.cluster)),
    ]


def _texts(values: dict[str, Value]) -> list[dict[str, Any]]:
    """Variables whose values are written as Calico reads them; None for one that is not set."""
    given = {name: value for name, value in values.items() if value is not None}
    return variables(
        {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
    )


def _addresses(settings: Settings) -> dict[str, Value]:
    """How the agent finds the addresses of its node."""
    calico, ipv6 = settings.calico, settings.ipv6
    default4, default6 = ("none", "first-found") if ipv6 else ("first-found", "none")
    return {
        "IP": "none" if ipv6 else "autodetect",
        "IP6": "autodetect" if ipv6 else "none",
        "IP_AUTODETECTION_METHOD": calico.ipv4_auto_detection_method or default4,
        "IP6_AUTODETECTION_METHOD": calico.ipv6_auto_detection_method or default6,
    }


def _encapsulation(settings: Settings) -> dict[str, Value]:
    ipv4, ipv6 = settings.vxlan_modes
    return {
        "CALICO_IPV4POOL_IPIP": settings.ipip_mode,
        "CALICO_IPV4POOL_VXLAN": ipv4,
        "CALICO_IPV6POOL_VXLAN": ipv6,
    }


def _pools(settings: Settings) -> dict[str, Value]:
    """The range of the pods: with IPv6, each node has its own from the cloud."""
    if settings.ipv6:
        return {"CALICO_ROUTER_ID": "hash", "NO_DEFAULT_POOLS": True}
    manager = settings.cluster.spec.kube_controller_manager
    return {"CALICO_IPV4POOL_CIDR": manager.cluster_cidr if manager else None}


def _felix(settings: Settings) -> dict[str, Value]:
    calico = settings.calico
    return {
        "FELIX_DEFAULTENDPOINTTOHOSTACTION": "ACCEPT",
        "FELIX_IPV6SUPPORT": settings.ipv6,
        "FELIX_HEALTHENABLED": True,
        "FELIX_AWSSRCDSTCHECK": settings.source_check,
        "FELIX_BPFENABLED": bool(calico.bpf_enabled),
        "FELIX_BPFEXTERNALSERVICEMODE": calico.bpf_external_service_mode or "Tunnel",
        "FELIX_BPFKUBEPROXYIPTABLESCLEANUPENABLED": bool(calico.bpf_kube_proxy_iptables_cleanup_enabled),
        "FELIX_BPFLOGLEVEL": calico.bpf_log_level or "Off",
        "FELIX_CHAININSERTMODE": calico.chain_insert_mode or "insert",
        "FELIX_IPTABLESBACKEND": calico.iptables_backend or "Auto",
        "FELIX_NFTABLESMODE": calico.nftables_mode or None,
        "FELIX_LOGSEVERITYSCREEN": calico.log_severity_screen or "info",
        "FELIX_PROMETHEUSMETRICSENABLED": bool(calico.prometheus_metrics_enabled),
        "FELIX_PROMETHEUSMETRICSPORT": calico.prometheus_metrics_port or METRICS_PORT,
        "FELIX_PROMETHEUSGOMETRICSENABLED": bool(calico.prometheus_go_metrics_enabled),
        "FELIX_PROMETHEUSPROCESSMETRICSENABLED": bool(calico.prometheus_process_metrics_enabled),
        "FELIX_WIREGUARDENABLED": bool(calico.wireguard_enabled),
    }
