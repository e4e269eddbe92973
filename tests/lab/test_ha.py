# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three control planes and two workers: one may be lost and replaced, and all may be upgraded, while the API answers.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
import time
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, cluster, etcd, hosts, network, running, workloads
from ansible_collections.kubeops.kops.tests.lab.probe import PER_SECOND, Probe

FIRST, SECOND, THIRD, *WORKERS = (f"test{index + 1}" for index in range(5))
# Takes the place of the second control plane, with another name and another address.
ANOTHER = "test6"
ASKING = WORKERS[0]
kubectl = functools.partial(running.kubectl, host=FIRST)
kubectl_json = functools.partial(running.kubectl_json, host=FIRST)
# Failed requests of a whole upgrade: an API server that stops may break off what it is being asked.
FEW = 5


@dataclasses.dataclass
class Story:
    """The cluster, and what its user has: a manifest, an inventory, a state store."""

    manifest: pathlib.Path
    state_store: str
    control_planes: list[str] = dataclasses.field(default_factory=lambda: [FIRST, SECOND, THIRD])

    def run(self, playbook: str, *options: str, **variables: Any) -> running.Run:
        """Run a playbook of the collection."""
        groups = {cluster.control_plane_group(index): [name] for index, name in enumerate(self.control_planes)}
        given = {"kops_state_store": self.state_store, "kops_cluster_name": cluster.NAME, **variables}
        return running.playbook(playbook, running.inventory({**groups, "nodes": WORKERS}), given, *options)

    def create(self, *options: str) -> running.Run:
        """Run create_cluster."""
        return self.run("create_cluster", *options, kops_manifest=str(self.manifest))

    @property
    def nodes(self) -> list[str]:
        """All nodes, sorted."""
        return sorted([*self.control_planes, *WORKERS])


@pytest.fixture(scope="module")
def story(lab: Callable[[int], list[str]], state_store: str, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Hosts with nothing on them, and the cluster that they shall become."""
    lab(5)
    manifest = tmp_path_factory.mktemp("manifest") / "cluster.yml"
    api = network.address(FIRST)
    manifest.write_text(
        cluster.manifest(control_planes=3, kubernetes="1.33", api=api, nodes={"minSize": 2, "maxSize": 2})
    )
    return Story(manifest, state_store)


@pytest.fixture(scope="module")
def created(story: Story) -> running.Run:
    """The run that made the cluster."""
    run = story.create()
    assert run.code == 0, run.output
    return run


def versions() -> set[str]:
    """The versions of all kubelets."""
    return {node["status"]["nodeInfo"]["kubeletVersion"] for node in kubectl_json("get", "nodes")["items"]}


def test_all_are_ready(created: running.Run, story: Story) -> None:
    print(f"\nmade in {created.seconds:.0f} s")
    assert running.ready_nodes(FIRST) == story.nodes
    assert versions() == {f"v{binaries.KUBERNETES['1.33']}"}
    for name in ("main", "events"):
        assert etcd.voters(name, FIRST) == ["a", "b", "c"]
    for host in story.control_planes:
        assert kubectl("get", "--raw", "/readyz", f"--server=https://{network.address(host)}") == "ok"


def test_pods_of_all_nodes_talk(created: running.Run, story: Story) -> None:
    pods = workloads.start(FIRST)
    assert sorted(pods) == story.nodes
    for asking in pods.values():
        for asked in pods.values():
            assert workloads.dial(asking["name"], asked["address"], 8080, host=FIRST) == [asked["name"]]
    answers = workloads.eventually(
        lambda: workloads.dial(pods[ASKING]["name"], "web.default.svc.cluster.local", 80, tries=20, host=FIRST)
    )
    assert set(answers) <= {pod["name"] for pod in pods.values()}


def test_a_second_run_changes_nothing(created: running.Run, story: Story) -> None:
    again = story.create()
    assert (again.code, again.changed) == (0, 0), again.output
    print(f"\nunchanged in {again.seconds:.0f} s")


@pytest.mark.long
def test_a_lost_control_plane_is_replaced_under_its_own_name(created: running.Run, story: Story) -> None:
    with Probe(ASKING) as probe:
        time.sleep(1)
        hosts.kill(THIRD)
        # Longer than it takes until the others have noticed.
        time.sleep(30)
        kubectl("create", "configmap", "written-meanwhile", "--from-literal=by=two")
    print(f"\nwithout a control plane: {probe.seen}")
    assert probe.seen.asked > 15 * PER_SECOND / 2
    # One that asked at the moment of its death, and those that try the dead one's address first.
    assert len(probe.seen.failed) <= FEW

    hosts.remove(THIRD)
    hosts.start(THIRD)
    run = story.run("hosts")
    assert run.code == 0, run.output
    _is_whole(story)
    assert "two" in kubectl(
        "get", "configmap", "written-meanwhile", f"--server=https://{network.address(THIRD)}", "-oyaml"
    )


@pytest.mark.long
def test_a_lost_control_plane_is_replaced_by_another_host(created: running.Run, story: Story) -> None:
    hosts.kill(SECOND)
    hosts.remove(SECOND)
    hosts.start(ANOTHER)
    story.control_planes[1] = ANOTHER
    run = story.run("hosts")
    assert run.code == 0, run.output
    kubectl("delete", "node", SECOND, "--ignore-not-found")
    _is_whole(story)


def _is_whole(story: Story) -> None:
    assert running.ready_nodes(FIRST) == story.nodes
    for name in ("main", "events"):
        assert etcd.voters(name, FIRST) == ["a", "b", "c"]
        assert etcd.healthy(name, FIRST) == 3
    again = story.run("hosts")
    assert (again.code, again.changed) == (0, 0), again.output


@pytest.mark.long
def test_the_api_answers_while_kubernetes_is_upgraded(created: running.Run, story: Story) -> None:
    version = binaries.KUBERNETES["1.34"]
    with Probe(ASKING) as probe:
        run = story.run("upgrade_cluster", kops_kubernetes_version=version)
    assert run.code == 0, run.output
    print(f"\nupgrade of {len(story.nodes)} nodes in {run.seconds:.0f} s: {probe.seen}")
    assert probe.seen.asked > run.seconds
    assert len(probe.seen.failed) <= FEW
    assert versions() == {f"v{version}"}
    assert running.ready_nodes(FIRST) == story.nodes
    images = {
        container["image"].rpartition(":")[2]
        for pod in kubectl_json("get", "pods", "--namespace=kube-system", "--selector=k8s-app=kube-apiserver")["items"]
        for container in pod["spec"]["containers"]
    }
    assert images == {f"v{version}"}


@pytest.mark.long
def test_a_second_rolling_update_changes_nothing(created: running.Run, story: Story) -> None:
    for _time in range(2):
        again = story.run("rolling_update")
        assert (again.code, again.changed) == (0, 0), again.output
    assert not any(node["spec"].get("unschedulable") for node in json.loads(kubectl("get", "nodes", "-ojson"))["items"])
