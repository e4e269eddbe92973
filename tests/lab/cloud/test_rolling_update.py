# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rolling update of three control planes and three workers: killed, finished, held up; a node that never comes.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, running
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
MARK = "kops.k8s.io/cordoned-for-update"
OPTIONS = {"networking": "flannel", "control_plane_count": 3, "node_count": 3}
SURGE, WORKERS = 2, 3
ROLLING = {"rollingUpdate": {"maxSurge": SURGE}}
WAITS: dict[str, Any] = {"kops_validate_wait": 600, "kops_validate_interval": 3}
REPLICAS, MINIMUM = 3, 2
POD = {
    "terminationGracePeriodSeconds": 1,
    "containers": [
        {
            "name": "main",
            "image": f"registry.k8s.io/e2e-test-images/agnhost:{binaries.VERSIONS['agnhost']}",
            "args": ["netexec", "--http-port=8080"],
            "readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1},
        }
    ],
}


def budget(name: str, minimum: int) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": minimum, "selector": {"matchLabels": {"app": name}}},
    }


WEB: list[dict[str, Any]] = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": REPLICAS,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD},
        },
    },
    budget("web", MINIMUM),
]


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A cluster with a Deployment, of which a client may never miss more than one pod."""
    made = new_site(OPTIONS, ROLLING)
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    apply(made, WEB)
    made.kubectl("rollout", "status", "deployment/web", "--timeout=120s")
    return made


def apply(site: CloudSite, objects: list[dict[str, Any]]) -> None:
    site.kubectl("apply", "--filename=-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def max_pods(site: CloudSite) -> dict[str, str]:
    return {name: node["status"]["capacity"]["pods"] for name, node in site.nodes().items()}


def marked(site: CloudSite) -> list[str]:
    return [name for name, node in site.nodes().items() if MARK in node["metadata"].get("annotations", {})]


def available(site: CloudSite) -> int | None:
    """How many pods of the Deployment serve; None while the API does not answer."""
    pods = site.objects("pods", "--selector=app=web")
    if not pods:
        return None
    return sum(
        "deletionTimestamp" not in pod["metadata"]
        and any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", ()))
        for pod in pods
    )


@dataclass
class Samples:
    """How many pods of the Deployment served, how many workers were Ready, and how many there were."""

    pods: list[int] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)
    workers: list[int] = field(default_factory=list)

    def take(self, site: CloudSite) -> None:
        workers = site.workers()
        self.workers.append(len(workers))
        pods, ready = available(site), site.ready()
        if pods is not None and ready:
            self.pods.append(pods)
            self.ready.append(len(set(workers) & set(ready)))


@contextmanager
def sampled(site: CloudSite) -> Iterator[Samples]:
    """Samples that are taken while the block runs."""
    samples = Samples()
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            # Between two looks, the control plane that is asked may end.
            with suppress(RuntimeError, IndexError):
                samples.take(site)
            ended.wait(0.5)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()


def report(run: running.Run) -> list[dict[str, Any]]:
    return list(run.results("Replace the instances")["localhost"]["report"])


def test_a_flag_of_the_kubelet_reaches_all_nodes_though_the_run_is_killed(site: CloudSite) -> None:
    old, serials = sorted(site.instances()), site.serials()
    servers, workers = site.control_planes(), site.workers()
    site.write(OPTIONS, {**ROLLING, "kubelet": {"maxPods": 60}})
    run = site.create()
    assert run.code == 0, run.output
    assert set(max_pods(site).values()) == {"110"}
    planned = site.run("rolling_update", "--check")
    assert planned.code == 0, planned.output
    order = [each["instance"] for each in report(planned)]
    assert sorted(order[: len(servers)]) == servers
    assert sorted(order) == old
    assert all("another NodeConfig" in each["reasons"][0] for each in report(planned)), report(planned)
    assert (sorted(site.instances()), marked(site)) == (old, [])

    with sampled(site) as samples:
        started = time.monotonic()
        killed = site.run(
            "rolling_update",
            killed_when=lambda: bool(set(marked(site)) & set(workers)),
            **WAITS,
        )
        assert killed.code != 0
        first = time.monotonic() - started
        assert {serials[name] for name in workers} & set(site.serials().values())
        run = site.run("rolling_update", **WAITS)
        assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\nkilled after {first:.0f} s; the second run took {run.seconds:.0f} s")
    print("\n".join(run.output.splitlines()))
    print(
        f"{len(samples.pods)} samples: at least {min(samples.pods)} of {REPLICAS} pods and {min(samples.ready)} workers"
    )
    assert min(samples.pods) >= MINIMUM, samples
    assert min(samples.ready) >= WORKERS, samples
    assert max(samples.workers) == WORKERS + SURGE, samples
    assert len(samples.pods) > 30
    assert not set(serials.values()) & set(site.serials().values())
    assert site.ready() == sorted(site.instances())
    assert list(max_pods(site).values()) == ["60"] * 6
    again = site.run("rolling_update", **WAITS)
    assert (again.code, again.changed) == (0, 0), again.output


def test_a_drain_that_cannot_end_stops_and_names_the_pod(site: CloudSite) -> None:
    workers = site.workers()
    serial = site.serials()[workers[0]]
    apply(
        site,
        [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "kept", "labels": {"app": "kept"}},
                "spec": {**POD, "nodeName": workers[0]},
            },
            budget("kept", 1),
        ],
    )
    site.kubectl("wait", "--for=condition=Ready", "pod/kept", "--timeout=60s")
    options = {"kops_force": "true", "kops_instance_group_roles": ["node"], "kops_drain_timeout": "15", **WAITS}
    stopped = site.run("rolling_update", **options)
    assert stopped.code != 0
    assert "is cordoned but not drained after 15 seconds" in stopped.failures()["localhost"]
    assert "- pod default/kept: " in stopped.output
    assert serial in site.serials().values()
    assert [each["result"] for each in report(stopped) if each["instance"] == workers[0]] == ["failed"]
    site.kubectl("delete", "poddisruptionbudget/kept")
    done = site.run("rolling_update", **WAITS)
    assert done.code == 0, f"{done.output}\n{site.state()}"
    assert serial not in site.serials().values()
    assert marked(site) == []
    assert site.ready() == sorted(site.instances())
    again = site.run("rolling_update", "--check", **WAITS)
    assert (again.code, again.changed) == (0, 0), again.output


def test_a_node_that_never_becomes_ready_stops_and_the_next_run_heals(site: CloudSite) -> None:
    servers, workers = site.control_planes(), site.workers()
    never = {"name": "never", "before": ["kubelet.service"], "manifest": "Type=oneshot\nExecStart=/bin/false\n"}
    changed = site.change_group("Node", hooks=[never])
    assert changed.code == 0, changed.output
    # What an instance has printed is read when it should have joined, two minutes after its start.
    stopped = site.run("rolling_update", **{**WAITS, "kops_validate_wait": 150})
    assert stopped.code != 0
    (new,) = set(site.workers()) - set(workers)
    serial = site.serials()[new]
    said = stopped.failures()["localhost"]
    assert f"Machine {new}: has not joined the cluster yet" in said, said
    assert "never.service" in said, said
    assert {each["result"] for each in report(stopped)} == {"not started"}
    # The one that was detached for it still serves.
    assert site.control_planes() == servers
    assert set(workers) <= set(site.ready())
    assert marked(site) == []
    changed = site.change_group("Node", hooks=[])
    assert changed.code == 0, changed.output
    run = site.run("rolling_update", **WAITS)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    assert serial not in site.serials().values()
    assert len(site.workers()) == WORKERS
    assert site.ready() == sorted(site.instances())
    assert site.control_planes() == servers
