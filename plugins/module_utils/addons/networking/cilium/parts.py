# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of Cilium have in common: names, ports, and parts of their pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ...conditions import is_enabled
from ...context import AddonContext
from ...objects.pods import field_variable, host_path, mount, variables

NAMESPACE = "kube-system"
AGENT, OPERATOR, RELAY = "cilium", "cilium-operator", "hubble-relay"
CONFIG = "cilium-config"
IPSEC_KEYS = "cilium-ipsec-keys"
PART_OF = {"app.kubernetes.io/part-of": "cilium"}
AGENT_PODS = {"k8s-app": "cilium"}
# Paths inside of pods.
ETCD_CONFIG, ETCD_SECRETS = "/var/lib/etcd-config", "/var/lib/etcd-secrets"
HUBBLE_TLS = "/var/lib/cilium/tls/hubble"
TEMPORARY = "/tmp"  # noqa: S108 - a volume of its own in each pod
CONFIG_FILES = f"{TEMPORARY}/cilium/config-map"

AGENT_HEALTH_PORT, OPERATOR_HEALTH_PORT = 9879, 9234
OPERATOR_METRICS_PORT, ENVOY_METRICS_PORT = 9963, 9964
HUBBLE_PORT, HUBBLE_METRICS_PORT = 4244, 9965
ETCD_CLIENT_PORT = 4003
# Files of Secrets are for the pod's user only.
_OWNER_READS = 0o400
_REGISTRY = "quay.io"


def uses_hubble(cilium: CiliumNetworkingSpec) -> bool:
    """Whether flows of pods can be watched through Hubble."""
    return is_enabled(cilium.hubble)


def uses_ingress(cilium: CiliumNetworkingSpec) -> bool:
    """Whether Cilium serves Ingress objects."""
    return is_enabled(cilium.ingress)


def uses_gateway_api(cilium: CiliumNetworkingSpec) -> bool:
    """Whether Cilium serves Gateway objects."""
    return is_enabled(cilium.gateway_api)


def image(cilium: CiliumNetworkingSpec, name: str) -> str:
    """One of Cilium's images, in the version of the specification."""
    return f"{cilium.registry or _REGISTRY}/cilium/{name}:{cilium.version}"


def resources(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """What the agent and the operator request each."""
    wanted = {"cpu": str(cilium.cpu_request or "25m"), "memory": str(cilium.memory_request or "128Mi")}
    return {"requests": wanted}


def restricted(capabilities: str = "") -> dict[str, Any]:
    """The security context of a container that works on the node without being privileged."""
    added = {"add": capabilities.split()} if capabilities else {}
    return {"seLinuxOptions": {"level": "s0", "type": "spc_t"}, "capabilities": {**added, "drop": ["ALL"]}}


def node_variables() -> list[dict[str, Any]]:
    """Where a pod runs."""
    return [
        field_variable("K8S_NODE_NAME", "spec.nodeName", apiVersion="v1"),
        field_variable("CILIUM_K8S_NAMESPACE", "metadata.namespace", apiVersion="v1"),
    ]


def api_server_variables(context: AddonContext) -> list[dict[str, Any]]:
    """The API server without the address of its Service, which may be Cilium's own to translate."""
    return variables({"KUBERNETES_SERVICE_HOST": context.api_internal_name, "KUBERNETES_SERVICE_PORT": "443"})


def config_variable(name: str, key: str) -> dict[str, Any]:
    """An environment variable with one of the ConfigMap's settings, if that has it."""
    return {"name": name, "valueFrom": {"configMapKeyRef": {"name": CONFIG, "key": key, "optional": True}}}


def projected_secrets(name: str, secrets: Mapping[str, Mapping[str, str]], *, optional: bool = False) -> dict[str, Any]:
    """A volume with files of Secrets: secret -> its key -> file; all files of one that names none."""
    more = {"optional": True} if optional else {}
    sources = [{"secret": {"name": secret, **more, **_items(files)}} for secret, files in secrets.items()]
    return {"name": name, "projected": {"defaultMode": _OWNER_READS, "sources": sources}}


def _items(files: Mapping[str, str]) -> dict[str, Any]:
    return {"items": [{"key": key, "path": path} for key, path in files.items()]} if files else {}


def etcd_mounts(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """Mounts of what a client of Cilium's own etcd cluster needs, if there is one."""
    if not cilium.etcd_managed:
        return []
    return [mount("etcd-config-path", ETCD_CONFIG, readOnly=True), mount("etcd-secrets", ETCD_SECRETS, readOnly=True)]


def etcd_volumes(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """Volumes of what a client of Cilium's own etcd cluster needs, if there is one; nodes have its certificate."""
    if not cilium.etcd_managed:
        return []
    items = [{"key": "etcd-config", "path": "etcd.config"}]
    config = {"name": CONFIG, "defaultMode": _OWNER_READS, "items": items}
    return [
        {"name": "etcd-config-path", "configMap": config},
        host_path("etcd-secrets", "/etc/kubernetes/pki/cilium", "Directory"),
    ]
