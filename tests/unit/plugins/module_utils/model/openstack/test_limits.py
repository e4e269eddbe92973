# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and labels that OpenStack would refuse are refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster, ClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.model.openstack.limits import refused


def problems(name: str = "demo.k8s.local", labels: Any = None, group: str = "nodes", **spec: Any) -> list[str]:
    cluster = Cluster(metadata=ObjectMeta(name=name), spec=ClusterSpec(cloud_labels=labels or {}))
    groups = [InstanceGroup(metadata=ObjectMeta(name=group), spec=InstanceGroupSpec(role="Node", **spec))]
    return [f"{each.group} {each.path}".strip() for each in refused(cluster, groups)]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, []),
        ({"name": "a" * 60}, []),
        ({"name": "a" * 61}, ["metadata.name"]),
        ({"group": "a" * 56}, []),
        ({"group": "a" * 57}, [f"{'a' * 57} metadata.name"]),
        ({"labels": {"team": "storage", "k8s.io/cost": "1"}}, ["spec.cloudLabels"]),
        ({"labels": {"Cost Center": "a" * 256}}, ["spec.cloudLabels"]),
        # Nova's metadata is made of any key.
        ({"cloud_labels": {"k8s.io/cost": "Ü"}}, []),
        ({"cloud_labels": {"team": "a" * 256}}, ["nodes spec.cloudLabels"]),
        ({"min_size": -1}, ["nodes spec.minSize"]),
    ],
    ids=str,
)
def test_refused(given: dict[str, Any], found: list[str]) -> None:
    assert problems(**given) == found
