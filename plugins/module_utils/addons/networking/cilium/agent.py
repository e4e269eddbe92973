# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent of Cilium: on every node, it attaches pods and translates addresses of Services."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ....api.questions import is_ipv6_only
from ...context import AddonContext
from ...objects.pods import container_ports, mount, toleration, variables
from ...objects.workloads import daemon_set
from .agent_preparation import preparation
from .agent_volumes import agent_mounts, agent_volumes
from .parts import (
    AGENT,
    AGENT_HEALTH_PORT,
    AGENT_PODS,
    CONFIG_FILES,
    HUBBLE_METRICS_PORT,
    HUBBLE_PORT,
    NAMESPACE,
    PART_OF,
    api_server_variables,
    image,
    node_variables,
    resources,
    restricted,
    uses_hubble,
)

_NAME = {"app.kubernetes.io/name": "cilium-agent"}
_SELECTOR = {**AGENT_PODS, "kubernetes.io/cluster-service": "true"}
_WITHOUT_APPARMOR = ("cilium-agent", "clean-cilium-state", "mount-cgroup", "apply-sysctl-overwrites")
_CAPABILITIES = (
    "CHOWN KILL NET_ADMIN NET_RAW IPC_LOCK SYS_MODULE SYS_ADMIN SYS_RESOURCE DAC_OVERRIDE FOWNER SETGID SETUID"
)
_MONITOR = """for i in {1..5}; do \\
  [ -S /var/run/cilium/monitor1_2.sock ] && break || sleep 10;\\
  done; \\
cilium-dbg monitor"""
# Rules that the plug-in of Amazon VPC may have left send answers of pods elsewhere. kops' text, with its comments: pods
# are equal to kops' only if it is.
_AMAZON_VPC_CLEANUP = """set -o errexit
set -o pipefail
set -o nounset

# When running in AWS ENI mode, it's likely that 'aws-node' has
# had a chance to install SNAT iptables rules. These can result
# in dropped traffic, so we should attempt to remove them.
# We do it using a 'postStart' hook since this may need to run
# for nodes which might have already been init'ed but may still
# have dangling rules. This is safe because there are no
# dependencies on anything that is part of the startup script
# itself, and can be safely run multiple times per node (e.g. in
# case of a restart).
if [[ "$(iptables-save | grep -E -c 'AWS-SNAT-CHAIN|AWS-CONNMARK-CHAIN')" != "0" ]];
then
    echo 'Deleting iptables rules created by the AWS CNI VPC plugin'
    iptables-save | grep -E -v 'AWS-SNAT-CHAIN|AWS-CONNMARK-CHAIN' | iptables-restore
fi
echo 'Done!'
"""


def agent(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """The DaemonSet. A change of it takes effect when nodes are replaced: only a deleted pod is made anew."""
    return daemon_set(
        AGENT,
        NAMESPACE,
        _pod(context, cilium),
        selector=_SELECTOR,
        labels={**_SELECTOR, **_NAME, **PART_OF},
        pod_labels={**_SELECTOR, **_NAME, **PART_OF},
        pod_annotations=_annotations(cilium),
        updateStrategy={"type": "OnDelete"},
    )


def _annotations(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    scraped = {"prometheus.io/port": str(cilium.agent_prometheus_port), "prometheus.io/scrape": "true"}
    return {
        **(scraped if cilium.enable_prometheus_metrics else {}),
        **{f"container.apparmor.security.beta.kubernetes.io/{name}": "unconfined" for name in _WITHOUT_APPARMOR},
        "kubectl.kubernetes.io/default-container": "cilium-agent",
        **cilium.agent_pod_annotations,
    }


def _pod(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    one_on_a_node = {"labelSelector": {"matchLabels": dict(AGENT_PODS)}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "securityContext": {"seccompProfile": {"type": "Unconfined"}},
        "initContainers": preparation(context, cilium),
        "containers": [_container(context, cilium), *([_monitor(cilium)] if cilium.debug else [])],
        "restartPolicy": "Always",
        "priorityClassName": "system-node-critical",
        "serviceAccountName": AGENT,
        "automountServiceAccountToken": True,
        "terminationGracePeriodSeconds": 1,
        "hostNetwork": True,
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [one_on_a_node]}},
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [toleration()],
        "volumes": agent_volumes(context, cilium),
    }


def _container(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    ports = _ports(cilium)
    return {
        "name": "cilium-agent",
        "image": image(cilium, "cilium"),
        "imagePullPolicy": "IfNotPresent",
        "command": ["cilium-agent"],
        "args": [f"--config-dir={CONFIG_FILES}"],
        "startupProbe": _probe(
            context, failureThreshold=300, periodSeconds=2, successThreshold=1, initialDelaySeconds=5
        ),
        "livenessProbe": _probe(
            context,
            {"require-k8s-connectivity": "true"},
            periodSeconds=30,
            successThreshold=1,
            failureThreshold=10,
            timeoutSeconds=5,
        ),
        "readinessProbe": _probe(context, periodSeconds=30, successThreshold=1, failureThreshold=3, timeoutSeconds=5),
        "resources": resources(cilium),
        "env": _environment(context),
        "lifecycle": _lifecycle(cilium),
        **({"ports": ports} if ports else {}),
        "securityContext": restricted(_CAPABILITIES),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": agent_mounts(context, cilium),
    }


def _probe(context: AddonContext, headers: dict[str, str] | None = None, **settings: int) -> dict[str, Any]:
    sent = {"brief": "true", **(headers or {})}
    request = {
        "host": "::1" if is_ipv6_only(context.cluster) else "127.0.0.1",
        "path": "/healthz",
        "port": AGENT_HEALTH_PORT,
        "scheme": "HTTP",
        "httpHeaders": variables(sent),
    }
    return {"httpGet": request, **settings}


def _environment(context: AddonContext) -> list[dict[str, Any]]:
    memory = {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1"}}
    return [
        *node_variables(),
        *variables({"CILIUM_CLUSTERMESH_CONFIG": "/var/lib/cilium/clustermesh/"}),
        {"name": "GOMEMLIMIT", "valueFrom": memory},
        *variables({"KUBE_CLIENT_BACKOFF_BASE": "1", "KUBE_CLIENT_BACKOFF_DURATION": "120"}),
        *api_server_variables(context),
    ]


def _lifecycle(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    found: dict[str, Any] = {"preStop": {"exec": {"command": ["/cni-uninstall.sh"]}}}
    if cilium.ipam == "eni":
        found["postStart"] = {"exec": {"command": ["bash", "-c", _AMAZON_VPC_CLEANUP]}}
    return found


def _ports(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    found = []
    if cilium.hubble and uses_hubble(cilium):
        served = {
            "peer-service": HUBBLE_PORT,
            **({"hubble-metrics": HUBBLE_METRICS_PORT} if cilium.hubble.metrics else {}),
        }
        found += [
            {"name": name, "containerPort": number, "hostPort": number, "protocol": "TCP"}
            for name, number in served.items()
        ]
    if cilium.enable_prometheus_metrics:
        found += container_ports({"prometheus": (cilium.agent_prometheus_port or 0, "TCP")})
    return found


def _monitor(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """Prints what happens to packets, for who debugs."""
    return {
        "name": "cilium-monitor",
        "image": image(cilium, "cilium"),
        "imagePullPolicy": "IfNotPresent",
        "command": ["/bin/bash", "-c", "--"],
        "args": [_MONITOR],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [mount("cilium-run", "/var/run/cilium")],
    }
