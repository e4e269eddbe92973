# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which static pods a node lacks although its kubelet works, and who is repaired because of that."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.static_pods import Lack, lacks
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.unready import Patience, failed_nodes
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Group
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import serving

NOW = datetime.datetime(2026, 5, 8, 12, 0, 0, tzinfo=datetime.timezone.utc)
LONG, SHORT = "2026-05-08T11:00:00Z", "2026-05-08T11:59:00Z"
APPS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


def conditions(status: str, since: str) -> dict[str, Any]:
    return {"conditions": [{"type": "Ready", "status": status, "lastTransitionTime": since}]}


def node(name: str = "c", ready: str = "True", since: str = LONG, role: str = "control-plane") -> dict[str, Any]:
    labels = {f"node-role.kubernetes.io/{role}": "", "kops.k8s.io/instancegroup": role}
    return {"metadata": {"name": name, "labels": labels}, "status": conditions(ready, since)}


def pod(app: str, on: str = "c", ready: str = "True", since: str = LONG) -> dict[str, Any]:
    about = {"name": f"{app}-{on}", "labels": {"k8s-app": app}, "annotations": {"kubernetes.io/config.mirror": "x"}}
    return {"metadata": about, "spec": {"nodeName": on}, "status": conditions(ready, since)}


ALL = [pod(app) for app in APPS]


@pytest.mark.parametrize(
    ("of_node", "pods", "expected"),
    [
        (node(), ALL, None),
        (node(), ALL[:2], Lack(3600, "it has no pod kube-scheduler", ("kube-scheduler",))),
        # Its pods may come as long as it has not been ready for long.
        (node(since=SHORT), [], Lack(60, f"it has no pod {', '.join(APPS)}", APPS)),
        (node(), [*ALL[:2], pod(APPS[2], on="d")], Lack(3600, "it has no pod kube-scheduler", ("kube-scheduler",))),
        (node(), [*ALL, pod("etcd-main", ready="False", since=SHORT)], Lack(60, "its pod etcd-main-c is not ready")),
        (node(role="node"), [], None),
        (node(role="node"), [pod("kube-proxy", ready="False")], Lack(3600, "its pod kube-proxy-c is not ready")),
        # That is what is said of it then.
        (node(ready="Unknown"), [], None),
    ],
)
def test_what_a_node_lacks(of_node: Any, pods: list[Any], expected: Lack | None) -> None:
    assert lacks([of_node], pods, NOW) == ({"c": expected} if expected else {})


def test_pods_of_others_are_no_static_pods() -> None:
    other = pod("coredns", ready="False")
    del other["metadata"]["annotations"]
    assert lacks([node(role="node")], [other], NOW) == {}


def test_such_a_node_has_failed_as_one_that_is_not_ready_has() -> None:
    groups = [Group("control-plane", "ControlPlane")]
    with serving() as fake:
        for name in "abc":
            fake.add("Node", name, **node(name))
            for app in APPS:
                made = pod(app, name)
                fake.add("Pod", made["metadata"]["name"], "kube-system", **made)
        assert failed_nodes(fake.client(), groups, Patience()).nodes == []
        del fake.objects["/api/v1/namespaces/kube-system/pods/kube-scheduler-c"]
        found = failed_nodes(fake.client(), groups, Patience())
        assert found.nodes == [
            {"name": "c", "instance_group": "control-plane", "reason": "it has no pod kube-scheduler"}
        ]
        assert found.held_back == {}
        # Two of three: that is rarely the fault of the nodes.
        del fake.objects["/api/v1/namespaces/kube-system/pods/kube-scheduler-b"]
        assert list(failed_nodes(fake.client(), groups, Patience()).held_back) == ["control-plane"]
