# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion against kops' own cases."""

from __future__ import annotations

from tests.golden import completed


def test_completed_specs_are_those_of_kops(golden):
    results = [result for case in completed.cases(golden) for result in completed.compare(case)]
    assert results
    wrong = [f"{result.case} {result.kind}\n{result.detail}" for result in results if result.status == "differing"]
    assert not wrong, "\n".join(wrong)
