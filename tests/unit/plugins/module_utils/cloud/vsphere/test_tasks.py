# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects beside machines: made, left alone, completed, refused; and runs that break off at each write."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import names, ownership
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.disks import all_disks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.states import disks_in
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.etcd_disk import EtcdDisk
from ansible_collections.kubeops.kops.tests.support.vsphere import applying
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, done, find
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import AFTER, BEFORE, Killed, Wire
from pyVmomi import vim

pytestmark = pytest.mark.lab_programs

# Category and tag; folder and pool, and their tags; the directory, asked for twice, and two disks.
WRITES = 10
EVERY = range(WRITES)
# One broken off before a write has mostly done what one broken off after the write before it has.
SHORT = (0, 3, 5, 8)
NUMBERS = [each if each in SHORT else pytest.param(each, marks=pytest.mark.long) for each in EVERY]
MAIN = names.disk("main", "a", applying.NAME)


def whole(vcenter: VCenter) -> tuple[list[str], list[str] | None]:
    with vcenter.client() as instance:
        return applying.everything(instance), applying.files(instance)


def is_whole(vcenter: VCenter) -> None:
    """All is there, once, and tagged; nothing is left to do."""
    found, files = whole(vcenter)
    assert [found.count(f"vim.{kind} {applying.NAME}") for kind in ("Folder", "ResourcePool")] == [1, 1]
    assert [each for each in files or () if not each.endswith("-flat.vmdk")] == [
        f"a.etcd-{etcd}.{applying.NAME}.vmdk" for etcd in ("events", "main")
    ]
    cloud = applying.client()
    assert applying.changes(applying.planned(cloud, applying.tasks())) == []
    assert ownership.own_folder(cloud) and ownership.own_pool(cloud)


def test_a_second_run_writes_nothing_and_asks_little(vcenter: VCenter, wire: Wire) -> None:
    plan = applying.planned(applying.client(), applying.tasks())
    assert len(applying.changes(plan)) == 6
    # A plan alone writes nothing.
    assert wire.writes == []
    applying.applied(applying.client(), applying.tasks())
    assert len(wire.writes) == WRITES
    is_whole(vcenter)
    wire.clear()
    assert applying.changes(applying.applied(applying.client(), applying.tasks())) == []
    assert wire.writes == []
    # Tag, category and what has the tag; the inventory; the machines; and one look at the directory of disks.
    rest = [each for each in wire.calls if "/rest/" in each and "/cis/session" not in each]
    assert len(rest) == 3
    assert wire.calls.count("SearchDatastore_Task") == 1


def test_disks_and_directories_are_named_by_the_tag(vcenter: VCenter) -> None:
    applying.applied(applying.client(), applying.tasks())
    found = ownership.tag_of(applying.client())
    assert found is not None
    assert found["said"] == {"by": "kubeops.kops", "store": applying.STORE, "disks": [applying.DIRECTORY]}


@pytest.mark.parametrize("number", NUMBERS)
def test_an_answer_that_is_lost_makes_no_twin(vcenter: VCenter, wire: Wire, number: int) -> None:
    wire.faults = {number: AFTER}
    applying.applied(applying.client(), applying.tasks())
    wire.clear()
    is_whole(vcenter)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("where", [AFTER, pytest.param(BEFORE, marks=pytest.mark.long)])
def test_killed_at_a_write(vcenter: VCenter, wire: Wire, number: int, where: str) -> None:
    wire.killed_at = (number, where)
    with pytest.raises(Killed):
        applying.applied(applying.client(), applying.tasks())
    wire.clear()
    applying.applied(applying.client(), applying.tasks())
    is_whole(vcenter)


@pytest.mark.parametrize("number", [0, pytest.param(5, marks=pytest.mark.long)])
def test_a_write_that_was_not_sent_is_sent_again(vcenter: VCenter, wire: Wire, number: int) -> None:
    wire.faults = {number: BEFORE}
    applying.applied(applying.client(), applying.tasks())
    wire.clear()
    is_whole(vcenter)


# -- what is not the cluster's ----------------------------------------------------------------------------------------


def test_an_empty_folder_without_the_tag_is_taken(vcenter: VCenter) -> None:
    with vcenter.client() as instance:
        find(instance, vim.Datacenter, "DC0").vmFolder.CreateFolder(applying.NAME)
    plan = applying.applied(applying.client(), applying.tasks())
    assert f"update VMFolder/{applying.NAME}" in applying.changes(plan)
    is_whole(vcenter)


def test_a_folder_of_others_is_refused_before_anything_is_written(vcenter: VCenter, wire: Wire) -> None:
    with vcenter.client() as instance:
        find(instance, vim.Datacenter, "DC0").vmFolder.CreateFolder(applying.NAME).CreateFolder("of others")
    wire.clear()
    with pytest.raises(KopsError, match=rf"another folder DC0/vm/{applying.NAME}.*is not empty"):
        applying.planned(applying.client(), applying.tasks())
    assert wire.writes == []


def test_a_directory_of_others_is_refused(vcenter: VCenter) -> None:
    with vcenter.client() as instance:
        manager = instance.RetrieveContent().fileManager
        manager.MakeDirectory(applying.DIRECTORY, find(instance, vim.Datacenter, "DC0"), False)
    with pytest.raises(KopsError, match=r"kubeops-demo.* already, which is not the cluster's"):
        applying.planned(applying.client(), applying.tasks())


def test_a_cluster_of_the_same_name_with_another_store_is_refused(vcenter: VCenter) -> None:
    applying.applied(applying.client(), applying.tasks())
    with pytest.raises(KopsError, match=f"another cluster {applying.NAME}, with the state store {applying.STORE}"):
        applying.planned(applying.client(store="s3://other"), applying.tasks(store="s3://other"))
    # Whoever does not know the store sees it.
    assert ownership.own_folder(applying.client(store="")) is not None


def test_a_category_of_others_is_refused(vcenter: VCenter) -> None:
    cloud = applying.client()
    cloud.tagging.make_category(names.category_id("other"), names.category(applying.NAME), "of others")
    with pytest.raises(KopsError, match="another category kubeops.kops/demo.example.com"):
        applying.planned(cloud, applying.tasks())


def test_a_tag_whose_id_vcenter_has_chosen_is_found_by_its_name(vcenter: VCenter) -> None:
    cloud = applying.client()
    category = cloud.tagging.make_category("", names.category(applying.NAME), names.described())
    said = names.described(store=applying.STORE, disks=[])
    tag = cloud.tagging.make_tag("", category, names.tag(applying.NAME), said)
    assert names.tag_id(applying.NAME) != tag
    made = applying.changes(applying.applied(applying.client(), applying.tasks()))
    assert f"update ClusterTag/{applying.NAME}" in made
    assert not [each for each in made if each.startswith(("create T", "create C"))]
    is_whole(vcenter)
    applying.remove(applying.client())
    assert cloud.tagging.category(category) is None


def test_where_the_folder_is_does_not_change_unnoticed(vcenter: VCenter) -> None:
    with vcenter.client() as instance:
        find(instance, vim.Datacenter, "DC0").vmFolder.CreateFolder("k8s")
    applying.applied(applying.client(), applying.tasks())
    with pytest.raises(KopsError, match=f"the cluster's folder is DC0/vm/{applying.NAME}, and not where"):
        applying.planned(applying.client(), applying.tasks(folder="k8s"))


def test_places_by_name(vcenter: VCenter) -> None:
    with vcenter.client() as instance:
        find(instance, vim.Datacenter, "DC0").vmFolder.CreateFolder("k8s").CreateFolder("clusters")
    wanted = applying.tasks(folder="k8s/clusters", compute="DC0_C0", pool="Resources")
    applying.applied(applying.client(), wanted)
    with vcenter.client() as instance:
        assert find(instance, vim.Folder, applying.NAME).parent.name == "clusters"
        assert find(instance, vim.ResourcePool, applying.NAME).owner.name == "DC0_C0"


# -- disks ------------------------------------------------------------------------------------------------------------


def test_a_disk_stays_with_its_name(vcenter: VCenter) -> None:
    """A machine that has it need not leave it where it was made."""
    applying.applied(applying.client(), applying.tasks())
    cloud = applying.client()
    path = f"{applying.DIRECTORY}/{MAIN}.vmdk"
    machine = applying.machine(cloud, 1, disks=[path])
    found = all_disks(applying.client())
    assert found[MAIN].machine == machine and found[MAIN].uuid
    assert (found[MAIN].path, found[MAIN].size) == (path, 20)
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
    wanted = applying.tasks()
    disk: EtcdDisk = wanted[f"EtcdDisk/{MAIN}"]
    disk.size = 30
    with pytest.raises(KopsError, match="20 -> 30"):
        applying.planned(applying.client(), wanted)


def test_disks_stay_on_their_datastore(vcenter: VCenter) -> None:
    applying.applied(applying.client(), applying.tasks())
    cloud = applying.client()
    elsewhere = f"[LocalDS_0] elsewhere/{MAIN}.vmdk"
    with vcenter.client() as instance:
        content, place = instance.RetrieveContent(), find(instance, vim.Datacenter, "DC0")
        content.fileManager.MakeDirectory("[LocalDS_0] elsewhere", place, False)
        move = content.virtualDiskManager.MoveVirtualDisk_Task
        done(move(f"{applying.DIRECTORY}/{MAIN}.vmdk", place, elsewhere, place, False))
    found = ownership.tag_of(cloud)
    assert found is not None
    said = names.described(store=applying.STORE, disks=[applying.DIRECTORY, "[LocalDS_0] elsewhere"])
    cloud.tagging.describe_tag(str(found["id"]), said)
    with pytest.raises(KopsError, match=r"elsewhere/.*: let spec.cloudProvider.vsphere.etcdDatastore name"):
        applying.planned(applying.client(), applying.tasks())


# -- rules ------------------------------------------------------------------------------------------------------------


def test_a_rule_follows_the_machines_of_its_group(vcenter: VCenter) -> None:
    applying.applied(applying.client(), applying.tasks())
    places = [names.server(applying.GROUP, number, applying.NAME) for number in (1, 2, 3)]
    rule = f"rule {names.rule(applying.GROUP, applying.NAME)}"
    cloud = applying.client()
    for number in (1, 2):
        applying.machine(cloud, number)
    # One machine needs no rule.
    assert applying.changes(applying.applied(applying.client(), applying.tasks(servers=places[:1]))) == []
    plan = applying.applied(applying.client(), applying.tasks(servers=places[:2]))
    assert applying.changes(plan) == [f"create AntiAffinityRule/{names.rule(applying.GROUP, applying.NAME)}"]
    assert f"{rule}: 2" in whole(vcenter)[0]
    applying.machine(applying.client(), 3)
    applying.applied(applying.client(), applying.tasks(servers=places))
    assert f"{rule}: 3" in whole(vcenter)[0]
    assert applying.changes(applying.applied(applying.client(), applying.tasks(servers=places))) == []
    applying.applied(applying.client(), applying.tasks(servers=places[:1]))
    assert not [each for each in whole(vcenter)[0] if each.startswith("rule")]


def test_a_rule_about_machines_of_others_is_refused(vcenter: VCenter) -> None:
    applying.applied(applying.client(), applying.tasks())
    with vcenter.client() as instance:
        machines = [vcenter.machine(instance, name) for name in ("DC0_C0_RP0_VM0", "DC0_C0_RP0_VM1")]
        rule = vim.cluster.AntiAffinityRuleSpec(
            name=names.rule(applying.GROUP, applying.NAME), enabled=True, vm=machines
        )
        spec = vim.cluster.ConfigSpecEx(rulesSpec=[vim.cluster.RuleSpec(operation="add", info=rule)])
        done(find(instance, vim.ClusterComputeResource, "DC0_C0").ReconfigureComputeResource_Task(spec, True))
    places = [names.server(applying.GROUP, number, applying.NAME) for number in (1, 2)]
    with pytest.raises(KopsError, match="about machines of others"):
        applying.planned(applying.client(), applying.tasks(servers=places))


def test_a_disk_that_was_moved_with_its_machine_is_known(vcenter: VCenter) -> None:
    """vCenter moves machines between datastores, and their disks with them: to paths that nobody has chosen."""
    applying.applied(applying.client(), applying.tasks())
    with vcenter.client() as instance:
        content, place = instance.RetrieveContent(), find(instance, vim.Datacenter, "DC0")
        content.fileManager.MakeDirectory("[LocalDS_0] moved", place, False)
        moved = "[LocalDS_0] moved/nodes-000001_1.vmdk"
        move = content.virtualDiskManager.MoveVirtualDisk_Task
        done(move(f"{applying.DIRECTORY}/{MAIN}.vmdk", place, moved, place, False))
    cloud = applying.client()
    machine = applying.machine(cloud, 1, disks=[moved])
    # As long as nobody says what it is, it is not there, and another one would be made.
    assert MAIN not in all_disks(applying.client())
    (disk,) = [each for each in disks_in(ownership.machines(cloud)[0]) if each.backing.fileName == moved]
    said = json.dumps([{"uuid": disk.backing.uuid.upper(), "etcd": "main", "member": "a", "members": ["a"]}])
    handle = cloud.object("VirtualMachine", machine)
    options = [vim.option.OptionValue(key=names.DISKS, value=said)]
    cloud.run("mark it", lambda: handle.ReconfigVM_Task(vim.vm.ConfigSpec(extraConfig=options)))
    assert all_disks(applying.client())[MAIN].path == moved
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
