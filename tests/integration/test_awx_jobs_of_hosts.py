# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Job templates for a bare-metal cluster as AWX runs their jobs. The hosts are directories; tests/lab has real ones."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.tests.integration.test_awx_jobs import OURS, shown
from ansible_collections.kubeops.kops.tests.integration.test_drift_of_hosts import CRICTL, GROUPS, NAME, Cluster
from ansible_collections.kubeops.kops.tests.support.awx_jobs import Inventory, Jobs
from ansible_collections.kubeops.kops.tests.support.local_hosts import LocalHost

pytestmark = pytest.mark.long

# Directories have no API server to be asked.
PARTS = {"kops_drift_parts": ["store", "hosts"]}


@pytest.fixture()
def cluster(tmp_path: pathlib.Path) -> Cluster:
    return Cluster(tmp_path / "cluster")


@pytest.fixture()
def jobs(cluster: Cluster, tmp_path: pathlib.Path) -> Jobs:
    """Jobs whose inventory has the cluster's hosts, in groups with the names of the instance groups."""
    groups = {group: [name for name in GROUPS if GROUPS[name] == group] for group in sorted(set(GROUPS.values()))}
    inventory = Inventory(groups, {name: host.variables() for name, host in cluster.hosts.items()})
    return Jobs(tmp_path, {}, {"state_store": cluster.store, "cluster_name": NAME}, hidden=OURS, inventory=inventory)


def test_jobs_see_the_hosts_of_the_inventory_and_write_nothing(cluster: Cluster, jobs: Jobs) -> None:
    before = cluster.written()
    calm = jobs.run("drift", PARTS)
    assert calm.status == "successful", calm.output
    assert f"{NAME}: no drift" in shown(calm)
    assert calm.artifacts["kops_drifted"] is False

    (cluster.hosts["n1"].root / CRICTL.lstrip("/")).unlink()
    found = jobs.run("drift", PARTS)
    assert found.status == "failed"
    assert f"+ file/n1: {CRICTL}" in shown(found)
    assert found.artifacts["kops_drifted"] is True

    looked = jobs.run("preflight")
    assert (looked.status, looked.changed) == ("successful", {}), looked.output
    assert "PRIVATE KEY" not in str(looked.events)
    after = cluster.written()
    assert {name: after[name] for name in ("c1", "n2")} == {name: before[name] for name in ("c1", "n2")}
    assert after["n1"].keys() < before["n1"].keys()


def test_a_new_cluster_is_planned(tmp_path: pathlib.Path) -> None:
    """A check of create cluster names the hosts that would become nodes, and writes nothing."""
    hosts = {name: LocalHost(tmp_path / name, f"192.0.2.{number}") for number, name in enumerate(GROUPS, start=1)}
    own = {name: host.variables(kops_instance_group=GROUPS[name]) for name, host in hosts.items()}
    store = tmp_path / "store"
    fields = {"state_store": f"file://{store}", "cluster_name": ""}
    jobs = Jobs(tmp_path, {}, fields, hidden=OURS, inventory=Inventory(hosts=own))

    def written() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes() for host in hosts.values() for path in host.root.rglob("*") if path.is_file()
        }

    before = written()
    answers = {"kops_cluster_name": "new.example.com", "kops_cloud": "metal", "kops_zones": "main"}
    answers["kops_networking"] = "cni"
    done = jobs.run("create cluster", answers, check=True)
    assert done.status == "successful", done.output
    assert done.changed.keys() >= set(GROUPS)
    assert shown(done).count("would become a node of instance group nodes-main") == 2
    assert written() == before
    assert not store.exists()


@pytest.mark.parametrize(
    ("limit", "why"),
    [("localhost,c1", "leaves out n1, n2"), ("c1", "leaves out localhost"), ("localhost,n*", "leaves out c1")],
)
def test_a_limited_job_fails_and_does_nothing(cluster: Cluster, jobs: Jobs, limit: str, why: str) -> None:
    before = cluster.written()
    done = jobs.run("update cluster", limit=limit)
    assert done.status == "failed"
    assert f"--limit ({limit}) {why}" in done.errors
    assert done.changed == {}
    assert cluster.written() == before
