# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The local path provisioner: volumes that are directories of the node where their first pod runs.

The default storage class of a cluster that has no storage of a cloud.
Source: deploy/local-path-storage.yaml of upstream.
"""

from __future__ import annotations

import json
from typing import Any

from ...api.well_known_addons import LOCAL_PATH_STORAGE
from ..conditions import on_bare_metal_if_named
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import config_map, kubernetes_object, service_account
from ..objects.pods import config_map_volume, field_variable, mount, requests, toleration, variables
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from ..objects.storage import storage_class
from ..objects.workloads import deployment

NAMESPACE = "local-path-storage"
# Of volumes, on each node.
DIRECTORY = "/opt/local-path-provisioner"
_NAME, _CONFIG, _MOUNT = "local-path-provisioner", "local-path-config", "/etc/config"
_ACCOUNT, _ROLE, _BINDING = f"{_NAME}-service-account", f"{_NAME}-role", f"{_NAME}-bind"
_IMAGE = "docker.io/rancher/local-path-provisioner:v0.0.37"
# Of the pods that make and delete directories.
_HELPER_IMAGE = "docker.io/library/busybox:1.37.0"
_APP = {"app": _NAME}
_READ = "get list watch"
_CHANGE = f"{_READ} create patch update delete"
_RULES = (
    rule("", "nodes persistentvolumeclaims configmaps pods pods/log", _READ),
    rule("", "persistentvolumes", _CHANGE),
    rule("", "events", "create patch"),
    rule("storage.k8s.io", "storageclasses", _READ),
)
_SHELL = "#!/bin/sh\nset -eu\n"


def _build(context: AddonContext) -> list[dict[str, Any]]:
    account = account_subject(_ACCOUNT, NAMESPACE)
    # Pods that make directories mount them from the node.
    privileged = {"pod-security.kubernetes.io/enforce": "privileged"}
    return [
        kubernetes_object("v1", "Namespace", NAMESPACE, labels=privileged),
        service_account(_ACCOUNT, NAMESPACE),
        role(_ROLE, NAMESPACE, None, [rule("", "pods", _CHANGE)]),
        cluster_role(_ROLE, None, _RULES),
        role_binding(_BINDING, NAMESPACE, _ROLE, account),
        cluster_role_binding(_BINDING, _ROLE, account),
        storage_class(
            "local-path",
            "rancher.io/local-path",
            default=True,
            volumeBindingMode="WaitForFirstConsumer",
            reclaimPolicy="Delete",
        ),
        config_map(_CONFIG, NAMESPACE, _APP, _settings(context)),
        _provisioner(),
    ]


def _settings(context: AddonContext) -> dict[str, str]:
    everywhere = {"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": [DIRECTORY]}
    return {
        "config.json": json.dumps({"nodePathMap": [everywhere]}),
        "setup": f'{_SHELL}mkdir -m 0777 -p "$VOL_DIR"\n',
        "teardown": f'{_SHELL}rm -rf "$VOL_DIR"\n',
        "helperPod.yaml": json.dumps(_helper(context.image(_HELPER_IMAGE))),
    }


def _helper(image: str) -> dict[str, Any]:
    pod = {
        "priorityClassName": "system-node-critical",
        "automountServiceAccountToken": False,
        # Directories have to go, whatever the node's taints are.
        "tolerations": [toleration()],
        "containers": [{"name": "helper-pod", "image": image, "imagePullPolicy": "IfNotPresent"}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "helper-pod"}, "spec": pod}


def _provisioner() -> dict[str, Any]:
    container = {
        "name": _NAME,
        "image": _IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "command": [f"/usr/bin/{_NAME}", "start", "--config", f"{_MOUNT}/config.json"],
        "env": [
            field_variable("POD_NAMESPACE", "metadata.namespace"),
            *variables({"CONFIG_MOUNT_PATH": f"{_MOUNT}/"}),
        ],
        "resources": requests(cpu="10m", memory="50Mi"),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 65534,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [mount("config-volume", f"{_MOUNT}/")],
    }
    pod = {
        "containers": [container],
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _ACCOUNT,
        "volumes": [config_map_volume("config-volume", _CONFIG)],
    }
    return deployment(_NAME, NAMESPACE, pod, selector=_APP, labels=_APP, replicas=1)


ADDON = AddonDefinition(
    name="local-path-storage.addons.k8s.io",
    condition=on_bare_metal_if_named(LOCAL_PATH_STORAGE),
    build=_build,
    id="k8s-1.16",
    pruned=True,
    stays=True,
    images=(_HELPER_IMAGE,),
)
