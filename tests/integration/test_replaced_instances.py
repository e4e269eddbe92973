# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan says which instances get a change only when they are replaced, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.model import node_configs
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import outcome, report
from ansible_collections.kubeops.kops.tests.integration.conftest import Account

ZONE = "us-east-1a"
CONTROL_PLANE, WORKERS = f"control-plane-{ZONE}.masters.demo.example.com", f"nodes-{ZONE}.demo.example.com"
WHAT = "instances that run get it only when they are replaced"


def reasons(plan: list[dict[str, str]]) -> dict[str, str]:
    return {entry["name"]: entry["reason"] for entry in plan if entry["kind"] == "LaunchTemplate"}


@pytest.mark.long
def test_the_plan_says_which_instances_are_to_be_replaced_and_why(
    account: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    account.create(zones=[ZONE])
    created = account.update()
    assert reasons([dict(entry) for entry in created.plan.as_data()]) == {CONTROL_PLANE: "", WORKERS: ""}
    assert any("validate_cluster" in line for line in outcome(created, check=False).next_steps)
    out = str(tmp_path / "out")
    assert account.update(target="terraform", out=out).pending == {}

    account.change_group(f"nodes-{ZONE}", kubelet=KubeletConfigSpec(max_pods=42), machine_type="m5.large")
    planned = account.update(check=True)
    why = {WORKERS: f"{WHAT}: another NodeConfig, another instance type"}
    assert reasons([dict(entry) for entry in planned.plan.as_data()]) == why
    assert outcome(planned, check=True).values["pending"] == why
    assert f"({why[WORKERS]})" in " ".join(planned.plan.text().split())
    rendered = account.update(target="terraform", out=out)
    assert rendered.pending == {WORKERS: f"{WHAT}: another NodeConfig"}
    done = account.update()
    assert f"{WORKERS}: {why[WORKERS]}" in report(done, check=False)
    assert any("kubeops.kops.rolling_update" in line for line in outcome(done, check=False).next_steps)
    assert not account.update().changed

    # A newer collection has another program, for all nodes.
    program = node_program(AWS, ("s3",))
    monkeypatch.setattr(node_configs, "node_program", lambda _cloud, _schemes: program + b"newer")
    planned = account.update(check=True)
    text = f"{WHAT}: another node program"
    assert reasons([dict(entry) for entry in planned.plan.as_data()]) == {CONTROL_PLANE: text, WORKERS: text}
    assert f"{CONTROL_PLANE}, {WORKERS}: {text}" in report(planned, check=True)
