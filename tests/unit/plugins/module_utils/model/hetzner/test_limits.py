# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Hetzner would refuse of a specification is refused before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.hetzner.limits import refused
from ansible_collections.kubeops.kops.tests.support.hetzner.whole_clusters import GROUPS, NAME, context_of


def problems(change: Callable[[str], str] = str, name: str = NAME, **groups: object) -> list[tuple[str, str]]:
    context = context_of(name, change, **groups)
    return [(each.group, each.path) for each in refused(context.cluster, context.groups)]


def test_kops_own_case_is_not_refused() -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("cloudProvider", "cloudLabels: {team: a b}\n  cloudProvider", [("", "spec.cloudLabels")]),
        ("cloudProvider", "cloudLabels: {'a/b/c': x}\n  cloudProvider", [("", "spec.cloudLabels")]),
        ("cloudProvider", "cloudLabels: {hetzner.cloud/x: z}\n  cloudProvider", [("", "spec.cloudLabels")]),
        ("cloudProvider", f"cloudLabels: {{team: {'x' * 64}}}\n  cloudProvider", [("", "spec.cloudLabels")]),
        ("cloudProvider", "cloudLabels: {example.com/team: storage, empty: ''}\n  cloudProvider", []),
        ("type: Public}}", "type: Internal}}", [("", "spec.api.loadBalancer.type")]),
        ("role: Node", "role: Bastion", [("nodes-fsn1", "spec.role")]),
        ("role: Node", f"role: Node, nodeLabels: {{{'x' * 41}: z}}", [("nodes-fsn1", "spec.nodeLabels")]),
        ("role: Node", f"role: Node, nodeLabels: {{example.com/{'x' * 60}: z}}", []),
        ("minSize: 1, maxSize: 1, role: Node", "minSize: -1, maxSize: 1, role: Node", [("nodes-fsn1", "spec.minSize")]),
    ],
)
def test_parts(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert problems(lambda text: text.replace(before, after)) == expected


def test_user_data_that_is_too_long() -> None:
    def change(text: str) -> str:
        more = f"additionalUserData: [{{name: a.sh, type: text/x-shellscript, content: {'x' * 16385}}}]"
        return text.replace("role: Node", f"role: Node, {more}")

    assert problems(change) == [("nodes-fsn1", "spec.additionalUserData")]


def test_all_problems_at_once() -> None:
    name = f"{'x' * 60}.example.com"
    groups = [*GROUPS, ("n" * 57, "Node", 1)]
    found = problems(name=name, groups=groups)
    members = [("", f"spec.etcdClusters[{index}].etcdMembers") for index in (0, 1)]
    assert found == [("", "metadata.name"), *members, ("n" * 57, "metadata.name")]
