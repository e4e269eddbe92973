# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of an inventory are neither the controller nor instances of a cloud."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.inventory_hosts import hosts_of, no_hosts


@pytest.mark.parametrize(
    ("groups", "hosts"),
    [
        ({}, []),
        ({"all": ["localhost"]}, []),
        ({"all": ["n2", "localhost", "n1"]}, ["n2", "n1"]),
        ({"all": ["i-1", "i-2"], "cloud_instances": ["i-1", "i-2"]}, []),
        ({"all": ["i-1", "c1"], "cloud_instances": ["i-1"], "mine": ["i-1", "c1"]}, ["c1"]),
    ],
)
def test_hosts(groups: dict[str, list[str]], hosts: list[str]) -> None:
    """In the order of the inventory."""
    assert hosts_of(groups) == hosts
    assert no_hosts(groups).isdisjoint(hosts)
