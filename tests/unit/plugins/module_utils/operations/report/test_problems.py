# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What should be done about a cluster, by what was read of it."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Failure
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.facts import (
    AddonFacts,
    BackupFacts,
    Change,
    ClusterFacts,
    Difference,
    DriftFacts,
    KeyFacts,
    NodeFacts,
    PlanFacts,
    Problem,
    Report,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.problems import problems_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.text import lines_of
from ansible_collections.kubeops.kops.tests.support.reports import CLUSTER, GENERATED, NOW, node

QUIET = replace(CLUSTER, recommended="")


def found(
    failures: list[Failure] | None = None,
    *,
    cluster: ClusterFacts = QUIET,
    nodes: list[NodeFacts] | None = None,
    keys: list[KeyFacts] | None = None,
    inventory: bool = False,
    **parts: object,
) -> list[Problem]:
    report = Report(cluster, [], nodes=nodes, keys=keys)
    for name, part in parts.items():
        setattr(report, name, part)
    return problems_of(report, failures or [], NOW, inventory)


def test_a_cluster_of_which_nothing_is_known_has_no_problems() -> None:
    assert found() == []


def test_failures_are_errors_with_what_helps() -> None:
    (node_failure,) = found([Failure("Node", "n1", "is not ready", "nodes")])
    assert (node_failure.severity, node_failure.instance_group) == ("error", "nodes")
    assert node_failure.command == "ansible-playbook kubeops.kops.repair --check"
    (on_hosts,) = found([Failure("Node", "n1", "is not ready", "nodes")], inventory=True)
    assert on_hosts.command == "ansible-playbook -i hosts.yml kubeops.kops.repair --check"
    (cordoned,) = found([Failure("Node", "n1", "was cordoned at 2026 by a rolling update that has not finished", "")])
    assert cordoned.command == "ansible-playbook kubeops.kops.rolling_update"


def test_no_repair_is_named_that_cannot_ask_the_api() -> None:
    failures = [Failure("TCP", "192.0.2.1", "the name of the API: timed out"), Failure("Machine", "i-0", "", "nodes")]
    assert {each.command for each in found(failures)} == {"ansible-playbook kubeops.kops.toolbox_dump"}
    # On hosts it needs only SSH.
    (_reach, machine) = found(failures, inventory=True)
    assert machine.command == "ansible-playbook -i hosts.yml kubeops.kops.repair --check"


def test_problems_that_differ_by_names_are_one() -> None:
    failures = [Failure("Machine", f"i-{number}", "has not joined the cluster yet", "nodes") for number in range(200)]
    (one,) = found(failures)
    assert (len(one.names), one.instance_group) == (200, "nodes")
    (one,) = found([*failures, Failure("Machine", "i-x", "has not joined the cluster yet", "others")])
    assert (len(one.names), one.instance_group) == (201, "")
    report = Report(QUIET, [], problems=[one])
    assert lines_of(report)[1] == (
        "- error: Machine i-0, i-1, i-2, i-3, i-4 and 196 more: has not joined the cluster yet"
    )


def test_nodes_that_a_rolling_update_would_replace_or_has_left() -> None:
    old = node(1, "nodes", "a", outdated=True, reasons=("its image is old",))
    left = node(2, "nodes", "a", outdated=True, state="Detached")
    stopped = node(3, "nodes", "a", power="stopped")
    (first, second, third) = found(nodes=[old, left, stopped, node(4, "nodes", "a", state="WarmPool", power="stopped")])
    assert first.message == "is not what its group would start now (its image is old)"
    assert second.message.startswith("was taken out of its group")
    assert third.message == "is stopped, and its group counts it"
    # Validation has told of it.
    failures = [Failure("Machine", stopped.name, "has not joined the cluster yet", "nodes")]
    assert [each.severity for each in found(failures, nodes=[stopped])] == ["error"]


def test_versions() -> None:
    (advice,) = found(cluster=CLUSTER)
    assert (advice.severity, advice.message) == ("notice", "can be upgraded to 1.34.4, which the channel recommends")
    # One after the other.
    (behind,) = found(cluster=CLUSTER, nodes=[node(1, "nodes", "a", version="1.33.4"), node(2, "nodes", "a")])
    assert behind.message == "runs Kubernetes 1.33.4; the specification has 1.34.2"
    (old,) = found(cluster=replace(QUIET, required="1.34.3"))
    assert old.severity == "error"
    assert found(nodes=[node(1, "nodes", "a", version=""), node(2, "nodes", "a", version="x")]) == []


def test_keys_that_expire_or_are_being_rotated() -> None:
    (over, soon, begun) = found(
        keys=[
            KeyFacts("one", expires="2026-05-08T11:59:59Z"),
            KeyFacts("two", expires="2026-08-01T00:00:00Z"),
            KeyFacts("three", expires="2026-09-01T00:00:00Z"),
            KeyFacts("four", expires="2026-08-01T00:00:00Z", next_step="sign with the new key pair"),
        ]
    )
    assert (over.severity, over.message) == ("error", "has expired on 2026-05-08")
    assert (soon.names, soon.severity, soon.message) == (["two"], "warning", "expires on 2026-08-01")
    assert begun.message == "is being rotated; the next step is to sign with the new key pair"


def test_backups_that_are_late() -> None:
    late = BackupFacts("main", "s3://x", 1, GENERATED, GENERATED, 1, 900, True)
    none = replace(late, etcd="events", last="", count=0)
    (first, second) = found(backups=[late, none, replace(late, late=False)])
    assert first.message == f"was last backed up at {GENERATED}, and one is due every 15 minutes"
    assert second.message == "has no backup, and one is due every 15 minutes"
    assert "control planes" in first.todo.lower()
    assert found(backups=[late], inventory=True)[0].command.endswith("kubeops.kops.etcd_backup")


def test_addons_are_told_once() -> None:
    addons = [AddonFacts(status, "", "bootstrap", status) for status in ("applied", "pending", "missing", "unwanted")]
    assert [each.names for each in found(addons=addons)] == [["pending"], ["missing"], ["unwanted"]]
    failures = [Failure("Addon", "pending", "is not applied yet as the state store has it")]
    assert [each.severity for each in found(failures, addons=addons)] == ["error", "warning", "notice"]


def test_what_an_update_would_change() -> None:
    counts = {"create": 3, "update": 0, "delete": 1, "keep": 2, "unchanged": 9}
    plan = PlanFacts("0123", counts, [Change("create", "VPC", "x")])
    (one,) = found(plan=plan)
    assert one.message == "is not applied as it is; an update would create 3, delete 1 objects"
    (never,) = found(plan=plan, cluster=replace(QUIET, updated_by=""))
    assert never.message.startswith("was never applied; ")
    # What is kept waits for its user.
    kept = {**dict.fromkeys(counts, 0), "keep": 2}
    assert found(plan=PlanFacts("0123", kept, [Change("keep", "TargetGroup", "x")])) == []


def test_what_differs_and_no_other_part_says() -> None:
    one = Difference("cloud", "unwanted", "Instance", "i-1", mend="delete it by hand")
    drift = DriftFacts([one, replace(one, mend=""), replace(one, told=True)])
    by_hand, unknown = found(drift=drift)
    # The command shows what differs, and does not mend it.
    assert by_hand.todo == "To mend it: delete it by hand. This shows all that differs"
    assert unknown.todo == "This shows all that differs"
    assert by_hand.command.endswith("kubeops.kops.drift")


def test_the_worst_comes_first() -> None:
    problems = found([Failure("Node", "n1", "is not ready")], cluster=CLUSTER, keys=[KeyFacts("a", next_step="x")])
    assert [each.severity for each in problems] == ["error", "warning", "notice"]
