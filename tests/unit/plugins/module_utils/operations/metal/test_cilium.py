# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cilium on bare metal: its keys of IPsec on their way from the store to the cluster, and kernels that it refuses."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import HostProblems
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
KEY = "3 rfc4106(gcm(aes)) 00112233445566778899 128"
READY = {"memoryMiB": 4096, "swap": [], "ports": [22], "python": "3.11.2", "clockSkew": 0.3, "cgroups": 2}


@pytest.fixture()
def store(tmp_path: pathlib.Path) -> ClusterStore:
    """A cluster with kops' default network, which is Cilium."""
    url = f"file://{tmp_path}"
    options = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"]}
    create_cluster(options, check_mode=False)
    return ClusterStore.open(url, NAME)


def options(store: ClusterStore) -> UpdateOptions:
    return UpdateOptions(f"file://{store.path}".rpartition("/")[0], NAME)


def encrypt(store: ClusterStore) -> None:
    cluster = store.read_cluster()
    assert cluster.spec.networking.cilium is not None
    cluster.spec.networking.cilium.enable_encryption = True
    store.write_cluster(cluster)
    store.secrets.store("ciliumpassword", f"keys: {KEY}".encode())


def test_keys_are_in_the_manifest_and_in_no_plan(store: ClusterStore) -> None:
    encrypt(store)
    planned = update_cluster(options(store), check=True).plan
    [task] = [each for each in planned.as_data() if "networking.cilium.io" in each["task"]]
    assert task["action"] == "create"
    done = update_cluster(options(store)).plan
    assert KEY not in f"{planned.as_data()} {planned.text()} {done.as_data()} {done.text()} {planned.diff()}"
    assert KEY.encode() in store.path.join("addons/networking.cilium.io/k8s-1.16-v1.15.yaml").read()
    assert not update_cluster(options(store)).changed


def test_other_keys_are_a_change(store: ClusterStore) -> None:
    encrypt(store)
    update_cluster(options(store))
    store.secrets.store("ciliumpassword", b"keys: 4 rfc4106(gcm(aes)) 00 128")
    actions = {each["task"]: each["action"] for each in update_cluster(options(store), check=True).plan.as_data()}
    changed = {task for task, action in actions.items() if action == "update"}
    key = f"{NAME}-addons-networking.cilium.io-k8s-1.16"
    assert changed == {f"ConfidentialFile/{key}", f"ManagedFile/{NAME}-addons-bootstrap"}


def planned(store: ClusterStore, ready: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The plan of a control plane and of a worker that says something else of itself."""
    said = {"hash": "", "cluster": "", "architecture": "amd64", "certificates": {}, "etcd": [], "kernel": "6.1.0-cloud"}
    hosts = {
        "cp1": {"groups": ["control-plane-main"], "observed": {**said, "ready": READY}},
        "w1": {"groups": ["nodes-main"], "observed": {**said, "ready": {**READY, **ready}, **more}},
    }
    for number, host in enumerate(hosts.values(), 1):
        host["observed"]["facts"] = {"INTERNAL_IP": f"10.0.0.{number}"}
    return plan_hosts(HostOptions(options(store).state_store, NAME, hosts))


def test_hosts_get_the_keys(store: ClusterStore) -> None:
    encrypt(store)
    update_cluster(options(store))
    plan = planned(store, {})
    [addon] = [addon for addon in plan["addons"] if addon["name"] == "networking.cilium.io"]
    [secret] = [obj for obj in addon["objects"] if obj["kind"] == "Secret"]
    assert secret["stringData"] == {"keys": KEY}


@pytest.mark.parametrize(
    ("ready", "kernel", "expected"),
    [
        ({}, "5.4.0-216-generic", "has the kernel 5.4.0-216-generic, and Cilium needs 5.10 or newer"),
        ({}, "4.18.0-348.el8.x86_64", "has the kernel 4.18.0-348.el8.x86_64, and Cilium needs 5.10"),
        (
            {"missingModules": ["vxlan"]},
            "6.1.0",
            "its kernel 6.1.0 has no module vxlan (spec.networking.cilium.tunnel)",
        ),
        (
            {"missingFilesystems": ["bpf"]},
            "6.1.0",
            "its kernel 6.1.0 does not know the filesystem bpf (spec.networking.cilium)",
        ),
    ],
)
def test_a_kernel_that_cilium_does_not_run_on_is_refused(
    store: ClusterStore, ready: dict[str, Any], kernel: str, expected: str
) -> None:
    update_cluster(options(store))
    with pytest.raises(HostProblems) as raised:
        planned(store, ready, kernel=kernel)
    [problem] = raised.value.problems
    assert problem.startswith(f"w1: {expected}")


@pytest.mark.parametrize("kernel", ["5.10.0-35-amd64", "6.18.44", "4.18.0-553.16.1.el8_10.x86_64", "linux"])
def test_a_kernel_that_cilium_runs_on(store: ClusterStore, kernel: str) -> None:
    update_cluster(options(store))
    assert planned(store, {"missingModules": ["geneve", "wireguard", "esp4"]}, kernel=kernel)["hosts"]
