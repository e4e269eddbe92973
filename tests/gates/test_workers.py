# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that use one thing in turn stay on one worker of pytest-xdist."""

from __future__ import annotations

import pytest

GROUP = "workers"


@pytest.mark.xdist_group(GROUP)
def test_marks_of_groups_are_heeded(request: pytest.FixtureRequest) -> None:
    """pytest-xdist passes a group on in the name of a test. pytest 9.2 drops it there (pytest-xdist's issue 1386)."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("the tests are not spread over workers by their groups")
    assert request.node.nodeid.endswith(f"@{GROUP}")
