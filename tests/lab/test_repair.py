# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts whose nodes have failed are repaired, and a host is cleaned and made a node again.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site
from ansible_collections.kubeops.kops.tests.lab.workloads import eventually

pytestmark = pytest.mark.long

CONTROL_PLANE, WORKER, OTHER = "test1", "test2", "test3"
QUICK = {"kops_repair_after": 1, "kops_validate_wait": 200}


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and two workers."""
    return new_site(1, 2)


@pytest.fixture(scope="module")
def run(created: running.Run, site: Site) -> Callable[..., running.Run]:
    """Function: run a playbook for the cluster, which runs already."""
    return site.run


def ready() -> list[str]:
    found = []
    for node in running.kubectl_json("get", "nodes", host=CONTROL_PLANE)["items"]:
        conditions = {each["type"]: each["status"] for each in node["status"]["conditions"]}
        if conditions["Ready"] == "True":
            found.append(node["metadata"]["name"])
    return sorted(found)


def identity(name: str) -> str:
    return running.kubectl("get", "node", name, "--output=jsonpath={.metadata.uid}", host=CONTROL_PLANE)


def test_a_kubelet_that_hangs_is_restarted(run: Callable[..., running.Run]) -> None:
    before = identity(WORKER)
    # It runs, says systemd, and does nothing.
    hosts.within(WORKER, "systemctl", "kill", "--signal=STOP", "kubelet")
    eventually(lambda: WORKER not in ready(), 120)
    planned = run("repair", "--check", **QUICK)
    assert planned.code == 0, planned.output
    assert f"{WORKER}: its node has not been ready for" in planned.output
    assert f"would be restarted on {WORKER}" in planned.output
    assert ready() == [CONTROL_PLANE, OTHER]
    done = run("repair", **QUICK)
    assert done.code == 0, done.output
    print(f"\nrepaired in {done.seconds:.0f} s")
    assert ready() == [CONTROL_PLANE, WORKER, OTHER]
    assert identity(WORKER) == before
    again = run("repair", **QUICK)
    assert (again.code, again.changed) == (0, 0), again.output
    assert "No node has failed" in again.output


def test_too_many_at_the_same_time(run: Callable[..., running.Run]) -> None:
    for host in (WORKER, OTHER):
        hosts.within(host, "systemctl", "kill", "--signal=STOP", "kubelet")
    eventually(lambda: ready() == [CONTROL_PLANE], 120)
    refused = run("repair", **QUICK)
    assert (refused.code != 0, refused.changed) == (True, 0), refused.output
    assert "2 of 2 nodes of instance group nodes fail at the same time" in refused.output
    done = run("repair", kops_repair_max_unhealthy=2, **QUICK)
    assert done.code == 0, done.output
    assert ready() == [CONTROL_PLANE, WORKER, OTHER]


def test_a_host_is_cleaned_and_becomes_a_node_again(run: Callable[..., running.Run]) -> None:
    before = identity(OTHER)
    options = {"kops_instance": OTHER, "kops_drain_timeout": 60}
    planned = run("delete_instance", "--check", **options)
    assert planned.code == 0, planned.output
    assert identity(OTHER) == before
    done = run("delete_instance", **options)
    assert done.code == 0, done.output
    assert "remove test3 from the inventory" not in done.output
    print(f"\ncleaned and joined in {done.seconds:.0f} s")
    assert ready() == [CONTROL_PLANE, WORKER, OTHER]
    assert identity(OTHER) != before
