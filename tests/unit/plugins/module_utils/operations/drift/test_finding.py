# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift as a reader sees it."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.finding import (
    CLOUD,
    CLUSTER,
    DIFFERENT,
    MISSING,
    STORE,
    UNWANTED,
    Drift,
    Finding,
    Unseen,
)

SIZE = Finding(CLOUD, DIFFERENT, "AutoscalingGroup", "nodes", {"max_size": 5}, {"max_size": 1}, mend="update")
RULE = Finding(CLOUD, UNWANTED, "SecurityGroupRule", "sg-1: port=22", reason="in nodes", mend="by hand")
FILE = Finding(STORE, MISSING, "ManagedFile", "version", mend="update")


def test_no_drift() -> None:
    assert Drift("demo").text() == "demo: no drift\n"
    assert Drift("demo").is_complete


def test_what_was_not_looked_at_is_not_no_drift() -> None:
    drift = Drift("demo", unseen=[Unseen("addons", "the API is away")])
    assert not drift.is_complete
    assert drift.report() == ["demo: no drift in what could be looked at", "Not looked at: addons: the API is away"]
    # What no cloud can say is said, and is no failure.
    assert Drift("demo", unseen=[Unseen("hosts", "no inventory", failed=False)]).is_complete


def test_a_text_has_a_part_for_each_place() -> None:
    text = Drift("demo", [SIZE, FILE, RULE], kept=2).text()
    assert (
        text
        == """\
demo: 3 objects are not as they should be (1 in the state store, 2 in the cloud)

In the state store: 1 missing

+ ManagedFile/version

In the cloud: 1 different, 1 not wanted

~ AutoscalingGroup/nodes
    max_size  5 -> 1

- SecurityGroupRule/sg-1: port=22  (in nodes)

Next, for 2 of them: update
Next, for 1 of them: by hand
Kept, as it may still be in use: 2; to delete it, set prune: true (kops_prune=true in a playbook)
"""
    )


def test_a_finding_is_plain_data() -> None:
    assert SIZE.as_dict() == {
        "kind": "AutoscalingGroup",
        "name": "nodes",
        "where": "cloud",
        "what": "different",
        "change": {"before": {"max_size": 5}, "after": {"max_size": 1}},
        "reason": "",
        "mend": "update",
        "host": "",
    }
    assert Finding(CLUSTER, MISSING, "Node", "i-1").entry()["action"] == "create"
