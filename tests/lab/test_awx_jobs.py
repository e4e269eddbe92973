# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on hosts as AWX makes and keeps it: by jobs of ansible-runner, with AWX' inventory and its SSH key."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import cluster, hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site
from ansible_collections.kubeops.kops.tests.support.awx_jobs import Done, Inventory, Jobs

# A cluster is made, and five more jobs look at it or change it.
pytestmark = pytest.mark.long

CONTROL_PLANE, WORKER = "test1", "test2"
CRICTL = "/etc/crictl.yaml"
# What the process of the tests may have, and no job gets.
OURS = ("KOPS_STATE_STORE", "KOPS_CLUSTER_NAME", "KUBECONFIG", "SSH_AUTH_SOCK")
SECRETS = ("PRIVATE KEY", "client-key-data: LS0")


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker."""
    return new_site()


@pytest.fixture(scope="module")
def jobs(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    """Jobs whose inventory has the site's hosts, and no path of a key."""
    given = site.inventory["all"]
    groups = {name: list(group["hosts"]) for name, group in given["children"].items() if group["hosts"]}
    own = {host: values for group in given["children"].values() for host, values in group["hosts"].items()}
    common = {name: value for name, value in given["vars"].items() if name != "ansible_ssh_private_key_file"}
    # AWX' credential "kops environment" has a field for each of these variables.
    files = {name.lower(): value for name, value in running.environment().items()}
    return Jobs(
        tmp_path_factory.mktemp("awx"),
        {},
        {"state_store": site.state_store, "cluster_name": cluster.NAME, **files},
        hidden=OURS,
        inventory=Inventory(groups, own, common),
        ssh_key=hosts.key_pair().read_text(),
    )


@pytest.fixture(scope="module")
def made(jobs: Jobs, site: Site) -> Done:
    """The job that made the cluster."""
    started = time.monotonic()
    done = jobs.run("create cluster", {"kops_cluster_name": cluster.NAME, "kops_manifest": str(site.manifest)})
    assert done.status == "successful", done.output
    print(f"\nmade in {time.monotonic() - started:.0f} s")
    return done


def succeeded(done: Done) -> Done:
    assert done.status == "successful", done.output
    assert [mark for mark in SECRETS if mark in str(done.events)] == []
    return done


def is_there(host: str, path: str) -> bool:
    return "yes" in hosts.within(host, "sh", "-c", f"test -s {path} && echo yes || true")


def test_the_job_waits_for_the_nodes_and_shows_no_secret(made: Done) -> None:
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
    succeeded(made)
    assert {CONTROL_PLANE, WORKER} <= made.changed.keys()


def test_jobs_for_a_cluster_as_it_should_be_change_nothing(made: Done, jobs: Jobs) -> None:
    planned = succeeded(jobs.run("plan"))
    assert planned.changed == {}
    assert set(planned.artifacts["kops_plan_summary"].values()) - {0} == {
        planned.artifacts["kops_plan_summary"]["unchanged"]
    }
    for done in jobs.run("preflight"), jobs.run("rolling update", check=True), jobs.run("drift"):
        assert succeeded(done).changed == {}
    assert succeeded(jobs.run("update cluster")).changed == {}


def test_after_a_cancelled_job_the_next_one_makes_the_rest(made: Done, jobs: Jobs) -> None:
    hosts.within(WORKER, "rm", CRICTL)
    found = jobs.run("drift")
    assert (found.status, found.artifacts["kops_drifted"]) == ("failed", True)
    assert f"+ file/{WORKER}: {CRICTL}" in found.output

    def in_the_middle() -> None:
        # Then the addons and the validation are still ahead.
        deadline = time.monotonic() + 120
        while not is_there(WORKER, CRICTL):
            assert time.monotonic() < deadline
            time.sleep(0.2)

    cancelled = jobs.sent("update cluster", until=in_the_middle)
    assert cancelled.status == "canceled"
    assert not [event for event in cancelled.events if event["event"] == "playbook_on_stats"]
    succeeded(jobs.sent("update cluster"))
    assert succeeded(jobs.run("drift")).artifacts["kops_drifted"] is False
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
