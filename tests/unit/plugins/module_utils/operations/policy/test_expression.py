# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of manifests the expressions of a policy may ask for."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.rule import Rule


@pytest.mark.parametrize(
    "field",
    [
        "spec.kubernetesApiAccess[]",
        "metadata.labels.anything",
        "spec.etcdClusters[0].etcdMembers[*].encryptedVolume",
        "spec.etcdClusters[].etcdMembers[].encryptedVolume | [0]",
        "spec.subnets[?type == 'Public'].name",
        'spec.cloudLabels."cost-center"',
        "length(spec.etcdClusters[?name == 'main'].etcdMembers[])",
        "sort_by(spec.subnets, &zone)[0].name",
        "{a: spec.channel, b: [spec.api]}",
        "spec.networking.*",
        "kind",
    ],
)
def test_fields_of_the_cluster(field: str) -> None:
    assert list(Rule(name="r", message="m", about="cluster", field=field, required=True).problems()) == []


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        ("spec.kubernetesAPIAccess[]", "there is no field kubernetesAPIAccess; did you mean kubernetesApiAccess?"),
        ("spec.etcdClusters[].members", "there is no field members; did you mean etcdMembers?"),
        ("spec.subnets[?kind == 'Public'].name", "there is no field kind"),
        ("length(spec.etcdCluster)", "there is no field etcdCluster; did you mean etcdClusters?"),
        ("spec.maxSize", "there is no field maxSize"),
        ("spec.[", "'spec.[' is no JMESPath expression: Invalid jmespath expression: Incomplete expression"),
    ],
)
def test_other_fields_are_problems(field: str, problem: str) -> None:
    found = list(Rule(name="r", message="m", about="cluster", field=field, required=True).problems())
    assert len(found) == 1
    assert found[0][0] == "field"
    assert found[0][1].startswith(problem)


def test_fields_of_plans_and_objects() -> None:
    def problems(about: str, field: str) -> list[tuple[str, str]]:
        return list(Rule(name="r", message="m", about=about, field=field, required=True).problems())

    assert problems("change", "after.tags.team") == problems("object", "fields.tags.team") == []
    assert problems("change", "fields.tags") == [("field", "there is no field fields")]
