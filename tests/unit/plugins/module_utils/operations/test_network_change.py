# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another network for a cluster that runs: refused before anything is written, unless it is asked for."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import dump_all
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import KindnetNetworkingSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
READY = {"memoryMiB": 4096, "swap": [], "ports": [22], "python": "3.11.2", "clockSkew": 0.3, "cgroups": 2}
HOSTS = {"cp": "control-plane-main", "w": "nodes-main"}


@pytest.fixture()
def options(tmp_path: pathlib.Path) -> UpdateOptions:
    """Of a cluster with flannel that was updated, so it runs."""
    url = f"file://{tmp_path}"
    arguments = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "flannel"}
    create_cluster(arguments, check_mode=False)
    found = UpdateOptions(url, NAME)
    update_cluster(found)
    return found


def changed(options: UpdateOptions, change: Callable[[Cluster], None]) -> list[Any]:
    """The cluster's objects with a change, which is not stored."""
    cluster, groups = ClusterStore.open(options.state_store, options.name).read()
    change(cluster)
    return [cluster, *groups]


def store(options: UpdateOptions, objects: list[Any]) -> None:
    ClusterStore.open(options.state_store, options.name).write_cluster(objects[0])


def to_kindnet(cluster: Cluster) -> None:
    cluster.spec.networking.flannel, cluster.spec.networking.kindnet = None, KindnetNetworkingSpec()


def set_to(path: str, value: str) -> Callable[[Cluster], list[str]]:
    return lambda cluster: paths.set_path(cluster, f"spec.networking.{path}", value)


def files(options: UpdateOptions) -> dict[str, bytes]:
    return {file.name: file.path.read() for file in ClusterStore.open(options.state_store, options.name).files()}


def inventory() -> dict[str, Any]:
    def said(number: int) -> dict[str, Any]:
        plain = {"hash": "", "cluster": NAME, "architecture": "amd64", "certificates": {}, "etcd": []}
        return {**plain, "facts": {"INTERNAL_IP": f"10.0.0.{number}"}, "ready": READY}

    return {host: {"groups": [group], "observed": said(number)} for number, (host, group) in enumerate(HOSTS.items())}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (to_kindnet, "spec.networking: the cluster runs flannel, which would be replaced by kindnet"),
        (
            set_to("podCIDR", "100.112.0.0/12"),
            "spec.networking.podCIDR: pods of the cluster have addresses of 100.96.0.0/11, not of 100.112.0.0/12",
        ),
        (
            set_to("serviceClusterIPRange", "100.72.0.0/13"),
            "spec.networking.serviceClusterIPRange: Services of the cluster have addresses of 100.64.0.0/13, not of"
            " 100.72.0.0/13",
        ),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_another_network_of_a_running_cluster_is_refused(
    options: UpdateOptions, check: bool, change: Callable[[Cluster], None], expected: str
) -> None:
    objects, before = changed(options, change), files(options)
    with pytest.raises(ValidationError) as raised:
        update_cluster(dataclasses.replace(options, manifest=dump_all(objects)), check=check)
    first, how = raised.value.errors
    assert str(first) == expected
    assert "set allow_network_change: true (kops_allow_network_change=true in a playbook)" in str(how)
    assert files(options) == before
    store(options, objects)
    before = files(options)
    with pytest.raises(ValidationError, match="allow_network_change"):
        update_cluster(options, check=check)
    with pytest.raises(ValidationError, match="allow_network_change"):
        plan_hosts(HostOptions(options.state_store, NAME, inventory()), check=check)
    assert files(options) == before


def test_a_change_that_is_asked_for_is_asked_for_once(options: UpdateOptions) -> None:
    store(options, changed(options, to_kindnet))
    allowed = dataclasses.replace(options, allow_network_change=True)
    hosts = HostOptions(options.state_store, NAME, inventory(), allow_network_change=True)
    update_cluster(allowed, check=True)
    assert "networking.flannel" in plan_hosts(hosts, check=True)["retired"]
    # Only an update remembers what the cluster runs from now on.
    with pytest.raises(ValidationError, match="allow_network_change"):
        plan_hosts(hosts)
    assert update_cluster(allowed).changed
    plan = plan_hosts(HostOptions(options.state_store, NAME, inventory()))
    assert "networking.flannel" in plan["retired"]
    assert "networking.kindnet" in [addon["name"] for addon in plan["addons"]]
    assert not update_cluster(options).changed


def test_other_settings_of_the_network_may_change(options: UpdateOptions) -> None:
    store(options, changed(options, set_to("flannel.iptablesResyncSeconds", "30")))
    assert update_cluster(options).changed


def test_a_cluster_that_never_ran_may_change(tmp_path: pathlib.Path) -> None:
    url = f"file://{tmp_path}"
    arguments = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "flannel"}
    create_cluster(arguments, check_mode=False)
    new = UpdateOptions(url, NAME)
    store(new, changed(new, to_kindnet))
    assert update_cluster(new).changed


def test_hosts_forget_the_network_that_they_had(options: UpdateOptions) -> None:
    """containerd takes the first file of /etc/cni/net.d, also that of a plug-in that does not run any more."""
    before = plan_hosts(HostOptions(options.state_store, NAME, inventory()))
    store(options, changed(options, to_kindnet))
    update_cluster(dataclasses.replace(options, allow_network_change=True))
    after = plan_hosts(HostOptions(options.state_store, NAME, inventory()))
    for host in HOSTS:
        kept, gone = (set(plan["hosts"][host]["config"]["absent"]["files"]) for plan in (before, after))
        assert gone - kept == {"/etc/cni/net.d/10-flannel.conflist"}
        assert kept - gone == {"/etc/cni/net.d/10-kindnet.conflist"}


def test_networks_of_the_user_are_left_on_hosts(tmp_path: pathlib.Path) -> None:
    url = f"file://{tmp_path}"
    arguments = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "cni"}
    create_cluster(arguments, check_mode=False)
    update_cluster(UpdateOptions(url, NAME))
    plan = plan_hosts(HostOptions(url, NAME, inventory()))
    assert all("absent" not in host["config"] for host in plan["hosts"].values())
