# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line about hosts at the end of a run."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.summary import line_of


def test_every_way_to_end_is_said_and_who_it_is() -> None:
    ways = {
        "new": [f"w{number}" for number in range(7)],
        "changed": ["w0", "c1", "c2"],
        "deferred": ["c2"],
        "unchanged": ["c1", "c3", "c4"],
        "failed": ["w0", "c1", "c2", "c3", "c4", "c5"],
        "left_out": ["c6"],
    }
    assert line_of(ways, check=False) == (
        "hosts: 7 are nodes now (w0, w1, w2, w3, w4 and 2 more), 1 changed (c1), 1 left to a rolling update (c2), "
        "2 as they should be, 1 failed (c5), 1 left out, because they cannot be reached (c6)"
    )
    assert line_of({"new": ["a"], "changed": ["b"]}, check=True) == (
        "hosts: 1 would become nodes (a), 1 would be changed (b)"
    )
    assert line_of({}, check=False) == line_of({"new": []}, check=False) == ""
    with pytest.raises(KopsError, match="no run ends for a host as 'chnged'; did you mean changed?"):
        line_of({"chnged": ["a"]}, check=False)
