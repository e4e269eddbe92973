# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup gives the hosts of the inventory that it is asked in."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.lookup.hosts import LookupModule


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({"groups": {"all": ["c1", "i-1", "localhost"], "cloud_instances": ["i-1"]}}, ["c1"]),
        ({"groups": {"all": ["localhost"]}}, []),
        ({}, []),
        (None, []),
    ],
)
def test_hosts_of_an_inventory(variables: dict[str, Any] | None, found: list[str]) -> None:
    plugin = LookupModule()
    plugin.set_options = lambda **_given: None
    assert plugin.run([], variables) == found
