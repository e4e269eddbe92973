# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean would refuse is refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import (
    APISpec,
    Cluster,
    ClusterSpec,
    ConfigStoreSpec,
    LoadBalancerAccessSpec,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd import EtcdClusterSpec, EtcdMemberSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import NetworkingSpec
from ansible_collections.kubeops.kops.plugins.module_utils.model.digitalocean.limits import refused

MEMBERS = ("etcd-1", "etcd-2")


def problems(
    name: str = "demo.k8s.local",
    group: str = "nodes",
    cidr: str = "",
    store: str = "do://store/demo",
    balancer: str = "",
    volume: int | None = None,
    **spec: Any,
) -> list[str]:
    members = [EtcdMemberSpec(name=each, instance_group="control-plane", volume_size=volume) for each in MEMBERS]
    cluster = Cluster(
        metadata=ObjectMeta(name=name),
        spec=ClusterSpec(
            networking=NetworkingSpec(network_cidr=cidr or None),
            config_store=ConfigStoreSpec(base=store),
            api=APISpec(load_balancer=LoadBalancerAccessSpec(type=balancer) if balancer else None),
            etcd_clusters=[EtcdClusterSpec(name="main", etcd_members=members)],
        ),
    )
    given = {"role": "Node", **spec}
    groups = [InstanceGroup(metadata=ObjectMeta(name=group), spec=InstanceGroupSpec(**given))]
    return [f"{each.group} {each.path}".strip() for each in refused(cluster, groups)]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, []),
        ({"cidr": "10.20.0.0/16"}, []),
        ({"cidr": "10.20.0.0/28"}, []),
        ({"cidr": "10.20.0.0/15"}, ["spec.networking.networkCIDR"]),
        ({"cidr": "10.20.0.0/29"}, ["spec.networking.networkCIDR"]),
        # Of DigitalOcean's own.
        ({"cidr": "10.244.0.0/16"}, ["spec.networking.networkCIDR"]),
        ({"group": "a" * 54}, []),
        ({"group": "a" * 55}, [f"{'a' * 55} metadata.name"]),
        ({"group": "a.b"}, ["a.b metadata.name"]),
        ({"role": "Bastion"}, ["nodes spec.role"]),
        ({"role": "APIServer"}, ["nodes spec.role"]),
        ({"min_size": -1}, ["nodes spec.minSize"]),
        ({"balancer": "Public"}, []),
        ({"balancer": "Internal"}, ["spec.api.loadBalancer.type"]),
        ({"store": f"do://store/{'a' * 222}"}, []),
        ({"store": f"do://store/{'a' * 223}"}, ["spec.configStore.base"]),
        ({"store": f"do://store/{'_' * 90}"}, ["spec.configStore.base"]),
        ({"volume": 0}, ["spec.etcdClusters[0].etcdMembers.volumeSize"] * 2),
        ({"name": "a" * 239}, []),
        ({"name": "a" * 240}, ["metadata.name"]),
    ],
    ids=str,
)
def test_refused(given: dict[str, Any], found: list[str]) -> None:
    assert problems(**given) == found


def test_volumes_whose_names_are_cut_to_the_same_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(problems.__globals__, "MEMBERS", ("etcd-" + "a" * 60 + "1", "etcd-" + "a" * 60 + "2"))
    assert problems() == ["spec.etcdClusters[0].etcdMembers"]
