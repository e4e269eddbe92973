# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster of hosts with all distributions: each becomes a node, stays one, and becomes what it was before."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import distributions, hosts, running, workloads
from ansible_collections.kubeops.kops.tests.lab.look import look
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long
kubectl = functools.partial(running.kubectl, host="test1")

# The first one is the control plane's.
HOSTS = {f"test{number}": name for number, name in enumerate(reversed(distributions.DISTRIBUTIONS), 1)}


@pytest.fixture(scope="module")
def site(lab: object, new_site: Callable[..., Site]) -> Site:
    """A control plane and workers."""
    for host, distribution in HOSTS.items():
        hosts.start(host, distribution)
    return new_site(1, len(HOSTS) - 1)


@pytest.fixture(scope="module")
def before(site: Site) -> dict[str, set[str]]:
    """The hosts as they are at first."""
    return {host: look(host) for host in HOSTS}


@pytest.fixture(scope="module")
def made(before: dict[str, set[str]], created: running.Run) -> running.Run:
    """The run that made the cluster, of hosts that were looked at before."""
    return created


def test_all_become_nodes_that_work(made: running.Run, site: Site) -> None:
    nodes = running.kubectl_json("get", "nodes", host="test1")["items"]
    systems = {node["metadata"]["name"]: node["status"]["nodeInfo"]["osImage"] for node in nodes}
    print(f"\nmade in {made.seconds:.0f} s: {systems}")
    for host, distribution in HOSTS.items():
        name, version = distribution.split("-")
        assert systems[host].lower().startswith(name)
        assert version in systems[host]
    assert running.ready_nodes("test1") == sorted(HOSTS)
    pods = workloads.start(kubectl)
    for asking in pods.values():
        for asked in pods.values():
            assert workloads.dial(kubectl, asking["name"], asked["address"], 8080) == [asked["name"]]
        ask = functools.partial(workloads.dial, kubectl, asking["name"], "web.default.svc.cluster.local", 80, 5)
        answers = workloads.eventually(ask)
        assert set(answers) <= {pod["name"] for pod in pods.values()}


def test_a_second_run_changes_nothing(made: running.Run, site: Site) -> None:
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_all_become_what_they_were(made: running.Run, site: Site, before: dict[str, set[str]]) -> None:
    deleted = site.run("delete_cluster")
    assert deleted.code == 0, deleted.output
    assert {host: look(host) ^ before[host] for host in HOSTS} == {host: set() for host in HOSTS}
