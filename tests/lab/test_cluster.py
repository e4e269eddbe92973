# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and a worker: hosts with nothing on them become a cluster that works, and stays as it is."""

from __future__ import annotations

import functools
import pathlib
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import binaries, cluster, hosts, network, running, workloads
from ansible_collections.kubeops.kops.tests.lab.sites import Site

CONTROL_PLANE, WORKER = "test1", "test2"
KUBELET = "/var/lib/kubelet/kubelet.conf"
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
kubectl_json = functools.partial(running.kubectl_json, host=CONTROL_PLANE)
dial = functools.partial(workloads.dial, kubectl)
# What a run may cost for each host if nothing changes: tasks, and tasks that run something on the host. Those of the
# first control plane: what it is, its NodeConfig, addons, whether pods know the cluster's keys, validation.
TASKS, TASKS_ON_HOSTS = 15, 5


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker."""
    return new_site()


@pytest.fixture(scope="module")
def pods(created: running.Run) -> dict[str, Any]:
    """A web server's pod on each node."""
    return workloads.start(kubectl)


def test_all_nodes_are_ready(created: running.Run) -> None:
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
    nodes = kubectl_json("get", "nodes")["items"]
    assert {node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes} == {
        f"v{binaries.KUBERNETES[binaries.NEWEST]}"
    }
    groups = {node["metadata"]["name"]: node["metadata"]["labels"]["kops.k8s.io/instancegroup"] for node in nodes}
    assert groups == {CONTROL_PLANE: "control-plane-a", WORKER: "nodes"}


def test_nothing_had_to_be_started_twice(created: running.Run) -> None:
    pods = kubectl_json("get", "pods", "--all-namespaces")["items"]
    restarted = {
        pod["metadata"]["name"]: status["lastState"]
        for pod in pods
        for status in pod["status"]["containerStatuses"]
        if status["restartCount"]
    }
    assert restarted == {}, [
        kubectl("logs", "--namespace=kube-system", "--previous", "--tail=30", name, check=False) for name in restarted
    ]


def test_pods_reach_each_other_and_services(pods: dict[str, Any]) -> None:
    here, there = pods[CONTROL_PLANE], pods[WORKER]
    assert dial(here["name"], there["address"], 8080) == [there["name"]]
    assert dial(there["name"], here["address"], 8080) == [here["name"]]
    names = {here["name"], there["name"]}
    for pod in (here, there):
        ask = functools.partial(dial, pod["name"], "web.default.svc.cluster.local", 80, tries=10)
        answers = workloads.eventually(ask)
        assert set(answers) <= names
    for host in (CONTROL_PLANE, WORKER):
        url = f"http://{network.address(host)}:{workloads.NODE_PORT}/hostname"
        with urllib.request.urlopen(url, timeout=5) as answer:
            assert answer.read().decode() in names


def test_logs_and_exec(pods: dict[str, Any]) -> None:
    for pod in pods.values():
        assert "Started HTTP server" in kubectl("logs", pod["name"])
        assert kubectl("exec", pod["name"], "--", "/agnhost", "help").startswith("Usage:")


def test_a_second_run_changes_nothing(created: running.Run, site: Site) -> None:
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
    checked = site.create("--check")
    assert (checked.code, checked.changed) == (0, 0), checked.output
    print(f"\nmade in {created.seconds:.1f} s, unchanged in {again.seconds:.1f} s, checked in {checked.seconds:.1f} s")
    for host in site.nodes:
        results = [(task["action"], task["hosts"].get(host, {"status": "skipped"})) for task in again.tasks]
        done = [action for action, result in results if result["status"] != "skipped"]
        there = [action for action in done if action.startswith("kubeops.kops.")]
        print(f"{host}: {len(done)} tasks, of which on the host: {', '.join(there)}")
        assert len(done) <= TASKS
        assert 0 < len(there) <= TASKS_ON_HOSTS


def test_what_is_changed_on_a_host_by_hand_is_drift(created: running.Run, site: Site) -> None:
    before = site.run("drift", kops_fail_on_drift=True)
    assert (before.code, before.changed) == (0, 0), before.output
    assert f"{cluster.NAME}: no drift\n" in before.output
    hosts.within(WORKER, "sh", "-c", f"echo '# by hand' >>{KUBELET}")
    found = site.run("drift")
    assert (found.code, found.changed) == (0, 0), found.output
    assert f"~ file/{WORKER}: {KUBELET}" in found.output
    (result,) = found.results("Compare the specification").values()
    assert result["complete"]
    assert {each["host"] for each in result["drift"]} == {WORKER}
    mended = site.run("update_cluster", kops_interrupt=True)
    assert mended.code == 0, mended.output
    again = site.run("drift", kops_fail_on_drift=True)
    assert again.code == 0, again.output


LABELS = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": "broken.example.com"}
POD = {
    "metadata": {"labels": {"app": "broken"}},
    "spec": {"containers": [{"name": "main", "image": "registry.invalid/nothing:v1"}]},
}
BROKEN = {
    "name": "broken.example.com",
    "objects": [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "broken", "namespace": "default", "labels": LABELS},
            "spec": {"selector": {"matchLabels": {"app": "broken"}}, "template": POD},
        }
    ],
}
OTHER = {
    "name": "other.example.com",
    "objects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "default"}}],
}


def apply(site: Site, file: pathlib.Path, **arguments: Any) -> running.Run:
    """Run the module addons on the control plane."""
    task = {"name": "Apply addons", "kubeops.kops.addons": arguments}
    file.write_text(yaml.safe_dump([{"hosts": CONTROL_PLANE, "gather_facts": False, "tasks": [task]}]))
    return site.run(str(file))


def test_an_image_that_does_not_exist_is_named_and_other_addons_go_on(
    created: running.Run, site: Site, tmp_path: pathlib.Path
) -> None:
    failed = apply(site, tmp_path / "addons.yml", addons=[BROKEN, OTHER], wait=15)
    assert failed.code != 0
    for text in (
        "- Deployment default/broken has 0 of 1 pods ready",
        ", container main: ",
        "registry.invalid/nothing:v1",
    ):
        assert text in failed.output
    assert kubectl("get", "configmap", "other", "--output=name").strip() == "configmap/other"
    invalid = site.run("validate_cluster")
    assert invalid.code != 0
    assert "Addon broken.example.com: Deployment default/broken has 0 of 1 pods ready" in invalid.output
    gone = apply(site, tmp_path / "addons.yml", retired=[BROKEN["name"]])
    assert gone.code == 0, gone.output
    valid = site.run("validate_cluster")
    assert valid.code == 0, valid.output
    print(f"\ntold in {failed.seconds:.0f} s, validated in {invalid.seconds:.0f} s")
