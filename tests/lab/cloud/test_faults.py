# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that cannot become nodes: each says why on its console and in validate_cluster, and joins when it can.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.clusters import NAME
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
# validate_cluster asks for the consoles of instances that are older.
PATIENCE = datetime.timedelta(minutes=2)
UNIT = "kops-configuration"
DOWNLOADS = "/var/cache/kops/downloads"
# Seconds from the start of the program to its death; then its unit starts it again at once, but for the last time.
MOMENTS = (0.2, 0.5, 1, 1.5, 2, 3, 4, 5)
KILLER = f"""
state() {{ systemctl show --property=SubState --value {UNIT}; }}
for moment in "$@"; do
  systemctl restart {UNIT}
  sleep "$moment"
  state
  systemctl kill --signal=KILL {UNIT}
done
"""


@pytest.fixture(scope="module")
def cluster(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A control plane and a worker, valid."""
    site = new_site({"networking": "flannel", "node_count": 1})
    run = site.create(kops_validate_wait=600)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    return site


@pytest.fixture(scope="module")
def first(cluster: CloudSite) -> str:
    """The control plane that is there from the beginning."""
    (found,) = cluster.control_planes()
    return found


@pytest.fixture(scope="module")
def late(cluster: CloudSite, first: str) -> dict[str, str]:
    """What was added -> the instance: a worker without bootstrap servers, a control plane without free volumes."""
    before = cluster.instances()
    machines.within(first, "systemctl", "stop", "kops-controller")
    cluster.resize(2)
    new = cluster.instances().keys() - before.keys()
    (control_plane,) = new & set(cluster.control_planes())
    (worker,) = new - {control_plane}
    return {"worker": worker, "control plane": control_plane}


def invalid(cluster: CloudSite, name: str) -> str:
    """What validate_cluster says of an instance, which is no node."""
    run = cluster.run("validate_cluster", kops_validate_wait=0)
    assert run.code != 0, run.output
    said = re.findall(rf"Machine {name}: [^\n]*", run.output.replace("\\n", "\n"))
    assert said, run.output
    return str(said[-1])


def is_old(cluster: CloudSite, name: str) -> bool:
    return datetime.datetime.now(datetime.timezone.utc) - cluster.launched(name) > PATIENCE


def cut_off(cluster: CloudSite, change: str, name: str) -> None:
    """For an instance, the cloud's APIs do not answer, its state store neither. change: --insert, --delete again."""
    for port in map(str, cluster.ports):
        machines.within(name, "iptables", change, "OUTPUT", "--protocol", "tcp", "--dport", port, "--jump", "REJECT")


def test_what_they_wait_for_is_on_their_consoles_and_in_validate_cluster(
    cluster: CloudSite, late: dict[str, str], first: str
) -> None:
    worker, control_plane = late["worker"], late["control plane"]
    cluster.wait(lambda: is_old(cluster, worker) and is_old(cluster, control_plane), 200)
    said = invalid(cluster, worker)
    assert "kubeops: waiting for the node program: no bootstrap server at port 3988 (" in said
    said = invalid(cluster, control_plane)
    assert f"no member of etcd is free in {cluster.instances()[first]['zone']}: volume " in said
    assert f"is attached to {first}, which is running. Terminate the instance that this one replaces" in said


def test_a_worker_that_is_killed_again_and_again_and_has_no_space_joins_when_a_server_answers(
    cluster: CloudSite, late: dict[str, str], first: str
) -> None:
    worker = late["worker"]
    machines.within(worker, "mkdir", "-p", DOWNLOADS)
    machines.within(worker, "mount", "-t", "tmpfs", "-o", "size=10m", "tmpfs", DOWNLOADS)
    machines.within(first, "systemctl", "start", "kops-controller")
    cluster.wait(lambda: "no space" in cluster.console(worker), 60)
    assert "no space" in invalid(cluster, worker)
    machines.within(worker, "umount", "--lazy", DOWNLOADS)
    states = machines.within(worker, "sh", "-c", KILLER, "sh", *map(str, MOMENTS)).split()
    assert states.count("running") >= len(MOMENTS) // 2
    seconds = cluster.wait(lambda: worker in cluster.ready(), 120)
    print(f"\na worker whose program was killed {states.count('running')} times is ready after {seconds:.0f} s")


def test_a_control_plane_that_is_cut_off_from_the_store_takes_over_when_it_reaches_it(
    cluster: CloudSite, late: dict[str, str], first: str
) -> None:
    successor = late["control plane"]
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    cut_off(cluster, "--insert", successor)
    cluster.remove(first)
    cluster.wait(lambda: "refused" in cluster.console(successor).splitlines()[-1], 60)
    said = invalid(cluster, successor)
    assert f"kubeops: waiting for its files in the state store {cluster.store}/{NAME}, and its volumes: " in said
    assert "refused" in said
    cut_off(cluster, "--delete", successor)
    seconds = cluster.wait(lambda: successor in cluster.ready(), 300)
    print(f"\nthe successor is ready after {seconds:.0f} s")
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"
    run = cluster.run("validate_cluster", kops_validate_wait=120)
    assert run.code == 0, run.output
    assert len(cluster.instances()) == 3
