# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster in vCenter for tests: how they are planned, made and deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.cloud import VSphereCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.inventory import template
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.kinds import FOLDER, MACHINE, POOL
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ownership import (
    forget_machines,
    own_folder,
    own_pool,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.anti_affinity_rule import (
    AntiAffinityRule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.cluster_tag import (
    ClusterTag,
    TagCategory,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.etcd_disk import EtcdDisk
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.resource_pool import ResourcePool
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.vm_folder import VMFolder
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import DATASTORE, TEMPLATE, find
from pyVmomi import vim

NAME, STORE, GROUP = "demo.example.com", "s3://store/demo.example.com", "nodes"
DIRECTORY = names.directory(DATASTORE, NAME)


def client(cluster: str = NAME, store: str = STORE) -> VSphereCloud:
    """A client that knows nothing yet."""
    return VSphereCloud("", "", cluster, store)


def tasks(cluster: str = NAME, store: str = STORE, servers: Sequence[str] = (), **places: str) -> dict[str, Any]:
    """What a cluster has beside its machines: key -> task. servers: of the rule. places: within, on and compute."""
    category = TagCategory(names.category(cluster))
    directory = names.directory(DATASTORE, cluster)
    tag = ClusterTag(names.tag(cluster), category=category, store=store, disks=[directory])
    made: list[Task[Any]] = [
        category,
        tag,
        VMFolder(names.folder(cluster), tag=tag, within=places.get("folder", "")),
        ResourcePool(names.pool(cluster), tag=tag, compute=places.get("compute", ""), within=places.get("pool", "")),
        *(EtcdDisk(names.disk(etcd, "a", cluster), size=20, tag=tag) for etcd in ("main", "events")),
    ]
    if servers:
        made.append(AntiAffinityRule(names.rule(GROUP, cluster), servers=list(servers)))
    return {each.key: each for each in made}


def planned(cloud: VSphereCloud, wanted: Mapping[str, Task[Any]]) -> Plan:
    return make_plan(dict(wanted), cloud, explain=lambda error: str(explain(error)))


def applied(cloud: VSphereCloud, wanted: Mapping[str, Task[Any]]) -> Plan:
    """Make everything so; returns what was planned."""
    plan = planned(cloud, wanted)
    apply_plan(
        plan,
        cloud,
        explain=lambda error: str(explain(error)),
        is_conflict=lambda error: isinstance(error, Exists),
    )
    return plan


def changes(plan: Plan) -> list[str]:
    """What a plan changes: tasks and actions."""
    return [f"{step.action.value} {step.task.key}" for step in plan.steps if step.action is not Action.NONE]


def remove(cloud: VSphereCloud) -> None:
    """Delete everything that is the cluster's."""
    delete_all(discover(cloud), progress=lambda _line: None, explain=lambda error: str(explain(error)), deadline=20)


def machine(
    cloud: VSphereCloud, number: int, marked: bool = True, disks: Sequence[str] = (), role: str = names.NODE
) -> str:
    """Make a machine of the group in the cluster's folder and pool; its id. disks: paths of further ones."""
    folder, pool = own_folder(cloud), own_pool(cloud)
    assert folder is not None and pool is not None
    said = {
        names.CLUSTER: cloud.cluster_name,
        names.STORE: cloud.store,
        names.GROUP: GROUP,
        names.ROLE: role,
        names.NAME: names.server(GROUP, number, cloud.cluster_name),
    }
    name = f"{GROUP}-{number:06x}"
    settings = [vim.option.OptionValue(key=key, value=value) for key, value in said.items()] if marked else []
    place = vim.vm.RelocateSpec(pool=cloud.object(POOL, str(pool["id"])))
    spec = vim.vm.CloneSpec(
        location=place, powerOn=False, template=False, config=vim.vm.ConfigSpec(extraConfig=settings)
    )
    source = cloud.object(MACHINE, str(template(cloud, TEMPLATE)["id"]))
    into = cloud.object(FOLDER, str(folder["id"]))
    made = str(cloud.run(f"clone {name}", lambda: source.CloneVM_Task(into, name, spec)))
    handle = cloud.object(MACHINE, made)
    if disks:
        added = [
            vim.vm.device.VirtualDeviceSpec(operation="add", device=_disk(each, 2 + n)) for n, each in enumerate(disks)
        ]
        cloud.run("add disks", lambda: handle.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=added)))
    cloud.run(f"switch on {name}", handle.PowerOnVM_Task)
    forget_machines(cloud)
    return made


def _disk(path: str, unit: int) -> Any:
    backing = vim.vm.device.VirtualDisk.FlatVer2BackingInfo(fileName=path, diskMode="independent_persistent")
    size = 20 * 1024 * 1024
    return vim.vm.device.VirtualDisk(key=-unit, controllerKey=1000, unitNumber=unit, backing=backing, capacityInKB=size)


def files(instance: Any, directory: str = DIRECTORY) -> list[str] | None:
    """What is in a directory of the datastore; None if it is not there."""
    from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import done

    browser = find(instance, vim.Datastore, DATASTORE).browser
    try:
        found = done(browser.SearchDatastore_Task(directory, vim.host.DatastoreBrowser.SearchSpec(matchPattern=["*"])))
    except vim.fault.FileNotFound:
        return None
    return sorted(str(each.path) for each in found.file)


def everything(instance: Any) -> list[str]:
    """The kind and name of each object of the inventory, and of each rule: to compare."""
    content = instance.RetrieveContent()
    kinds = [vim.Folder, vim.ResourcePool, vim.VirtualMachine, vim.ClusterComputeResource]
    view = content.viewManager.CreateContainerView(content.rootFolder, kinds, True)
    found = list(view.view)
    view.Destroy()
    computes: list[Any] = [each for each in found if isinstance(each, vim.ClusterComputeResource)]
    rules = [f"rule {rule.name}: {len(rule.vm)}" for each in computes for rule in each.configurationEx.rule]
    return sorted([*(f"{type(each).__name__} {each.name}" for each in found), *rules])
