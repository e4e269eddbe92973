# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of Hetzner (hcloud-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import HETZNER
from ...api.cluster import Cluster
from ..cloud_controllers import manager_of
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import requests, toleration
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import deployment
from .config import network_variable, token_variable

_NAME, _NAMESPACE = "hcloud-cloud-controller-manager", "kube-system"
_ROLE = f"system:{_NAME}"
_APP = {"app.kubernetes.io/instance": _NAME, "app.kubernetes.io/name": _NAME}
_RULES = (
    rule("", "configmaps", "get list watch"),
    rule("", "events", "create patch update"),
    rule("", "nodes", "*"),
    rule("", "nodes/status", "patch"),
    rule("", "services", "list watch"),
    rule("", "services/status", "patch update"),
    rule("", "serviceaccounts", "create"),
    rule("coordination.k8s.io", "leases", "create get list watch update"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    pod = _pod(context.cluster)
    return [
        service_account(_NAME, _NAMESPACE),
        cluster_role(_ROLE, None, _RULES),
        cluster_role_binding(f"{_ROLE}:restricted", _ROLE, account_subject(_NAME, _NAMESPACE)),
        deployment(_NAME, _NAMESPACE, pod, selector=_APP, replicas=1, revisionHistoryLimit=2),
    ]


def _pod(cluster: Cluster) -> dict[str, Any]:
    return {
        "containers": [
            {
                "name": _NAME,
                "image": manager_of(cluster).image or "",
                "args": _arguments(cluster),
                "env": [network_variable(), token_variable()],
                "ports": [{"name": "metrics", "containerPort": 8233}],
                "resources": requests(cpu="100m", memory="50Mi"),
            }
        ],
        "dnsPolicy": "Default",
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _NAME,
        "tolerations": [
            {"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"},
            toleration("CriticalAddonsOnly"),
            toleration("node-role.kubernetes.io/master", "NoSchedule"),
            toleration("node-role.kubernetes.io/control-plane", "NoSchedule"),
            {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        ],
    }


def _arguments(cluster: Cluster) -> list[str]:
    """Mostly fixed ones: kops takes them from upstream's chart, not from the specification."""
    return [
        "--allocate-node-cidrs=true",
        "--allow-untagged-cloud",
        "--cloud-provider=hcloud",
        f"--cluster-cidr={cluster.spec.networking.pod_cidr or ''}",
        "--configure-cloud-routes=false",
        "--feature-gates=CloudControllerManagerWatchBasedRoutesReconciliation=true",
        "--route-reconciliation-period=30s",
        f"--v={manager_of(cluster).log_level or 2}",
        "--webhook-secure-port=0",
        "--leader-elect=false",
    ]


ADDON = AddonDefinition(
    name="hcloud-cloud-controller.addons.k8s.io",
    condition=on_cloud(HETZNER),
    build=_build,
    id="k8s-1.22",
    initializes_nodes=True,
)
