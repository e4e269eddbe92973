# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of Scaleway (scaleway-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import SCALEWAY
from ..cloud_controllers import COMPLETED_ROLE
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import on_control_plane, requests, toleration
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role_binding, rule
from ..objects.workloads import deployment
from .credentials import NAMESPACE, credentials_from_secret, credentials_secret

_NAME, _ACCOUNT = "scaleway-cloud-controller-manager", "cloud-controller-manager"
_ROLE = "system:cloud-controller-manager"
_RULES = (
    rule("coordination.k8s.io", "leases", "get create update"),
    rule("", "events", "create patch update"),
    rule("", "nodes", "*"),
    rule("", "nodes/status", "patch"),
    rule("", "services", "list patch update watch"),
    rule("", "services/status", "list patch update watch"),
    rule("", "serviceaccounts", "create"),
    rule("", "persistentvolumes", "get list update watch"),
    rule("", "endpoints", "create get list watch update"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    account = account_subject(_ACCOUNT, NAMESPACE)
    return [
        credentials_secret(context),
        deployment(
            _NAME,
            NAMESPACE,
            _pod(),
            selector={"app": _NAME},
            pod_annotations={"scheduler.alpha.kubernetes.io/critical-pod": ""},
            replicas=1,
            revisionHistoryLimit=2,
        ),
        service_account(_ACCOUNT, NAMESPACE),
        cluster_role(_ROLE, None, _RULES, COMPLETED_ROLE),
        cluster_role_binding(_ROLE, _ROLE, account),
        role_binding(_ROLE, NAMESPACE, "extension-apiserver-authentication-reader", account),
    ]


def _pod() -> dict[str, Any]:
    return {
        "affinity": on_control_plane(old_label=True),
        "dnsPolicy": "Default",
        "hostNetwork": True,
        "serviceAccountName": _ACCOUNT,
        "tolerations": [toleration()],
        "containers": [
            {
                "name": _NAME,
                # kops follows upstream's last version.
                "image": f"scaleway/{_NAME}:latest",
                "imagePullPolicy": "Always",
                "args": ["--cloud-provider=scaleway", "--leader-elect=true", "--allow-untagged-cloud"],
                "resources": requests(cpu="100m", memory="50Mi"),
                "envFrom": credentials_from_secret(),
            }
        ],
    }


ADDON = AddonDefinition(
    name="scaleway-cloud-controller.addons.k8s.io",
    condition=on_cloud(SCALEWAY),
    build=_build,
    id="k8s-1.24",
    initializes_nodes=True,
)
