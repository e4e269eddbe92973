# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What plays have found out of hosts, as drift_info takes it."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.plugin_utils.compared import compared

CHANGE = {"item": "file:/etc/hosts", "before": None, "after": {}}
PLANNED = {"config": {}, "secrets": {"ca.key": "PRIVATE"}}
PLAN = {
    "problem": "",
    "hosts": {**dict.fromkeys(("c1", "n1", "n2", "n3", "n4", "new"), PLANNED), "keyless": {}},
    "problems": {"swapping": "swap is on"},
    "rolling": {"newcomers": ["new"], "disabled": ["n1"]},
}


def test_hosts_by_what_they_have_said() -> None:
    results: dict[str, dict[str, Any]] = {
        "c1": {"changes": [CHANGE], "deferred_changes": [], "hash": "x", "diff": []},
        "n1": {"changes": [], "deferred_changes": [CHANGE]},
        "n2": {"unreachable": True, "msg": "Failed to connect:\n no route"},
        "n3": {"msg": "the lock is held"},
    }
    hostvars = {"localhost": {"kops_plan": PLAN}, "n4": {}}
    hostvars |= {name: {"kops_compared": result} for name, result in results.items()}
    found = compared(hostvars)
    assert found == {
        "hosts_problem": "",
        "hosts": {
            "c1": {"changes": [CHANGE], "deferred_changes": [], "rolled": True},
            "n1": {"changes": [], "deferred_changes": [CHANGE], "rolled": False},
            "n2": {"problem": "cannot be reached: Failed to connect: no route", "rolled": True},
            "n3": {"problem": "the lock is held", "rolled": True},
            "n4": {"problem": "it did not answer", "rolled": True},
            "new": {"node": False},
            "keyless": {"node": False},
            "swapping": {"problem": "swap is on"},
        },
    }
    assert "PRIVATE" not in str(found)


def test_nobody_could_be_compared() -> None:
    hostvars = {"localhost": {"kops_plan": {"problem": "instance group nodes has no hosts"}}}
    assert compared(hostvars) == {"hosts": {}, "hosts_problem": "instance group nodes has no hosts"}


def test_nobody_was_asked() -> None:
    assert compared({"c1": {}}) == {}
    assert compared({"localhost": {}}) == {}
