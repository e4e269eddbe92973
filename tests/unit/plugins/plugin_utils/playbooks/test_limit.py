# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A limit may leave out nothing that a playbook needs."""

from __future__ import annotations

import re

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.limit import EACH_BY_ITSELF, problem_of_limit

GROUPS = {
    "all": ["localhost", "c1", "n1", "n2", "web1", "i-1"],
    "mine": ["c1", "n1", "n2"],
    "cloud_instances": ["i-1"],
}


@pytest.mark.parametrize(
    ("limit", "pattern", "left_out"),
    [
        ("", "", ""),
        ("localhost", "", "c1, n1, n2, web1"),
        ("localhost,c1", "", "n1, n2, web1"),
        ("all:!n2", "", "n2"),
        ("all", "", ""),
        ("all:!i-1", "", ""),
        ("localhost,mine", "mine", ""),
        ("localhost,mine,!n2", "mine", "n2"),
        ("localhost,c1", "c1", ""),
        ("localhost,web*", "mine:!n2", "c1, n1"),
    ],
)
def test_hosts_that_a_limit_leaves_out(limit: str, pattern: str, left_out: str) -> None:
    """limit: as --limit takes it. pattern: kops_hosts."""
    said = problem_of_limit("update_cluster", limit, pattern, GROUPS, ignored=["localhost", "i-1"])
    assert re.findall(r"leaves out (.*), and update_cluster needs", said) == ([left_out] if left_out else [])
    assert bool(said) == bool(left_out)


def test_many_hosts_are_not_all_named() -> None:
    said = problem_of_limit("repair", "localhost", "", {"all": [f"n{number}" for number in range(9)]})
    assert "leaves out n0, n1, n2, n3 ..., and repair" in said


@pytest.mark.parametrize("playbook", [*EACH_BY_ITSELF, "get", "kubeconfig"])
def test_who_needs_no_other_host_takes_any_limit(playbook: str) -> None:
    assert problem_of_limit(playbook, "localhost", "", GROUPS) == ""
