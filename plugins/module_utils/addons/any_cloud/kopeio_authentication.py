# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authentication by kopeio: a server of users and tokens (authentication.kope.io of kops)."""

from __future__ import annotations

from typing import Any

from ..conditions import authentication
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object, service_account
from ..objects.pods import on_control_plane, toleration
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role_binding, rule
from ..objects.services import api_service, port, service
from ..objects.workloads import daemon_set

_ADDON = "authentication.kope.io"
_NAME, _NAMESPACE = "auth-api", "kopeio-auth"
_APP = {"app": _NAME}
_LABELS = {"k8s-addon": _ADDON}
_GROUP = "auth.kope.io"
_PORT, _SECURE_PORT = 9001, 9002


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        kubernetes_object("v1", "Namespace", _NAMESPACE, labels=_LABELS),
        service(_NAME, _NAMESPACE, [port(443, _SECURE_PORT)], _APP, _LABELS),
        daemon_set(_NAME, _NAMESPACE, _pod(), selector=_APP, labels=_LABELS),
        *(_api_service(group) for group in (_GROUP, f"config.{_GROUP}")),
        service_account(_NAME, _NAMESPACE, _LABELS),
        *_permissions(),
    ]


def _pod() -> dict[str, Any]:
    container = {
        "name": _NAME,
        "image": "kopeio/auth-api:1.0.20171125",
        "imagePullPolicy": "Always",
        "ports": [{"containerPort": _PORT}],
        "command": [
            f"/{_NAME}",
            f"--listen=127.0.0.1:{_PORT}",
            f"--secure-port={_SECURE_PORT}",
            "--etcd-servers=http://127.0.0.1:4001",
            "--v=8",
            "--storage-backend=etcd2",
        ],
    }
    roles = ("node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane")
    return {
        "affinity": on_control_plane(old_label=True),
        "serviceAccountName": _NAME,
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "tolerations": [
            *({"effect": "NoSchedule", "key": role} for role in roles),
            toleration("CriticalAddonsOnly"),
        ],
        "containers": [container],
    }


def _api_service(group: str) -> dict[str, Any]:
    trust = {"insecureSkipTLSVerify": True, "groupPriorityMinimum": 1000, "versionPriority": 15}
    return api_service(group, "v1alpha1", (_NAMESPACE, _NAME), labels=_LABELS, **trust)


def _permissions() -> list[dict[str, Any]]:
    account = account_subject(_NAME, _NAMESPACE)
    reader, delegator = "extension-apiserver-authentication-reader", "system:auth-delegator"
    role = cluster_role(_NAME, _LABELS, [rule(_GROUP, "users", "get list watch")])
    binding = cluster_role_binding(_NAME, _NAME, account, _LABELS)
    for obj in (role, binding):
        # kops writes a namespace, though both are of the whole cluster.
        obj["metadata"]["namespace"] = _NAMESPACE
    return [
        role_binding(f"{_NAMESPACE}:{_NAME}:auth-reader", "kube-system", reader, account, _LABELS),
        cluster_role_binding(f"{_NAMESPACE}:{delegator}", delegator, account, _LABELS),
        role,
        binding,
    ]


ADDON = AddonDefinition(
    name=_ADDON,
    condition=authentication("kopeio"),
    build=_build,
    id="k8s-1.12",
    selector={"role.kubernetes.io/authentication": "1"},
)
