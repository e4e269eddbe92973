# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's job templates as AWX runs their jobs, by ansible-runner."""

from __future__ import annotations

import pathlib
import signal
import time

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import read_lease
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, ZONE, Account
from ansible_collections.kubeops.kops.tests.integration.test_playbooks import SECRET_MARKS
from ansible_collections.kubeops.kops.tests.support.aws_server import is_write
from ansible_collections.kubeops.kops.tests.support.awx_jobs import Done, Jobs, jobs_of, workflow_variables

pytestmark = pytest.mark.long

NODES = f"nodes-{ZONE}"
# What the tests' own process has.
OURS = ("KOPS_STATE_STORE", "KOPS_CLUSTER_NAME", "KUBECONFIG")
CREDENTIAL = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@pytest.fixture()
def jobs(account: Account, tmp_path: pathlib.Path) -> Jobs:
    """Jobs for a cluster that is stored and has no objects. Only credentials say where it is, and who may change it.

    All other fields of the credentials are empty.
    """
    account.create(zones=[ZONE])
    environment = {name: account.server.environment[name] for name in CREDENTIAL}
    return Jobs(
        tmp_path, environment, {"state_store": account.store, "cluster_name": NAME}, hidden=(*CREDENTIAL, *OURS)
    )


def writes(account: Account) -> int:
    return sum(map(is_write, account.server.calls()))


def shown(done: Done) -> str:
    """The output of a job, in which there is no secret, and no result of a task either."""
    everything = "\n".join(str(event) for event in done.events)
    for mark in SECRET_MARKS:
        assert mark not in everything
    assert done.events[-1]["event"] == "playbook_on_stats"
    return done.output


def test_a_workflow_applies_the_approved_plan_and_no_other(account: Account, jobs: Jobs) -> None:
    plan, update = jobs_of("apply")[:2]
    before = writes(account)
    variables = workflow_variables("apply", {"kops_cluster_name": NAME})
    first = jobs.run(plan, **variables)
    assert (first.status, writes(account)) == ("successful", before), first.output
    assert f"Plan {first.artifacts['kops_plan_id']}: " in shown(first)
    assert first.artifacts["kops_plan_summary"]["create"] > 50

    # The approval passes on what the first job gave. Meanwhile somebody changes the specification.
    account.change_group(NODES, max_size=7)
    before = writes(account)
    refused = jobs.run(update, **{**first.artifacts, **variables})
    assert (refused.status, writes(account)) == ("failed", before)
    assert first.artifacts["kops_plan_id"] in refused.errors

    second = jobs.run(plan, **variables)
    assert second.artifacts["kops_plan_id"] != first.artifacts["kops_plan_id"]
    applied = jobs.run(update, **{**second.artifacts, **variables})
    assert applied.status == "successful", applied.output
    assert second.artifacts["kops_plan_id"] == applied.artifacts["kops_plan_id"]
    # What is done is shown while it is done.
    assert "AutoscalingGroup/" in shown(applied)
    assert "[1/" in applied.output
    groups = account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    assert {group["MaxSize"] for group in groups if group["AutoScalingGroupName"].startswith(NODES)} == {7}


def test_the_plan_of_a_step_is_not_passed_on(
    account: Account, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workflow for upgrades would hand it to a job that refuses it."""
    account.create(zones=[ZONE])
    monkeypatch.setenv("ANSIBLE_SHOW_CUSTOM_STATS", "true")
    for name in ("update_cluster", "reconcile"):
        play = {"import_playbook": str(ROOT / "playbooks/parts/update_cluster.yml"), "vars": {"playbook_name": name}}
        (tmp_path / "step.yml").write_text(yaml.safe_dump([{"name": "A step", **play}]))
        output = account.ansible("ansible-playbook", str(tmp_path / "step.yml"), "--check")
        assert ("kops_plan_id" in output.partition("CUSTOM STATS")[2]) == (name == "update_cluster")


def test_a_job_on_an_execution_node_and_one_that_is_cancelled(account: Account, jobs: Jobs) -> None:
    planned = jobs.sent("plan")
    assert planned.status == "successful", planned.output
    assert f"Plan {planned.artifacts['kops_plan_id']}: " in shown(planned)

    before = writes(account)
    process = account.server._process

    def in_the_middle() -> None:
        while writes(account) - before < 8:
            time.sleep(0.01)
        # The cloud does not answer any more, so that the job cannot end before it is cancelled.
        process.send_signal(signal.SIGSTOP)

    try:
        cancelled = jobs.sent("update cluster", until=in_the_middle)
    finally:
        process.send_signal(signal.SIGCONT)
    assert cancelled.status == "canceled"
    assert not [event for event in cancelled.events if event["event"] == "playbook_on_stats"]
    time.sleep(1)
    so_far = writes(account)

    # Its lease says who had it; the next job takes it, and makes the rest.
    record, _etag = read_lease(ClusterStore.open(account.store, NAME).path.join(LEASE))
    assert (record["operation"], "released" in record) == ("update cluster", False)
    assert writes(account) == so_far
    again = jobs.sent("update cluster")
    assert again.status == "successful", again.output
    summary = jobs.run("plan").artifacts["kops_plan_summary"]
    assert {action for action, count in summary.items() if count} == {"unchanged"}
