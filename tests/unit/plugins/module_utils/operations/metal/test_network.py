# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bare-metal cluster whose network of pods is not provided is refused wherever it would be stored or applied."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networks import available_networks
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud_provider import AWSSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS, METAL
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import dump_all
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import (
    CiliumNetworkingSpec,
    KubenetNetworkingSpec,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.network import problems_of_network
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
LABELS = {"addon.kops.k8s.io/name": "networking.cilium.io"}
CILIUM = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "cilium", "labels": LABELS}}


def options(store: str, **more: Any) -> dict[str, Any]:
    return {"name": NAME, "state_store": store, "cloud": "metal", "zones": ["main"], **more}


def files(directory: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


NETWORKS = {"cilium": CiliumNetworkingSpec(), "kubenet": KubenetNetworkingSpec()}


def objects(tmp_path: pathlib.Path, network: str) -> list[Any]:
    """A cluster and its groups, as flannel's, with another network."""
    elsewhere = f"file://{tmp_path / 'elsewhere'}"
    create_cluster(options(elsewhere, networking="flannel"), check_mode=False)
    cluster, groups = ClusterStore.open(elsewhere, NAME).read()
    cluster.spec.config_store.base = None
    cluster.spec.networking.flannel = None
    setattr(cluster.spec.networking, network, NETWORKS[network])
    return [cluster, *groups]


@pytest.fixture()
def store(tmp_path: pathlib.Path) -> str:
    (tmp_path / "store").mkdir()
    return f"file://{tmp_path / 'store'}"


@pytest.mark.parametrize("network", ["kubenet"])
def test_a_new_cluster_without_an_available_network_is_refused(
    store: str, tmp_path: pathlib.Path, network: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        create_cluster(options(store, networking=network), check_mode=False)
    (problem,) = raised.value.errors
    assert problem.path == "networking"
    assert network in problem.message
    assert all(each in problem.message for each in available_networks(METAL))
    assert files(tmp_path) == []


def test_a_new_cluster_has_the_default_network_of_kops(store: str) -> None:
    create_cluster(options(store), check_mode=False)
    networking = ClusterStore.open(store, NAME).read_cluster().spec.networking
    assert networking.cilium is not None
    assert update_cluster(UpdateOptions(store, NAME)).changed


def test_what_is_available_is_what_the_catalogue_provides() -> None:
    assert available_networks(METAL) == ["calico", "cilium", "cni", "flannel", "kindnet", "kopeio", "kubeRouter"]
    assert set(available_networks(AWS)) - set(available_networks(METAL)) == {"amazonVPC"}


@pytest.mark.parametrize("check", [True, False])
def test_a_manifest_is_refused_before_it_is_stored(store: str, tmp_path: pathlib.Path, check: bool) -> None:
    manifest = dump_all(objects(tmp_path, "kubenet"))
    with pytest.raises(ValidationError, match="kubenet is not available on bare metal"):
        update_cluster(UpdateOptions(store, NAME, manifest=manifest), check=check)
    assert files(tmp_path / "store") == []


def test_a_stored_cluster_is_not_applied(store: str, tmp_path: pathlib.Path) -> None:
    """Its specification was stored by kops, for example."""
    cluster, *groups = objects(tmp_path, "kubenet")
    written = ClusterStore.open(store, NAME)
    for group in groups:
        written.write_group(group)
    written.write_cluster(cluster)
    before = files(tmp_path)
    for apply in (
        lambda: update_cluster(UpdateOptions(store, NAME)),
        lambda: plan_hosts(HostOptions(store, NAME, {"h1": {"groups": ["nodes-main"]}})),
    ):
        with pytest.raises(ValidationError, match="kubenet is not available on bare metal"):
            apply()
    assert files(tmp_path) == before


def test_a_network_that_the_user_installs_is_possible(store: str, tmp_path: pathlib.Path) -> None:
    create_cluster(options(store, networking="cni"), check_mode=False)
    update_cluster(UpdateOptions(store, NAME))
    own = [*objects(tmp_path, "cilium"), AdditionalObject(CILIUM)]
    another = f"file://{tmp_path / 'another'}"
    put(StoreOptions(another), sort_objects(own, NAME))
    assert update_cluster(UpdateOptions(another, NAME)).changed


def test_clusters_in_clouds_may_have_any_network(tmp_path: pathlib.Path) -> None:
    cluster = objects(tmp_path, "kubenet")[0]
    cluster.metadata.labels.pop("alpha.kops.k8s.io/cloud")
    cluster.spec.cloud_provider.aws = AWSSpec()
    assert problems_of_network(cluster) == []
