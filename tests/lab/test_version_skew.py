# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""While an upgrade is pending, no kubelet and no kube-proxy gets newer than the API server, whatever is run.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

OLDER, NEWER = "1.33", binaries.NEWEST
CONTROL_PLANE, WORKER, NEWCOMER = "test1", "test2", "test3"
kubectl_json = functools.partial(running.kubectl_json, host=CONTROL_PLANE)


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker, of the older version."""
    return new_site(kubernetes=OLDER)


def versions() -> dict[str, set[str]]:
    """Node -> the minor versions of what runs there: kubelet, kube-proxy and the API server."""
    found = {
        node["metadata"]["name"]: {minor(node["status"]["nodeInfo"]["kubeletVersion"])}
        for node in kubectl_json("get", "nodes")["items"]
    }
    # What the runtime says, not what the object of a static pod says.
    for pod in kubectl_json("get", "pods", "--namespace=kube-system")["items"]:
        for status in pod["status"].get("containerStatuses", ()):
            if status["name"] in ("kube-proxy", "kube-apiserver"):
                found[pod["spec"]["nodeName"]].add(minor(status["image"].rpartition(":")[2]))
    return found


def minor(version: str) -> str:
    return ".".join(version.lstrip("v").split(".")[:2])


def failed(run: running.Run, *words: str) -> None:
    assert run.code != 0, run.output
    for word in words:
        assert word in run.output


def test_a_host_that_joins_gets_the_version_of_the_api_server(created: running.Run, site: Site) -> None:
    assert versions() == {CONTROL_PLANE: {OLDER}, WORKER: {OLDER}}
    hosts.start(NEWCOMER)
    site.workers.append(NEWCOMER)
    site.write(kubernetes=NEWER)
    run = site.create()
    assert run.code == 0, run.output
    assert running.ready_nodes(CONTROL_PLANE) == site.nodes
    assert versions() == dict.fromkeys(site.nodes, {OLDER})


def test_a_rolling_update_of_workers_alone_is_refused(created: running.Run, site: Site) -> None:
    run = site.run("rolling_update", kops_instance_groups="nodes")
    failed(run, f"would get Kubernetes {binaries.KUBERNETES[NEWER]} before the API servers of {CONTROL_PLANE}")
    assert versions() == dict.fromkeys(site.nodes, {OLDER})


def test_a_run_that_may_interrupt_changes_the_control_plane_first(created: running.Run, site: Site) -> None:
    first = site.run("hosts", kops_interrupt="true")
    assert first.code == 0, first.output
    assert versions() == {CONTROL_PLANE: {NEWER}, WORKER: {OLDER}, NEWCOMER: {OLDER}}
    second = site.run("hosts", kops_interrupt="true")
    assert second.code == 0, second.output
    assert versions() == dict.fromkeys(site.nodes, {NEWER})
    again = site.run("rolling_update")
    assert (again.code, again.changed) == (0, 0), again.output
