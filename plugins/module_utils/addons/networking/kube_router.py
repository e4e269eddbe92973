# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-router, a network of pods (networking.kuberouter of kops)."""

from __future__ import annotations

from typing import Any

from ...api.cluster import Cluster
from ...iam.policy import Policy
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from ..objects.core import config_map, service_account
from ..objects.pods import (
    config_map_volume,
    field_variable,
    host_path,
    mount,
    requests,
    selinux_options,
    toleration,
    variables,
    xtables_lock,
)
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set
from .selector import NETWORKING

_NAME, _NAMESPACE, _CONFIG = "kube-router", "kube-system", "kube-router-cfg"
_IMAGE = "docker.io/cloudnativelabs/kube-router:v2.11.1"
_APP = {"k8s-app": _NAME, "tier": "node"}
_CNI_DIRECTORY, _CNI_FILE = "/etc/cni/net.d", "10-kuberouter.conflist"
_SOURCE = "/etc/kube-router"
_KUBECONFIG = "/var/lib/kube-router/kubeconfig"
_ROUTE_TABLES = "/usr/share/iproute2/rt_tables"
_CONTAINERD = "/run/containerd/containerd.sock"


def _switch_off_source_checks(context: AddonContext, policy: Policy) -> None:
    """Instances accept packets of pods: AWS checks sources and destinations unless it is told otherwise."""
    policy.on_owned.add("ec2:ModifyInstanceAttribute")


def _on_workers(context: AddonContext, policy: Policy, role: str) -> None:
    if role == "Node":
        _switch_off_source_checks(context, policy)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    cluster = context.cluster
    binding = cluster_role_binding(_NAME, _NAME, account_subject(_NAME, _NAMESPACE))
    # Its kubeconfig on the nodes is of this user.
    binding["subjects"].append({"kind": "User", "name": "system:kube-router"})
    return [
        config_map(_CONFIG, _NAMESPACE, _APP, {"cni-conf.json": _CNI}),
        daemon_set(_NAME, _NAMESPACE, _pod(cluster), selector=_APP, labels=_APP),
        service_account(_NAME, _NAMESPACE),
        cluster_role(_NAME, None, _RULES),
        binding,
    ]


_RULES = (
    rule("", "namespaces pods services nodes endpoints", "list get watch"),
    rule("networking.k8s.io", "networkpolicies", "list get watch"),
    rule("extensions", "networkpolicies", "get list watch"),
    rule("coordination.k8s.io", "leases", "get create update"),
    rule("", "services/status", "update"),
    rule("discovery.k8s.io", "endpointslices", "get list watch"),
)

# In the form in which kops writes it.
_CNI = """{
   "cniVersion":"0.3.0",
   "name":"mynet",
   "plugins":[
      {
         "name":"kubernetes",
         "type":"bridge",
         "bridge":"kube-bridge",
         "isDefaultGateway":true,
         "hairpinMode":true,
         "ipam":{
            "type":"host-local"
         }
      },
      {
         "type": "portmap",
         "capabilities": {
            "snat": true,
            "portMappings": true
         }
      }
   ]
}"""


def _pod(cluster: Cluster) -> dict[str, Any]:
    security = selinux_options(cluster)
    return {
        "priorityClassName": "system-node-critical",
        **({"securityContext": security} if security else {}),
        "serviceAccountName": _NAME,
        "serviceAccount": _NAME,
        "containers": [_container(cluster)],
        "initContainers": [_install()],
        "hostNetwork": True,
        "hostPID": True,
        "tolerations": [toleration()],
        "volumes": [
            host_path("lib-modules", "/lib/modules"),
            host_path("cni-conf-dir", _CNI_DIRECTORY),
            config_map_volume(_CONFIG, _CONFIG),
            host_path("kubeconfig", _KUBECONFIG),
            xtables_lock(),
            host_path("rt-tables", _ROUTE_TABLES, "FileOrCreate"),
            host_path("containerd-sock", _CONTAINERD),
        ],
    }


def _container(cluster: Cluster) -> dict[str, Any]:
    return {
        "name": _NAME,
        "image": _IMAGE,
        "args": _arguments(cluster),
        "env": [
            field_variable("NODE_NAME", "spec.nodeName"),
            field_variable("POD_NAME", "metadata.name"),
            *variables({"KUBE_ROUTER_CNI_CONF_FILE": f"{_CNI_DIRECTORY}/{_CNI_FILE}"}),
        ],
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": 20244},
            "initialDelaySeconds": 10,
            "periodSeconds": 3,
        },
        "resources": requests(cpu="250m", memory="250Mi"),
        "securityContext": {"privileged": True},
        "volumeMounts": [
            mount("lib-modules", "/lib/modules", readOnly=True),
            mount("cni-conf-dir", _CNI_DIRECTORY),
            mount("kubeconfig", _KUBECONFIG, readOnly=True),
            mount("xtables-lock", "/run/xtables.lock", readOnly=False),
            mount("rt-tables", _ROUTE_TABLES, readOnly=False),
            mount("containerd-sock", _CONTAINERD, readOnly=True),
        ],
    }


def _arguments(cluster: Cluster) -> list[str]:
    networking = cluster.spec.networking
    nftables = networking.kube_router is not None and networking.kube_router.use_nf_tables_for_netpol
    return [
        "--strict-external-ip-validation=false",
        "--run-router=true",
        "--run-firewall=true",
        "--run-service-proxy=true",
        "--bgp-graceful-restart=true",
        f"--kubeconfig={_KUBECONFIG}",
        "--metrics-port=12013",
        f"--runtime-endpoint=unix://{_CONTAINERD}",
        "--hairpin-mode=true",
        # kube-router takes the quotation marks off.
        f'--service-cluster-ip-range="{networking.service_cluster_ip_range}"',
        *(["--use-nftables-for-netpol=true"] if nftables else []),
    ]


def _install() -> dict[str, Any]:
    """Puts the configuration of CNI in place of any other, once: kube-router itself adds the node's range of pods."""
    others, file, draft = (
        f"{_CNI_DIRECTORY}/*.conf",
        f"{_CNI_DIRECTORY}/{_CNI_FILE}",
        f"{_CNI_DIRECTORY}/.tmp-kuberouter-cfg",
    )
    script = (
        f"set -e -x; if [ ! -f {file} ]; then if [ -f {others} ]; then rm -f {others}; fi; TMP={draft};"
        f" cp {_SOURCE}/cni-conf.json ${{TMP}}; mv ${{TMP}} {file}; fi"
    )
    return {
        "name": "install-cni",
        "image": _IMAGE,
        "command": ["/bin/sh", "-c", script],
        "volumeMounts": [mount("cni-conf-dir", _CNI_DIRECTORY), mount(_CONFIG, _SOURCE)],
    }


ADDON = AddonDefinition(
    name="networking.kuberouter",
    condition=network("kube_router"),
    build=_build,
    id="k8s-1.12",
    selector=NETWORKING,
    service_accounts=(ServiceAccountRole("kube-router", _switch_off_source_checks),),
    instance_permissions=_on_workers,
)
