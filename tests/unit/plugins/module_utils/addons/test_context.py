# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What several addons ask of a cluster."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup


@pytest.mark.parametrize(("control_planes", "replicas"), [(0, 1), (1, 1), (2, 2), (3, 2)])
def test_controllers_have_a_second_replica_if_the_control_plane_has_several_groups(
    cluster: Cluster, control_planes: int, replicas: int
) -> None:
    roles = ["Node", "Node", "Bastion", *["ControlPlane"] * control_planes]
    groups = [
        codec.from_plain(InstanceGroup, {"metadata": {"name": f"group-{number}"}, "spec": {"role": role}})
        for number, role in enumerate(roles)
    ]
    assert AddonContext(cluster, groups).controller_replicas == replicas


def test_tags_in_the_cloud_are_sorted(cluster: Cluster) -> None:
    cluster.spec.cloud_labels = {"Owner": "Jane Doe", "CostCenter": "42"}
    assert AddonContext(cluster, []).cloud_labels == "CostCenter=42,KubernetesCluster=demo.example.com,Owner=Jane Doe"
