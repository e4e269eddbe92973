# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of DigitalOcean (digitalocean-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import DIGITALOCEAN
from ..cloud_controllers import COMPLETED_ROLE
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import secret, service_account
from ..objects.pods import on_control_plane, requests, secret_variable, toleration, variables
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set

NAMESPACE = "kube-system"
_NAME, _ACCOUNT = "digitalocean-cloud-controller-manager", "cloud-controller-manager"
_IMAGE = f"digitalocean/{_NAME}:v0.1.45"
_ROLE = "system:cloud-controller-manager"
_SECRET, _KEY = "digitalocean", "access-token"
_APP = {"k8s-app": _NAME}
_RULES = (
    rule("coordination.k8s.io", "leases", "get watch list create update delete"),
    rule("", "events", "create patch update"),
    rule("", "nodes", "*"),
    rule("", "nodes/status", "patch"),
    rule("", "services", "list patch update watch"),
    rule("", "services/status", "list patch update watch"),
    rule("", "serviceaccounts", "create"),
    rule("", "persistentvolumes", "get list update watch"),
    rule("", "endpoints", "create get list watch update"),
)


def token_variable(name: str) -> dict[str, Any]:
    """The environment variable with which programs on DigitalOcean get the token."""
    return secret_variable(name, _SECRET, _KEY)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    token = context.credentials.get("DIGITALOCEAN_ACCESS_TOKEN") or None
    return [
        secret(_SECRET, NAMESPACE, {_KEY: token}),
        daemon_set(_NAME, NAMESPACE, _pod(), selector=_APP),
        service_account(_ACCOUNT, NAMESPACE),
        cluster_role(_ROLE, None, _RULES, COMPLETED_ROLE),
        cluster_role_binding(_ROLE, _ROLE, account_subject(_ACCOUNT, NAMESPACE)),
    ]


def _pod() -> dict[str, Any]:
    # It starts before kube-proxy translates the Service's address.
    server = variables({"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "443"})
    return {
        "affinity": on_control_plane(old_label=True),
        "serviceAccountName": _ACCOUNT,
        "dnsPolicy": "Default",
        "nodeSelector": None,
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "tolerations": [toleration()],
        "containers": [
            {
                "name": _NAME,
                "image": _IMAGE,
                "command": [f"/bin/{_NAME}", "--leader-elect=true"],
                "resources": requests(cpu="100m", memory="50Mi"),
                "env": [*server, token_variable("DO_ACCESS_TOKEN")],
            }
        ],
    }


ADDON = AddonDefinition(
    name="digitalocean-cloud-controller.addons.k8s.io",
    condition=on_cloud(DIGITALOCEAN),
    build=_build,
    id="k8s-1.8",
    initializes_nodes=True,
)
