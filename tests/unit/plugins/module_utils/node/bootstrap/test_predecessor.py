# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' own server in a cluster that kops made: it leaves our control planes, and stays where kops' nodes ask it."""

from __future__ import annotations

import pathlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.kubeconfigs import kubeconfig_text
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap import predecessor, serve
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Journal
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

RBAC = "rbac.authorization.k8s.io/v1"
# What the pods need, in a cluster that kops made.
NEEDED = {
    "ConfigMap": "v1",
    "ServiceAccount": "v1",
    "Role": RBAC,
    "RoleBinding": RBAC,
    "ClusterRole": RBAC,
    "ClusterRoleBinding": RBAC,
}
LABELS = {"labels": {"k8s-app": "kops-controller"}}


@pytest.fixture()
def api() -> Iterator[FakeKubernetes]:
    """A cluster that kops made, with one control plane of kops and one of ours."""
    with serving() as fake:
        fake.add("DaemonSet", "kops-controller", "kube-system", "apps/v1")
        for node in ("old", "new"):
            pod(fake, f"kops-controller-{node}", node)
        fake.add("Pod", "other", "kube-system", spec={"nodeName": "new"})
        yield fake


def pod(api: FakeKubernetes, name: str, node: str) -> None:
    api.add("Pod", name, "kube-system", spec={"nodeName": node}, metadata=LABELS)


def with_the_rest(api: FakeKubernetes) -> None:
    for kind, version in NEEDED.items():
        api.add(kind, "kops-controller", "" if kind.startswith("Cluster") else "kube-system", version)
    api.add("ConfigMap", "of-others", "kube-system")


def names(api: FakeKubernetes) -> set[str]:
    return {str(each["metadata"]["name"]) for each in api.objects.values()}


def test_the_daemonset_goes_without_its_pods_and_then_the_one_of_this_node(api: FakeKubernetes) -> None:
    bodies: dict[str, Any] = {}
    answer = api.answer

    def noted(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        if method == "DELETE":
            bodies[target.rpartition("/")[2]] = body
        return answer(method, target, body, content_type)

    api.answer = noted
    assert predecessor.make_room(api.client(), "new") == [
        "DaemonSet kops-controller, without its pods",
        "pod kops-controller-new",
    ]
    assert names(api) == {"kops-controller-old", "other"}
    assert bodies["kops-controller"]["propagationPolicy"] == "Orphan"
    assert bodies["kops-controller"]["preconditions"] == {"uid": "uid-kops-controller"}
    assert predecessor.make_room(api.client(), "new") == []


def test_what_is_going_already_is_left_alone(api: FakeKubernetes) -> None:
    for each in api.objects.values():
        each["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert predecessor.make_room(api.client(), "new") == []
    assert not api.writes()


def test_what_its_pods_need_goes_after_the_last_of_them(api: FakeKubernetes) -> None:
    with_the_rest(api)
    predecessor.make_room(api.client(), "new")
    assert predecessor.remove_rest(api.client()) is None
    api.client().delete("/api/v1/namespaces/kube-system/pods/kops-controller-old")
    assert sorted(predecessor.remove_rest(api.client()) or ()) == sorted(NEEDED)
    assert names(api) == {"other", "of-others"}
    before = api.writes()
    assert predecessor.remove_rest(api.client()) == []
    assert api.writes() == before


def test_what_its_pods_need_stays_if_the_daemonset_is_there_again(api: FakeKubernetes) -> None:
    with_the_rest(api)
    assert predecessor.remove_rest(api.client()) == []
    assert not api.writes()


def test_it_is_tried_until_the_api_server_answers_and_nothing_comes_after_it(
    api: FakeKubernetes, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said, slept = tmp_path / "kubeconfig", [], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            path.write_text(kubeconfig_text("kubecfg", api.url, "CA", "CERTIFICATE", "KEY"))
            api.faults += [403]
        if len(slept) == 4:
            pod(api, "kops-controller-late", "new")
        if len(slept) == 10:
            api.client().delete("/api/v1/namespaces/kube-system/pods/kops-controller-old")

    monkeypatch.setattr(time, "sleep", sleep)
    with_the_rest(api)
    predecessor.keep_room(str(path), "new", said.append)
    assert said == [
        "removed kops' own server from this node: DaemonSet kops-controller, without its pods",
        "removed kops' own server from this node: pod kops-controller-new",
        "removed kops' own server from this node: pod kops-controller-late",
        *(
            f"removed what kops' own server needed: {kind}"
            for kind in ("ServiceAccount", "ClusterRoleBinding", "ClusterRole", "RoleBinding", "Role", "ConfigMap")
        ),
    ]
    assert names(api) == {"other", "of-others"}
    # No kubeconfig, refused, removed, nothing, removed, then nothing three times; two rounds with a pod elsewhere.
    assert slept == [2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]


def test_the_port_is_waited_for() -> None:
    lines: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found: list[socket.socket] = []
        thread = threading.Thread(target=lambda: found.append(serve.awaited_listener(port, Journal(lines.append))))
        thread.start()
        time.sleep(1.2)
        assert not found
    thread.join(10)
    found[0].close()
    assert lines == [f"port {port} is taken by another program; waiting until it is free\n"]
