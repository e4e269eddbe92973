# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes fail while their instances run on: a worker's kubelet, a whole worker, a whole control plane. All are repaired.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import etcd, running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
WAITS = {"kops_validate_wait": 400, "kops_validate_interval": 3, "kops_validate_count": 1}
# The API server says after 50 seconds that a node is not ready.
QUICK = {**WAITS, "kops_repair_after": 1, "kops_repair_drain_timeout": 5}


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """Three control planes and two workers, with an object whose loss would be noticed."""
    made = new_site({"networking": "flannel", "zones": [*clusters.ZONES], "control_plane_count": 3, "node_count": 2})
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    made.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    return made


def report(run: running.Run, task: str) -> list[dict[str, Any]]:
    return list(run.results(task)["localhost"]["report"])


def failed(site: CloudSite, *names: str) -> None:
    """Wait until the cluster has noticed it."""
    seconds = site.wait(lambda: len(site.ready()) == 5 - len(names) and not set(names) & set(site.ready()), 180)
    print(f"\n{', '.join(names)} not ready after {seconds:.0f} s")


def repaired(site: CloudSite, *names: str) -> None:
    """A plan names these, a run replaces them, and another one changes nothing."""
    before = site.serials()
    planned = site.run("repair", "--check", **QUICK)
    assert planned.code == 0, planned.output
    assert sorted(each["instance"] for each in report(planned, "Replace the instances")) == sorted(names)
    assert site.serials() == before
    started = time.monotonic()
    run = site.run("repair", **QUICK)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    assert {each["result"] for each in report(run, "Replace the instances")} == {"replaced"}, run.output
    print(f"repaired in {time.monotonic() - started:.0f} s")
    assert not {before[name] for name in names} & set(site.serials().values())
    assert site.ready() == sorted(site.instances()) == sorted(site.nodes())
    again = site.run("repair", **QUICK)
    assert (again.code, again.changed) == (0, 0), again.output
    assert "No node has failed" in again.output
    assert site.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"


def test_a_control_plane_that_hangs_and_a_worker_without_a_kubelet(site: CloudSite) -> None:
    _first, server, other = site.control_planes()
    worker = site.workers()[0]
    members = etcd.members("main", other, site.kubectl)
    machines.within(worker, "systemctl", "stop", "kubelet")
    machines.hang(server)
    failed(site, server, worker)
    repaired(site, server, worker)
    assert etcd.members("main", other, site.kubectl) == members


def test_a_worker_that_hangs(site: CloudSite) -> None:
    worker = site.workers()[0]
    machines.hang(worker)
    failed(site, worker)
    repaired(site, worker)


def test_a_worker_that_is_deleted_by_its_name(site: CloudSite) -> None:
    worker = site.workers()[0]
    serial = site.serials()[worker]
    run = site.run("delete_instance", kops_instance=worker, **WAITS)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    (done,) = report(run, "Delete the instances")
    assert (done["result"], done["detached"]) == ("replaced", True)
    print(f"\nreplaced in {run.seconds:.0f} s")
    assert serial not in site.serials().values()
    assert site.ready() == sorted(site.instances())
    again = site.run("delete_instance", kops_instance=worker, **WAITS)
    assert (again.code, again.changed) == (0, 0), again.output
