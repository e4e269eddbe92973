# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes are changed in place, one after the other: a kubelet's setting, and the next version of Kubernetes.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, running
from ansible_collections.kubeops.kops.tests.lab.probe import Probe
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

OLD, NEW = "1.33", binaries.NEWEST
FIRST, ASKING = "test1", "test4"
kubectl = functools.partial(running.kubectl, host=FIRST)
kubectl_json = functools.partial(running.kubectl_json, host=FIRST)
# Failed requests of a whole upgrade: an API server that stops may break off what it is being asked.
FEW = 5


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """Three control planes and two workers, of the older version."""
    return new_site(3, 2, kubernetes=OLD)


def versions() -> set[str]:
    """The versions of all kubelets."""
    return {node["status"]["nodeInfo"]["kubeletVersion"] for node in kubectl_json("get", "nodes")["items"]}


def max_pods() -> dict[str, str]:
    """How many pods each node takes."""
    return {
        node["metadata"]["name"]: node["status"]["capacity"]["pods"] for node in kubectl_json("get", "nodes")["items"]
    }


def test_a_setting_of_kubelets_goes_from_node_to_node(created: running.Run, site: Site) -> None:
    assert versions() == {f"v{binaries.KUBERNETES[OLD]}"}
    assert set(max_pods().values()) == {"110"}
    site.write(kubernetes=OLD, nodes={"minSize": 2, "maxSize": 2, "kubelet": {"maxPods": 60}})
    waiting = site.create()
    assert waiting.code == 0, waiting.output
    assert "changes that restart programs were not made" in waiting.output
    assert set(max_pods().values()) == {"110"}

    checked = site.run("rolling_update", "--check")
    assert checked.changed == len(site.workers), checked.output
    run = site.run("rolling_update")
    assert run.code == 0, run.output
    workers, control_planes = dict.fromkeys(site.workers, "60"), dict.fromkeys(site.control_planes, "110")
    assert max_pods() == {**workers, **control_planes}


def test_the_api_answers_while_kubernetes_is_upgraded(created: running.Run, site: Site) -> None:
    version = binaries.KUBERNETES[NEW]
    with Probe(ASKING) as probe:
        run = site.run("upgrade_cluster", kops_kubernetes_version=version)
    assert run.code == 0, run.output
    print(f"\nupgrade of {len(site.nodes)} nodes in {run.seconds:.0f} s: {probe.seen}")
    assert probe.seen.asked > run.seconds
    assert len(probe.seen.failed) <= FEW
    assert versions() == {f"v{version}"}
    assert running.ready_nodes(FIRST) == site.nodes
    pods = kubectl_json("get", "pods", "--namespace=kube-system", "--selector=k8s-app=kube-apiserver")["items"]
    images = {container["image"].rpartition(":")[2] for pod in pods for container in pod["spec"]["containers"]}
    assert images == {f"v{version}"}


def test_a_second_rolling_update_changes_nothing(created: running.Run, site: Site) -> None:
    for _time in range(2):
        again = site.run("rolling_update")
        assert (again.code, again.changed) == (0, 0), again.output
    assert not any(node["spec"].get("unschedulable") for node in json.loads(kubectl("get", "nodes", "-ojson"))["items"])
