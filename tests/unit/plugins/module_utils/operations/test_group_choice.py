# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups, chosen by name or by role."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.group_choice import choose_groups

GROUPS = [
    InstanceGroup(ObjectMeta(name=name), InstanceGroupSpec(role=role))
    for name, role in {"cp": "ControlPlane", "nodes": "Node", "batch": "Node", "bastions": "Bastion"}.items()
]


@pytest.mark.parametrize(
    ("names", "roles", "chosen"),
    [
        ([], [], None),
        ([""], [""], None),
        (["batch", "cp"], [], {"batch", "cp"}),
        ([], ["node"], {"nodes", "batch"}),
        ([], ["Nodes", "master"], {"nodes", "batch", "cp"}),
        ([], ["control-plane"], {"cp"}),
        ([], ["ControlPlane"], {"cp"}),
        ([], ["bastions"], {"bastions"}),
        ([], ["apiserver"], set()),
    ],
)
def test_what_is_chosen(names, roles, chosen) -> None:
    assert choose_groups(GROUPS, names, roles) == chosen


@pytest.mark.parametrize(
    ("names", "roles", "said"),
    [
        (
            ["nods", "nodes", "x"],
            [],
            "there is no instance group 'nods' and no instance group 'x'; there are cp, nodes, batch, bastions",
        ),
        ([], ["worker"], "there is no role 'worker'; there are control-plane, apiserver, node, bastion"),
        (["nodes"], ["node"], "instance_groups and instance_group_roles exclude each other: give one of them"),
    ],
)
def test_what_is_refused(names, roles, said) -> None:
    with pytest.raises(KopsError) as refused:
        choose_groups(GROUPS, names, roles)
    assert str(refused.value) == said
