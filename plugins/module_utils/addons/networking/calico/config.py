# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calico's ConfigMaps: the configuration of the CNI plugin, and where the API server is."""

from __future__ import annotations

from typing import Any

from ...objects.core import config_map
from .settings import API_SERVER, CONFIG, NAMESPACE, TYPHA, Settings

# Calico's installer puts values in the place of names with two underscores.
_NETWORK = """{
  "name": "k8s-pod-network",
  "cniVersion": "0.3.1",
  "plugins": [
    {
      "type": "calico",
      "log_level": "info",
      "log_file_path": "/var/log/calico/cni/cni.log",
      "datastore_type": "kubernetes",
      "nodename": "__KUBERNETES_NODE_NAME__",
      "mtu": __CNI_MTU__,
%s
    },
    {
      "type": "portmap",
      "snat": true,
      "capabilities": {"portMappings": true}
    }
  ]
}"""


def api_server(settings: Settings) -> list[dict[str, Any]]:
    """Where the API server is, for pods that start before Services work: only with eBPF."""
    if not settings.calico.bpf_enabled:
        return []
    address = {"KUBERNETES_SERVICE_HOST": settings.context.api_internal_name, "KUBERNETES_SERVICE_PORT": "443"}
    return [config_map(API_SERVER, NAMESPACE, {}, address)]


def config_map_of(settings: Settings) -> dict[str, Any]:
    """What the pods on the nodes read."""
    data = {
        "typha_service_name": TYPHA if settings.has_typha else "none",
        "calico_backend": settings.backend,
        "veth_mtu": str(settings.calico.mtu or 0),
        "cni_network_config": _NETWORK % _plugin(settings),
    }
    return config_map(CONFIG, NAMESPACE, {}, data)


def _plugin(settings: Settings) -> str:
    """The settings of the plugin that depend on the cluster, in the form that upstream writes."""
    families = [f'"assign_ipv4": "{_text(not settings.ipv6)}"', f'"assign_ipv6": "{_text(settings.ipv6)}"']
    # Pods of IPv6 have addresses of the range that the cloud gives to their node.
    own_range = ['"type": "host-local"', '"ranges": [[{ "subnet": "usePodCidrIPv6" }]]']
    parts = {"ipam": [*families, *(own_range if settings.ipv6 else ['"type": "calico-ipam"'])]}
    if settings.calico.allow_ip_forwarding:
        parts["container_settings"] = ['"allow_ip_forwarding": true']
    parts["policy"] = ['"type": "k8s"']
    parts["kubernetes"] = ['"kubeconfig": "__KUBECONFIG_FILEPATH__"']
    return ",\n".join(_part(name, lines) for name, lines in parts.items())


def _part(name: str, lines: list[str]) -> str:
    inner = ",\n".join(f"          {line}" for line in lines)
    return f'      "{name}": {{\n{inner}\n      }}'


def _text(value: bool) -> str:
    return str(value).lower()
