# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Terraform and IAM documents against kops' own cases."""

from __future__ import annotations

import pytest

from tests.golden import iam, terraform


@pytest.mark.parametrize("harness", [terraform, iam])
def test_rendered_clusters_are_those_of_kops(golden, harness):
    results = [result for case in harness.cases(golden) for result in harness.compare(case)]
    assert results
    wrong = [f"{result.case} {result.kind}: {result.status} {result.detail}" for result in results]
    assert not [line for line, result in zip(wrong, results) if result.status != "matched"]
