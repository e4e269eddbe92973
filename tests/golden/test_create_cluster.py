# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creation of clusters against kops' own cases."""

from __future__ import annotations

from tests.golden import create_cluster


def test_created_clusters_are_those_of_kops(golden):
    results = [result for case in create_cluster.cases(golden) for result in create_cluster.compare(case)]
    assert results
    wrong = [f"{result.case} {result.kind}\n{result.detail}" for result in results if result.status == "differing"]
    assert not wrong, "\n".join(wrong)
