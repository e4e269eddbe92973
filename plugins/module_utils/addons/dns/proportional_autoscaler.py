# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster-proportional-autoscaler, which sets the replicas of the cluster's DNS by the number of nodes."""

from __future__ import annotations

from typing import Any

from ..objects.core import service_account
from ..objects.pods import requests
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import deployment

NODES_PER_REPLICA = 16
_NAMESPACE = "kube-system"
_SCALING = (
    f'{{"linear":{{"coresPerReplica":256,"nodesPerReplica":{NODES_PER_REPLICA},"preventSinglePointFailure":true}}}}'
)
_RULES = (
    rule("", "nodes", "list watch"),
    rule("", "replicationcontrollers/scale", "get update"),
    rule(("extensions", "apps"), "deployments/scale replicasets/scale", "get update"),
    rule("", "configmaps", "get create"),
)


def autoscaler_of(target: str, addon: str, image: str, **pod: Any) -> list[dict[str, Any]]:
    """The objects that keep the replicas of a Deployment in step with the nodes.

    target: its name. addon: the name of the addon that it is of. pod: other fields of the autoscaler's pods, such as
    tolerations.
    """
    name = f"{target}-autoscaler"
    app, labels = {"k8s-app": name}, {"k8s-addon": addon}
    container = {
        "name": "autoscaler",
        "image": image,
        "resources": requests(cpu="20m", memory="10Mi"),
        "command": [
            "/cluster-proportional-autoscaler",
            f"--namespace={_NAMESPACE}",
            f"--configmap={name}",
            f"--target=Deployment/{target}",
            f"--default-params={_SCALING}",
            "--logtostderr=true",
            "--v=2",
        ],
    }
    specification = {"containers": [container], "serviceAccountName": name, **pod}
    own = {**labels, **app, "kubernetes.io/cluster-service": "true"}
    return [
        service_account(name, _NAMESPACE, labels),
        cluster_role(name, labels, _RULES),
        cluster_role_binding(name, name, account_subject(name, _NAMESPACE), labels),
        deployment(name, _NAMESPACE, specification, selector=app, labels=own),
    ]
