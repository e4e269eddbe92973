# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of OpenStack (openstack.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import OPENSTACK
from ...api.cluster import Cluster
from ...api.openstack import OpenstackSpec
from ..cloud_controllers import cloud_controller_arguments, manager_of
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import block_text, secret, service_account
from ..objects.pods import host_path, mount, on_control_plane, requests, secret_volume, selinux_options, toleration
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set
from .cloud_config import CONFIG_OBJECT, cloud_config
from .images import provider_image

_NAMESPACE = "kube-system"
_ACCOUNT = "cloud-controller-manager"
_NAME = "openstack-cloud-provider"
_MANAGER_ROLE, _NODE_ROLE = "system:cloud-controller-manager", "system:cloud-node-controller"
_LABELS = {"k8s-app": _NAME}
_SELECTOR = {"name": _NAME}
_PROGRAM = "openstack-cloud-controller-manager"

_NODES = rule("", "nodes", "*")
_NODE_STATUS = rule("", "nodes/status", "patch")
_EVENTS = rule("", "events", "create patch update")
_MANAGER_RULES = (
    rule("coordination.k8s.io", "leases", "get create update"),
    _EVENTS,
    _NODES,
    _NODE_STATUS,
    rule("", "services", "list patch update watch"),
    rule("", "services/status", "patch"),
    rule("", "serviceaccounts", "create get"),
    rule("", "serviceaccounts/token", "create"),
    rule("", "persistentvolumes", "*"),
    rule("", "endpoints", "create get list watch update"),
    rule("", "configmaps", "get list watch"),
    rule("", "secrets", "list get watch"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    openstack = context.cluster.spec.cloud_provider.openstack or OpenstackSpec()
    manager = account_subject(_ACCOUNT, _NAMESPACE)
    # Nothing makes this account; the role is for controllers that run apart, which upstream no longer has.
    node = account_subject("cloud-node-controller", _NAMESPACE)
    return [
        secret(CONFIG_OBJECT, _NAMESPACE, {"cloud.config": block_text(cloud_config(openstack, context.credentials))}),
        service_account(_ACCOUNT, _NAMESPACE, _LABELS),
        cluster_role_binding(_NODE_ROLE, _NODE_ROLE, node, _LABELS),
        cluster_role_binding(_MANAGER_ROLE, _MANAGER_ROLE, manager, _LABELS),
        cluster_role(_MANAGER_ROLE, _LABELS, _MANAGER_RULES),
        cluster_role(_NODE_ROLE, _LABELS, (_NODES, _NODE_STATUS, _EVENTS)),
        daemon_set(
            _NAME,
            _NAMESPACE,
            _pod(context.cluster),
            selector=_SELECTOR,
            labels=_LABELS,
            updateStrategy={"type": "RollingUpdate"},
        ),
    ]


def _pod(cluster: Cluster) -> dict[str, Any]:
    manager = manager_of(cluster)
    certificates = bool(cluster.spec.use_host_certificates)
    return {
        "affinity": on_control_plane(old_label=True),
        # It gives nodes their addresses, without which there is no network of pods.
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "nodeSelector": None,
        "securityContext": {"runAsUser": 1001, **selinux_options(cluster)},
        "serviceAccountName": _ACCOUNT,
        "tolerations": [toleration(effect="NoSchedule"), toleration("CriticalAddonsOnly")],
        "containers": [
            {
                "name": _PROGRAM,
                "image": manager.image or provider_image(_PROGRAM, cluster),
                "args": [f"/bin/{_PROGRAM}", *cloud_controller_arguments(cluster)],
                "resources": requests(cpu=manager.cpu_request or "200m"),
                "volumeMounts": [
                    mount("cloudconfig", "/etc/kubernetes", readOnly=True),
                    *([mount("etc-ssl-certs", "/etc/ssl/certs", readOnly=True)] if certificates else []),
                ],
            }
        ],
        "volumes": [
            secret_volume("cloudconfig", CONFIG_OBJECT),
            *([host_path("etc-ssl-certs", "/etc/ssl/certs", "DirectoryOrCreate")] if certificates else []),
        ],
    }


ADDON = AddonDefinition(
    name="openstack.addons.k8s.io",
    condition=on_cloud(OPENSTACK),
    build=_build,
    id="k8s-1.13-ccm",
    file="k8s-1.13.yaml",
    initializes_nodes=True,
)
