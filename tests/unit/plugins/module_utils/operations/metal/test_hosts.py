# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of an inventory, and their instance groups."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import Host, assign

LONGEST = "a" * 63


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [
        ("host1", True),
        ("Host1.Example.com", True),
        ("10.0.0.1", True),
        (LONGEST, True),
        ("a" + LONGEST, False),
        ("my_host", False),
        ("host 1", False),
        ("-host", False),
        ("fd00::1", False),
    ],
)
def test_a_host_has_a_name_that_nodes_can_have(name: str, is_taken: bool) -> None:
    problems: list[str] = []
    assign([Host(name, groups=("nodes",))], [InstanceGroup(metadata=ObjectMeta(name="nodes"))], problems)
    told = [each for each in problems if each.startswith(f"{name}: cannot be the name of a node")]
    assert bool(told) is not is_taken
