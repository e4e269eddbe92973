# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of a running cluster: order, what is reported, what is deleted, what is waited for."""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.rollouts import await_rollouts, workloads
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

LABELS = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": "web"}
APPS = "/apis/apps/v1/namespaces/web"


def obj(kind: str, name: str, namespace: str = "", api_version: str = "v1", **more: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": dict(LABELS)}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


# Not in the order in which they can be applied.
WEB = {
    "name": "web",
    "objects": [
        obj("Deployment", "web", "web", "apps/v1", spec={"replicas": 2}),
        obj("ConfigMap", "settings", "web", data={"a": "1"}),
        obj("ClusterRole", "web", api_version="rbac.authorization.k8s.io/v1"),
        obj("Namespace", "web"),
    ],
}


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


def applied(api: FakeKubernetes) -> list[str]:
    return [each.split("?")[0].rpartition("/")[0].split("/")[-1] for each in api.requests if each.startswith("PATCH")]


def changes(report: Any) -> list[str]:
    return [step.item for step in report.steps if step.changed]


def test_namespaces_come_first_and_pods_last(api: FakeKubernetes) -> None:
    report = apply_addons(api.client(), [WEB])
    kinds = applied(api)
    assert (kinds[0], kinds[-1], sorted(kinds[1:3])) == ("namespaces", "deployments", ["clusterroles", "configmaps"])
    assert report.changed
    assert sorted(changes(report)) == [
        "ClusterRole web",
        "ConfigMap web/settings",
        "Deployment web/web",
        "Namespace web",
    ]


def test_a_network_runs_before_other_addons_are_applied(api: FakeKubernetes) -> None:
    spec = {"selector": {"matchLabels": {"app": "agent"}}}
    agent = obj("DaemonSet", "agent", "net", "apps/v1", spec=spec, status={"desiredNumberScheduled": 1})
    network = {"name": "networking.flannel", "objects": [agent]}
    api.add("Namespace", "net")
    seen: list[str] = []

    def start() -> None:
        while not applied(api):
            time.sleep(0.01)
        time.sleep(0.1)
        seen.extend(applied(api))
        api.add("Pod", "agent-1", "net", metadata={"labels": {"app": "agent"}}, status={"phase": "Running"})

    kubelet = threading.Thread(target=start)
    kubelet.start()
    apply_addons(api.client(), [WEB, network], wait=30)
    kubelet.join()
    assert seen == ["daemonsets"]
    assert applied(api)[-1] == "deployments"


def test_a_network_that_does_not_run_holds_nothing_up_for_long(api: FakeKubernetes) -> None:
    agent = obj("DaemonSet", "agent", "net", "apps/v1", spec={"selector": {}}, status={"desiredNumberScheduled": 1})
    api.add("Namespace", "net")
    apply_addons(api.client(), [{"name": "networking.flannel", "objects": [agent]}, WEB], wait=0.1)
    assert applied(api)[-1] == "deployments"


def test_a_second_run_changes_nothing(api: FakeKubernetes) -> None:
    apply_addons(api.client(), [WEB])
    before = copy.deepcopy(api.objects)
    report = apply_addons(api.client(), [WEB])
    assert (report.changed, len(report.steps), api.objects) == (False, 4, before)


def test_checking_says_what_would_be_and_stores_nothing(api: FakeKubernetes) -> None:
    """Also of objects in a namespace that only the real run brings."""
    report = apply_addons(api.client(check=True), [WEB], ["old"])
    assert (len(changes(report)), api.objects, api.writes()) == (4, {}, [])
    apply_addons(api.client(), [WEB])
    assert not apply_addons(api.client(check=True), [WEB], ["old"]).changed


def test_a_change_is_shown_by_what_differs(api: FakeKubernetes) -> None:
    apply_addons(api.client(), [WEB])
    other = copy.deepcopy(WEB)
    other["objects"][1]["data"] = {"a": "2"}
    step = next(step for step in apply_addons(api.client(), [other]).steps if step.changed)
    assert (step.item, step.before, step.after) == (
        "ConfigMap web/settings",
        {"data": {"a": "1"}},
        {"data": {"a": "2"}},
    )


def test_secrets_are_not_shown(api: FakeKubernetes) -> None:
    api.add("Namespace", "web")
    addon = {"name": "web", "objects": [obj("Secret", "s", "web", stringData={"key": "hidden-value"})]}
    for check in (True, False):
        report = apply_addons(api.client(check=check), [addon])
        assert report.changed
        assert "hidden-value" not in json.dumps(report.as_dict())


def test_a_version_that_a_manifest_names_is_not_sent(api: FakeKubernetes) -> None:
    addon = {"name": "web", "objects": [obj("Namespace", "web")]}
    addon["objects"][0]["metadata"]["resourceVersion"] = "0"
    apply_addons(api.client(), [addon])
    assert api.objects["/api/v1/namespaces/web"]["metadata"]["resourceVersion"] != "0"


def test_what_left_its_addon_is_deleted(api: FakeKubernetes) -> None:
    apply_addons(api.client(), [WEB])
    api.add("ConfigMap", "others", "web", metadata={"labels": {**LABELS, "addon.kops.k8s.io/name": "other"}})
    api.add("ConfigMap", "own", "web")
    less = {"name": "web", "objects": [WEB["objects"][0]]}
    report = apply_addons(api.client(check=True), [less])
    assert sorted(changes(report)) == ["ClusterRole web", "ConfigMap web/settings"]
    assert len(api.objects) == 6
    report = apply_addons(api.client(), [less])
    gone = [step for step in report.steps if step.changed]
    assert sorted(step.item for step in gone) == ["ClusterRole web", "ConfigMap web/settings"]
    assert all(step.before and step.after is None for step in gone)
    names = sorted(path.rpartition("/")[2] for path in api.objects)
    assert names == ["others", "own", "web", "web"], "namespaces stay, and so does what is others'"
    assert not apply_addons(api.client(), [less]).changed


def test_of_a_retired_addon_nothing_is_left_but_its_namespace(api: FakeKubernetes) -> None:
    apply_addons(api.client(), [WEB])
    report = apply_addons(api.client(), [], ["web"])
    assert len(changes(report)) == 3
    assert list(api.objects) == ["/api/v1/namespaces/web"]


def test_all_refusals_are_told_and_other_addons_go_on(api: FakeKubernetes) -> None:
    api.add("Namespace", "web")
    api.add("ConfigMap", "old", "web", metadata={"labels": LABELS})
    bad = [obj("ConfigMap", name, "web", refused=True) for name in ("one", "two")]
    first = {"name": "web", "objects": [*bad, obj("ConfigMap", "three", "web"), WEB["objects"][0]]}
    second = {"name": "late", "objects": [obj("ConfigMap", "late", "web")]}
    third = {"name": "last", "objects": [obj("ConfigMap", "four", "web", refused=True)]}
    started = time.monotonic()
    with pytest.raises(KopsError) as caught:
        apply_addons(api.client(), [first, second, third], wait=60)
    assert time.monotonic() - started < 30, "what will never be accepted is not waited for"
    message = str(caught.value)
    assert "addon web cannot be applied:" in message
    assert "ConfigMap web/one: " in message
    assert "two is invalid" in message
    assert "addon last cannot be applied:" in message
    names = sorted(path.rpartition("/")[2] for path in api.objects)
    assert names == ["late", "old", "three", "web"], "what is half applied is not pruned"


def test_a_namespace_of_an_object_of_the_whole_cluster_means_nothing(api: FakeKubernetes) -> None:
    role = obj("ClusterRole", "web", "web", api_version="rbac.authorization.k8s.io/v1")
    addon = {"name": "web", "objects": [role]}
    apply_addons(api.client(), [addon])
    report = apply_addons(api.client(), [addon])
    assert not report.changed
    assert len(api.objects) == 1


def definition(kind: str, group: str) -> dict[str, Any]:
    spec = {"group": group, "names": {"kind": kind}}
    return obj("CustomResourceDefinition", kind, api_version="apiextensions.k8s.io/v1", spec=spec)


def serve(api: FakeKubernetes, api_version: str, kind: str, plural: str) -> None:
    """The API server knows a kind from now on."""
    api.kinds.setdefault(api_version, {})[kind] = (plural, True)


def test_a_kind_of_the_addon_s_own_is_waited_for(api: FakeKubernetes) -> None:
    gadget = obj("Gadget", "one", "web", api_version="example.com/v1")
    addon = {"name": "web", "objects": [gadget, definition("Gadget", "example.com")]}
    assert changes(apply_addons(api.client(check=True), [addon])) == [
        "CustomResourceDefinition Gadget",
        "Gadget web/one",
    ]
    api.add("Namespace", "web")
    later = threading.Timer(0.5, lambda: serve(api, "example.com/v1", "Gadget", "gadgets"))
    later.start()
    apply_addons(api.client(), [addon])
    later.join()
    assert "/apis/example.com/v1/namespaces/web/gadgets/one" in api.objects


def test_a_kind_of_another_addon_is_tried_again(api: FakeKubernetes) -> None:
    api.add("Namespace", "web")
    user = {"name": "user", "objects": [obj("Gadget", "one", "web", api_version="example.com/v1")]}
    maker = {"name": "maker", "objects": [definition("Gadget", "example.com")]}
    assert len(changes(apply_addons(api.client(check=True), [user, maker]))) == 2
    later = threading.Timer(0.5, lambda: serve(api, "example.com/v1", "Gadget", "gadgets"))
    later.start()
    report = apply_addons(api.client(), [user, maker], wait=30)
    later.join()
    assert sorted(changes(report)) == ["CustomResourceDefinition Gadget", "Gadget web/one"]
    assert not apply_addons(api.client(), [user, maker], wait=30).changed


def test_a_kind_that_nobody_defines_is_an_error(api: FakeKubernetes) -> None:
    user = {"name": "user", "objects": [obj("Gadget", "one", "web", api_version="example.com/v1")]}
    for client in (api.client(check=True), api.client()):
        with pytest.raises(KopsError, match="does not know kind Gadget"):
            apply_addons(client, [user, WEB])
    assert f"{APPS}/deployments/web" in api.objects


ISSUER = "/apis/cert-manager.io/v1/namespaces/kube-system/issuers"


@pytest.fixture
def cert_manager(api: FakeKubernetes) -> FakeKubernetes:
    api.add("Namespace", "kube-system")
    serve(api, "cert-manager.io/v1", "Issuer", "issuers")
    serve(api, "cert-manager.io/v1", "Certificate", "certificates")
    return api


def test_an_addon_gets_an_authority_of_its_own(cert_manager: FakeKubernetes) -> None:
    addon = {"name": "web", "objects": [], "needs_pki": True}
    assert len(changes(apply_addons(cert_manager.client(), [addon]))) == 3
    assert cert_manager.objects[f"{ISSUER}/web"]["spec"] == {"ca": {"secretName": "web-ca"}}
    assert not apply_addons(cert_manager.client(), [addon]).changed


def test_an_authority_that_kops_made_is_kept(cert_manager: FakeKubernetes) -> None:
    cert_manager.add("Secret", "web-ca", "kube-system")
    addon = {"name": "web", "objects": [], "needs_pki": True}
    assert changes(apply_addons(cert_manager.client(), [addon])) == ["Issuer kube-system/web"]
    assert not [path for path in cert_manager.objects if "/certificates/" in path]


# -- rollouts -------------------------------------------------------------------------------------------------------


def deployment(api: FakeKubernetes, **status: Any) -> list[dict[str, Any]]:
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}}
    found = api.add("Deployment", "web", "web", "apps/v1", spec=spec, status={"observedGeneration": 1, **status})
    found["metadata"]["generation"] = 1
    return workloads([found, {"kind": "ConfigMap"}])


def test_what_is_rolled_out_is_not_waited_for(api: FakeKubernetes) -> None:
    await_rollouts(api.client(), deployment(api, updatedReplicas=2, availableReplicas=2), 0)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({"observedGeneration": 0}, "Deployment web/web was not processed by its controller yet"),
        ({"updatedReplicas": 1, "availableReplicas": 2}, "Deployment web/web has 1 of 2 pods updated"),
        ({"updatedReplicas": 2, "availableReplicas": 1}, "Deployment web/web has 1 of 2 pods ready"),
    ],
)
def test_what_is_not_rolled_out_is_told(api: FakeKubernetes, status: dict[str, int], message: str) -> None:
    with pytest.raises(KopsError, match=message):
        await_rollouts(api.client(), deployment(api, **status), 0)


def test_pods_say_why_they_do_not_run(api: FakeKubernetes) -> None:
    waiting = {"name": "c", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
    scheduling = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}
    status = {"containerStatuses": [waiting], "conditions": [scheduling]}
    api.add("Pod", "web-1", "web", metadata={"labels": {"app": "web"}}, status=status)
    with pytest.raises(KopsError) as caught:
        await_rollouts(api.client(), deployment(api), 0)
    assert "pod web-1, container c: ImagePullBackOff no such image" in str(caught.value)
    assert "pod web-1: Unschedulable no room" in str(caught.value)


def test_what_nodes_are_short_of_is_told(api: FakeKubernetes) -> None:
    """The scheduler only says that there are taints."""
    for node, status in (("w1", "True"), ("w2", "False"), ("w3", "True")):
        api.add("Node", node, status={"conditions": [{"type": "DiskPressure", "status": status}]})
    with pytest.raises(KopsError, match="\n- DiskPressure, so no new pods: too little disk on w1, w3$"):
        await_rollouts(api.client(), deployment(api), 0)


@pytest.mark.parametrize(("strategy", "done"), [("RollingUpdate", False), ("OnDelete", True)])
def test_daemon_sets(api: FakeKubernetes, strategy: str, done: bool) -> None:
    """Pods that are replaced only when somebody deletes them may be old ones."""
    spec = {"updateStrategy": {"type": strategy}, "selector": {}}
    status = {"desiredNumberScheduled": 3, "updatedNumberScheduled": 1, "numberAvailable": 3}
    found = api.add("DaemonSet", "agent", "web", "apps/v1", spec=spec, status=status)
    if done:
        await_rollouts(api.client(), [found], 0)
    else:
        with pytest.raises(KopsError, match="has 1 of 3 pods updated"):
            await_rollouts(api.client(), [found], 0)


def test_pods_on_silent_nodes_are_not_waited_for(api: FakeKubernetes) -> None:
    """Of a host that is dead: nothing there gets ready by waiting. A node that is new is none of them."""
    spec = {"updateStrategy": {"type": "RollingUpdate"}, "selector": {"matchLabels": {"app": "agent"}}}
    status = {"desiredNumberScheduled": 3, "updatedNumberScheduled": 2, "numberAvailable": 2}
    found = api.add("DaemonSet", "agent", "web", "apps/v1", spec=spec, status=status)
    for node, ready in (("w1", "True"), ("w2", "True"), ("w3", "Unknown")):
        conditions = [{"type": "Ready", "status": ready}]
        api.add("Node", node, status={"conditions": conditions})
        # The cluster says the same of its pods.
        metadata, pod_status = {"labels": {"app": "agent"}}, {"conditions": [{**conditions[0]}]}
        api.add("Pod", f"agent-{node}", "web", metadata=metadata, spec={"nodeName": node}, status=pod_status)
    assert await_rollouts(api.client(), [found], 0) == [
        "DaemonSet web/agent runs 2 of 3 pods: the others are on w3, whose kubelet is silent"
    ]
    for condition in ([{"type": "Ready", "status": "False"}], []):
        api.objects["/api/v1/nodes/w3"]["status"]["conditions"] = condition
        with pytest.raises(KopsError, match="has 2 of 3 pods updated"):
            await_rollouts(api.client(), [found], 0)
    api.objects["/api/v1/nodes/w3"]["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    status["numberAvailable"] = 1
    with pytest.raises(KopsError, match="has 2 of 3 pods updated"):
        await_rollouts(api.client(), [found], 0)


def test_progress_is_told_when_it_changes(api: FakeKubernetes) -> None:
    objects, told = deployment(api), []

    def tell(line: str) -> None:
        told.append(line)
        status = api.objects[f"{APPS}/deployments/web"]["status"]
        status.update({"updatedReplicas": 2} if len(told) == 1 else {"updatedReplicas": 2, "availableReplicas": 2})

    await_rollouts(api.client(), objects, 10, tell)
    assert told == ["Deployment web/web has 0 of 2 pods updated", "Deployment web/web has 0 of 2 pods ready"]


def test_what_somebody_deletes_is_not_waited_for_in_vain(api: FakeKubernetes) -> None:
    objects = deployment(api)
    api.objects.clear()
    with pytest.raises(KopsError, match="Deployment web/web does not exist any more"):
        await_rollouts(api.client(), objects, 0)
