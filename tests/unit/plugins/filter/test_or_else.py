# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter gives a variable that is set, whatever its value."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.filter.or_else import FilterModule


@pytest.mark.parametrize(
    ("value", "found"), [("", 900), (None, 900), (0, 0), (False, False), ("false", "false"), ([], []), ("60", "60")]
)
def test_a_variable_or_something_else(value: Any, found: Any) -> None:
    assert FilterModule().filters()["or_else"](value, 900) == found
