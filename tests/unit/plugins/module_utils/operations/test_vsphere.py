# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in vSphere from its options to its objects and back to nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.user_data import boot_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ownership import settings_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.states import disks_in
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.export import (
    KubeconfigOptions,
    export_kubeconfig,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import Request, plan_update, roll
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.engine import Options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.repair import Repair, plan_repair, repair
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from ansible_collections.kubeops.kops.tests.support.vsphere import whole_clusters as clusters
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, running
from ansible_collections.kubeops.kops.tests.support.vsphere.whole_clusters import (
    API,
    CONTROL_PLANE,
    NAME,
    NODES,
    Handed,
    places,
    seen,
    stored,
)
from pyVmomi import vim


@pytest.fixture(name="vcenter")
def run_vcenter() -> Iterator[VCenter]:
    with running() as made:
        yield made


@pytest.fixture(name="handed", autouse=True)
def of_controller(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> Handed:
    monkeypatch.setenv("S3_ENDPOINT", "https://s3.example.com")
    return clusters.environment(monkeypatch, vcenter)


@pytest.fixture
def store(tmp_path: Any) -> str:
    return stored(f"memfs://{tmp_path.name}")


def change_group(store: str, name: str, **values: Any) -> None:
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == name)
    for key, value in values.items():
        setattr(group.spec, key, value)
    opened.write_group(group)


def update(store: str, *, check: bool = False) -> Any:
    return update_cluster(UpdateOptions(store, NAME), check=check)


def test_from_options_to_machines_and_back_to_nothing(vcenter: VCenter, store: str, handed: Handed) -> None:
    before = sorted(clusters.names_in(vcenter))
    planned = update(store, check=True)
    assert sorted(clusters.names_in(vcenter)) == before
    done = update(store)
    assert done.plan.id == planned.plan.id
    assert places(store) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    assert handed == [each["name"] for each in seen(store) if settings_of(each)[names.GROUP] == CONTROL_PLANE]
    assert not update(store).changed
    assert not look_for_drift(DriftOptions(store, NAME)).found
    delete_cluster(DeleteOptions(store, NAME))
    assert (sorted(clusters.names_in(vcenter)), ClusterStore.open(store, NAME).files()) == (before, [])


def boots(store: str) -> dict[str, Any]:
    """Place of a machine -> what it is told."""
    found = {}
    for each in seen(store):
        said = settings_of(each)
        found[said[names.NAME].removesuffix(f".{NAME}")] = boot_of(clusters.user_data_of(said))
    return found


def test_workers_are_told_the_address_of_the_api_and_control_planes_the_store(store: str) -> None:
    update(store)
    told = boots(store)
    worker, control_plane = told[f"{NODES}-1"], told[f"{CONTROL_PLANE}-1"]
    assert worker["servers"]["addresses"] == [API]
    assert "store" not in worker
    assert "environment" not in worker
    assert control_plane["store"] == f"{store}/{NAME}"
    environment = control_plane["environment"]
    assert environment["VSPHERE_FOLDER"] == f"DC0/vm/{NAME}"
    assert environment["S3_ENDPOINT"] == "https://s3.example.com"
    assert len(bytes.fromhex(environment["KUBEOPS_SERVER_NONCE"])) == 32


@pytest.mark.parametrize("balancer", [None, "public"])
def test_users_reach_the_address_of_the_api_and_no_control_planes_own(tmp_path: Any, balancer: str | None) -> None:
    """That of a control plane, which was found first, would end with it; also a load balancer of the user's has it."""
    store = stored(f"memfs://{tmp_path.name}", api_loadbalancer_type=balancer)
    update(store)
    file = tmp_path / "config"
    result = export_kubeconfig(KubeconfigOptions(store, NAME, path=str(file), admin="1h"))
    assert (result.server, result.warnings) == (f"https://{API}", [])


def test_control_planes_hold_the_address_of_the_api(store: str) -> None:
    update(store)
    files = ClusterStore.open(store, NAME).files()
    (config,) = (
        json.loads(each.path.read()) for each in files if "/nodeconfig/" in each.name and CONTROL_PLANE in each.name
    )
    (text,) = (each["content"] for each in config["files"] if each["path"] == "/etc/keepalived/keepalived.conf")
    assert API in text


def test_a_control_plane_has_the_disks_of_its_member(store: str) -> None:
    update(store)
    machine = seen(store)[0]
    said = json.loads(settings_of(machine)[names.DISKS])
    assert [(each["etcd"], each["member"], each["members"]) for each in said] == [
        ("main", "etcd-0", ["etcd-0"]),
        ("events", "etcd-0", ["etcd-0"]),
    ] or {each["etcd"] for each in said} == {"main", "events"}
    uuids = {str(each.backing.uuid).lower() for each in disks_in(machine)}
    assert {each["uuid"] for each in said} < uuids
    assert settings_of(machine)["disk.EnableUUID"] == "TRUE"


def test_secrets_are_in_no_setting_or_plan(store: str) -> None:
    secrets = [simulator.PASSWORD, *clusters.KEY_OF_STORE.values(), *clusters.LOGIN_OF_NODES.values()]
    plans = [update(store, check=check).plan.as_data() for check in (True, False)]
    said = [dict(settings_of(each)) for each in seen(store)]
    told = [clusters.user_data_of(each) for each in said]
    shown = json.dumps([plans, said, told], default=str)
    assert not any(each in shown for each in secrets)
    files = {file.name: file.path.read() for file in ClusterStore.open(store, NAME).files()}
    assert not [name for name, content in files.items() if any(each.encode() in content for each in secrets)]


def test_groups_grow_and_shrink_and_are_removed(store: str) -> None:
    update(store)
    change_group(store, NODES, min_size=3, max_size=3)
    update(store)
    assert len(seen(store)) == 4
    change_group(store, NODES, min_size=1, max_size=2)
    planned = update(store, check=True)
    assert [each["task"] for each in planned.plan.as_data() if each["action"] == "delete"] == [f"Place/{NODES}-3"]
    update(store)
    # It runs until it is drained.
    assert len(seen(store)) == 4
    assert not update(store).changed
    rolled = roll(Request(store, NAME, options=Options(cloud_only=True)), print)
    assert rolled.problems == []
    assert places(store) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == NODES)
    group.metadata.name = "others"
    opened.write_group(group)
    update(store)
    opened.remove_group(NODES)
    update(store)
    assert places(store) == [f"{CONTROL_PLANE}-1", "others-1"]
    assert not update(store).changed


def test_outdated_machines_are_replaced_by_a_rolling_update_and_the_disks_of_etcd_stay(
    store: str, handed: Handed
) -> None:
    update(store)
    before = {each["name"] for each in seen(store)}
    disks = settings_of(seen(store)[0])[names.DISKS]
    for name in (CONTROL_PLANE, NODES):
        change_group(store, name, machine_type="4cpu-8gb")
    planned = update(store)
    wanted = Request(store, NAME, pending=planned.pending, options=Options(cloud_only=True))
    assert {each.name for each in plan_update(wanted, print).plans} == {CONTROL_PLANE, NODES}
    rolled = roll(replace(wanted, pending={}), print)
    assert rolled.problems == []
    now = seen(store)
    assert not before & {each["name"] for each in now}
    assert {(each["config.hardware"].numCPU, each["config.hardware"].memoryMB) for each in now} == {(4, 8192)}
    assert places(store) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    assert settings_of(now[0])[names.DISKS] == disks
    # The new control plane has its credentials, too.
    assert len(handed) == 2
    assert not update(store).changed
    assert plan_update(replace(wanted, pending={}), print).plans == []


def test_what_somebody_deleted_is_repaired_without_the_api(vcenter: VCenter, store: str, handed: Handed) -> None:
    """The only control plane is gone, so nobody can be asked about nodes."""
    update(store)
    with vcenter.client() as instance:
        machine = vcenter.machine(instance, str(seen(store)[1]["name"]))
        simulator.done(machine.PowerOffVM_Task())
        simulator.done(machine.Destroy_Task())
    request = Repair(store, NAME)
    assert plan_repair(request, print).lines[0] == f"instance group {NODES}: 1 instance missing, to be made"
    done = repair(request, print)
    assert done.made == {NODES: 1}
    assert places(store) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    assert not update(store).changed


def test_what_vcenter_does_not_have_is_refused_at_once_and_together(vcenter: VCenter, store: str) -> None:
    before = sorted(clusters.names_in(vcenter))
    change_group(store, NODES, machine_type="huge", image="debian-0")
    change_group(store, CONTROL_PLANE, image="debian-0")
    with pytest.raises(ValidationError) as caught:
        update(store)
    assert {(each.group, each.path) for each in caught.value.errors} >= {(NODES, "spec.machineType")}
    change_group(store, NODES, machine_type="2cpu-4gb")
    with pytest.raises(ValidationError) as caught:
        update(store)
    assert sorted((each.group, each.path) for each in caught.value.errors) == [
        (CONTROL_PLANE, "spec.image"),
        (NODES, "spec.image"),
    ]
    assert sorted(clusters.names_in(vcenter)) == before


def test_the_address_of_the_api_has_to_be_given(tmp_path: Any) -> None:
    with pytest.raises(KopsError, match=r"spec\.api\.publicName"):
        stored(f"memfs://{tmp_path.name}-without", api_public_name="")


def test_terraform_is_refused(store: str, tmp_path: Any) -> None:
    with pytest.raises(KopsError, match="clusters on vSphere are not rendered for Terraform, whose provider"):
        update_cluster(UpdateOptions(store, NAME, target="terraform", out=str(tmp_path / "out")))
    assert not (tmp_path / "out").exists()


def test_credentials_that_are_missing_are_named_before_anything_is_made(
    vcenter: VCenter, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(clusters.names_in(vcenter))
    monkeypatch.delenv("VSPHERE_NODE_USER")
    monkeypatch.delenv("S3_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(KopsError, match="lacks VSPHERE_NODE_USER, S3_ACCESS_KEY_ID"):
        update(store)
    assert sorted(clusters.names_in(vcenter)) == before


def test_an_update_of_workers_asks_for_no_credentials(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    update(store)
    change_group(store, NODES, min_size=3, max_size=3)
    monkeypatch.delenv("VSPHERE_NODE_USER")
    update_cluster(UpdateOptions(store, NAME, instance_groups=[NODES]))
    assert len(seen(store)) == 4


def test_a_cluster_of_another_store_is_left_alone(store: str) -> None:
    update(store)
    other = stored(f"{store}-other")
    for act in (lambda: update(other), lambda: delete_cluster(DeleteOptions(other, NAME))):
        with pytest.raises(KopsError, match=store):
            act()
    assert len(seen(store)) == 3


def test_without_a_store_it_is_found_by_its_tag(vcenter: VCenter, store: str) -> None:
    before = sorted(clusters.names_in(vcenter))
    update(store)
    delete_cluster(DeleteOptions(store, NAME, unregister=True))
    assert delete_cluster(DeleteOptions("", NAME, external=True, cloud="vsphere", place=Place())).changed
    assert sorted(clusters.names_in(vcenter)) == before


def test_a_machine_of_others_in_the_folder_stays(vcenter: VCenter, store: str) -> None:
    """It says nothing of itself, whatever it is called."""
    update(store)
    with vcenter.client() as instance:
        folder = simulator.find(instance, vim.Folder, NAME)
        machine = vcenter.machine(instance, simulator.OTHERS[0])
        simulator.done(folder.MoveIntoFolder_Task([machine]))
    assert not update(store).changed
    with pytest.raises(KopsError, match=simulator.OTHERS[0]):
        delete_cluster(DeleteOptions(store, NAME))
    assert f"VirtualMachine {simulator.OTHERS[0]}" in set(clusters.names_in(vcenter))
