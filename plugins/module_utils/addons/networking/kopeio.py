# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kopeio, a network of pods (networking.kope.io of kops)."""

from __future__ import annotations

from typing import Any

from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import field_variable, host_path, mount, requests, toleration
from ..objects.rbac import cluster_role, cluster_role_binding, rule, user_subject
from ..objects.workloads import daemon_set
from .selector import NETWORKING

_NAME, _NAMESPACE, _ROLE = "kopeio-networking-agent", "kube-system", "kopeio:networking-agent"
_IMAGE = "kopeio/networking-agent:1.0.20181028"
_ADDON = {"k8s-addon": "networking.kope.io"}


def _build(context: AddonContext) -> list[dict[str, Any]]:
    rules = [rule("", "nodes", "get list watch patch"), rule("", "nodes/status", "patch")]
    subject = user_subject(f"system:serviceaccount:{_NAMESPACE}:{_NAME}")
    return [
        daemon_set(_NAME, _NAMESPACE, _pod(), selector={"name": _NAME}, labels=_ADDON),
        service_account(_NAME, _NAMESPACE, _ADDON),
        cluster_role(_ROLE, _ADDON, rules),
        cluster_role_binding(_ROLE, _ROLE, subject, _ADDON),
    ]


def _pod() -> dict[str, Any]:
    return {
        "hostPID": True,
        "hostIPC": True,
        "hostNetwork": True,
        "containers": [
            {
                "name": "networking-agent",
                "image": _IMAGE,
                "resources": requests(cpu="50m", memory="100Mi", limits={"memory": "100Mi"}),
                "securityContext": {"privileged": True},
                "volumeMounts": [mount("lib-modules", "/lib/modules", readOnly=True)],
                "env": [field_variable("NODE_NAME", "spec.nodeName")],
            }
        ],
        "serviceAccountName": _NAME,
        "priorityClassName": "system-node-critical",
        "tolerations": [toleration(effect="NoSchedule"), toleration(effect="NoExecute")],
        "volumes": [host_path("lib-modules", "/lib/modules")],
    }


ADDON = AddonDefinition(
    name="networking.kope.io",
    condition=network("kopeio", unless="UseAddonOperators"),
    build=_build,
    id="k8s-1.12",
    selector=NETWORKING,
    pruned=True,
    replaceable=True,
)
