# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each cloud's provider promises: the contract of its protocols, and that the contract notices what breaks it.

The contract is in tests/support/cloud_contract.py; a cloud takes part by a fake of it, below.
"""

from __future__ import annotations

import base64
import itertools
import re
import types
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.instance_ids import EC2
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names as droplet_names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.pool import droplet_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.server_template import (
    ServerTemplate as DropletTemplate,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.identifiers import url_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import kinds as hetzner_kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import CloudInstance, InstancesOfGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.server_template import ServerTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.making import make_now
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.template import FILE
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.replacing import NothingReplaced
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import Resource
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import SUPPORTED
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support import cloud_contract as contract
from ansible_collections.kubeops.kops.tests.support.cloud_contract import GROUP, NAME, Account
from ansible_collections.kubeops.kops.tests.support.digitalocean import catalog
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account as DigitalOceanFake
from ansible_collections.kubeops.kops.tests.support.digitalocean.whole_clusters import account_on_loopback
from ansible_collections.kubeops.kops.tests.support.google.server import GoogleServer
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as hetzner
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.memory_cloud import (
    MemoryAccount,
    MemoryCloud,
    MemoryLooking,
    MemoryProvider,
    MemoryReplacing,
)
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import FLAVOR, OTHER_FLAVOR, Project
from ansible_collections.kubeops.kops.tests.support.rest_server import RestServer
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from ansible_collections.kubeops.kops.tests.support.vsphere import whole_clusters as vsphere
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter

Check = Callable[[Account], None]


class AWSAccount:
    """moto's server: a group is an autoscaling group with its launch template, as an update makes them."""

    place = Place("us-east-1")

    def __init__(self) -> None:
        self.provider = SUPPORTED["aws"].provider()
        self.cloud = self.provider.open(self.place, NAME)

    def is_id(self, text: str) -> bool:
        return EC2.is_id(text)

    def start(self, wanted: int, cluster: str = NAME) -> None:
        name, ec2 = f"{GROUP}.{cluster}", self.cloud.client("ec2")
        tags = {f"kubernetes.io/cluster/{cluster}": "owned", "kops.k8s.io/instancegroup": GROUP}
        pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
        made = ec2.create_launch_template(
            LaunchTemplateName=name,
            LaunchTemplateData=_template("t3.medium"),
            TagSpecifications=[{"ResourceType": "launch-template", "Tags": pairs}],
        )
        self.cloud.client("autoscaling").create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=wanted,
            MaxSize=wanted,
            LaunchTemplate={"LaunchTemplateId": made["LaunchTemplate"]["LaunchTemplateId"], "Version": "$Latest"},
            VPCZoneIdentifier=ec2.describe_subnets()["Subnets"][0]["SubnetId"],
            Tags=[{**pair, "PropagateAtLaunch": True} for pair in pairs],
        )

    def change_template(self) -> None:
        self.cloud.client("ec2").create_launch_template_version(
            LaunchTemplateName=f"{GROUP}.{NAME}", LaunchTemplateData=_template("t3.large")
        )

    def end(self, instance: str) -> None:
        self.cloud.client("ec2").terminate_instances(InstanceIds=[instance])


class OpenStackAccount:
    """A project in memory: a group is its template in the state store, and servers, as an update makes them."""

    place = Place(store="memfs://contract")

    def __init__(self) -> None:
        self.project = Project()
        self.provider = SUPPORTED["openstack"].provider()
        self.provider.open = lambda place, cluster: self.project.client(cluster, f"{self.place.store}/{cluster}")
        for cluster in (NAME, contract.OTHER):
            for file in open_path(f"{self.place.store}/{cluster}").list_tree():
                file.path.remove()
        self._wanted, self._flavor = 0, FLAVOR

    def is_id(self, text: str) -> bool:
        return re.fullmatch(f"{GROUP}-[0-9a-f]{{6}}", text) is not None

    def start(self, wanted: int, cluster: str = NAME) -> None:
        self._wanted = wanted
        self._apply(cluster)

    def change_template(self) -> None:
        self._flavor = OTHER_FLAVOR
        self._apply(NAME)

    def end(self, instance: str) -> None:
        servers = self.project.of(kinds.SERVER)
        for identifier in [key for key, each in servers.items() if each["name"] == instance]:
            del servers[identifier]

    def _apply(self, cluster: str) -> None:
        def change(text: str) -> str:
            text = text.replace("memfs://store", str(self.place.store))
            return text.replace(f"machineType: {FLAVOR}", f"machineType: {self._flavor}")

        groups = [(GROUP, "Node", self._wanted, "az-1")]
        tasks = clusters.tasks(cluster, "", change, groups)
        for template in (each for each in tasks.values() if isinstance(each, ServerTemplate)):
            template.user_data = f"#!/bin/bash\n# {self._flavor}\n"
        clusters.applied(self.provider.open(self.place, cluster), tasks)


class HetznerAccount:
    """A project of tests: a group is its template in the state store, and servers, as an update makes them."""

    place = Place("eu-central", store="memfs://store")

    def __init__(self) -> None:
        hetzner.forget_store()
        self.provider = SUPPORTED["hetzner"].provider()
        self.provider.open = lambda place, cluster: hetzner.client(cluster)
        self._wanted, self._type = 0, "cx23"

    def is_id(self, text: str) -> bool:
        return re.fullmatch(f"{GROUP}-[0-9a-f]{{6}}", text) is not None

    def start(self, wanted: int, cluster: str = NAME) -> None:
        self._wanted = wanted
        self._apply(cluster)

    def change_template(self) -> None:
        self._type = "cx33"
        self._apply(NAME)

    def end(self, instance: str) -> None:
        client = hetzner.client()
        for each in client.read(hetzner_kinds.SERVER, name=instance):
            client.delete(hetzner_kinds.SERVER, each["id"])

    def _apply(self, cluster: str) -> None:
        def change(text: str) -> str:
            return text.replace("master-fsn1", GROUP).replace("machineType: cx23", f"machineType: {self._type}")

        wanted = hetzner.whole(cluster, change=change, groups=[(GROUP, "Node", self._wanted)])
        for template in (each for each in wanted.values() if each.kind == "ServerTemplate"):
            vars(template)["user_data"] = f"#!/bin/bash\n# {self._type}\n"
        hetzner.applied(wanted, hetzner.client(cluster))


class DigitalOceanAccount:
    """An account on loopback: a group is its template in the state store, and droplets, as an update makes them."""

    place = Place(catalog.REGION, store="memfs://contract-digitalocean")

    def __init__(self, server: RestServer) -> None:
        self._account = server.api
        self.provider = SUPPORTED["digitalocean"].provider()
        self.provider.open = lambda place, cluster: DigitalOceanCloud(
            catalog.REGION, cluster, f"{self.place.store}/{cluster}"
        )
        for file in open_path(str(self.place.store)).list_tree():
            file.path.remove()
        self._wanted, self._size = 0, catalog.SIZE

    def is_id(self, text: str) -> bool:
        return re.fullmatch(f"{GROUP}-[0-9a-f]{{8}}", text) is not None

    def start(self, wanted: int, cluster: str = NAME) -> None:
        self._wanted = wanted
        self._apply(cluster)

    def change_template(self) -> None:
        self._size = catalog.LARGER_SIZE
        self._apply(NAME)

    def end(self, instance: str) -> None:
        assert isinstance(self._account, DigitalOceanFake)
        droplets = self._account.droplets.objects
        for identifier in [key for key, each in droplets.items() if each["name"] == instance]:
            del droplets[identifier]

    def _apply(self, cluster: str) -> None:
        cloud = self.provider.open(self.place, cluster)
        tags = [droplet_names.cluster_tag(cluster), droplet_names.mark_tag(cluster)]
        template = DropletTemplate(
            GROUP,
            base=cloud.store,
            location=f"igconfig/node/{GROUP}/{FILE}",
            region=catalog.REGION,
            size=self._size,
            image=catalog.IMAGE,
            tags=[*tags, f"kops-instancegroup:{GROUP}", "kops-instance-role:Node"],
            user_data=f"#!/bin/bash\n# {self._size}\n",
        )
        make_now(cloud, [template, *(droplet_of(template, each + 1) for each in range(self._wanted))], explain)


_MANAGER = f"my-project/zones/us-east1-b/instanceGroupManagers/b-{GROUP}-demo-example-com"


class GCEAccount:
    """Google's APIs of tests: a group is a managed group with its template, as an update makes them."""

    place = Place("us-east1", "my-project")

    def __init__(self) -> None:
        self.provider = SUPPORTED["gce"].provider()
        self.cloud = self.provider.open(self.place, NAME)
        self._numbers = itertools.count(1)
        self._wanted = 0

    def is_id(self, text: str) -> bool:
        return re.fullmatch("[a-z]([-a-z0-9]{0,61}[a-z0-9])?", text) is not None

    def start(self, wanted: int, cluster: str = NAME) -> None:
        safe = cluster.replace(".", "-")
        self._wanted = wanted
        manager = {
            "name": f"b-{GROUP}-{safe}",
            "baseInstanceName": GROUP,
            "instanceTemplate": self._new_template(cluster),
            "targetSize": wanted,
        }
        self.cloud.insert("my-project/zones/us-east1-b/instanceGroupManagers", manager)

    def change_template(self) -> None:
        self.cloud.call(f"{_MANAGER}/setInstanceTemplate", {"instanceTemplate": self._new_template(NAME)})

    def end(self, instance: str) -> None:
        # What is deleted beside its group comes back under its name.
        url = url_of(f"my-project/zones/us-east1-b/instances/{instance}")
        self.cloud.call(f"{_MANAGER}/deleteInstances", {"instances": [url]})
        self.cloud.call(f"{_MANAGER}/resize", size=str(self._wanted))

    def _new_template(self, cluster: str) -> str:
        number = next(self._numbers)
        name, metadata = f"{GROUP}-{number}", {"cluster-name": cluster, "kops-k8s-io-instance-group-name": GROUP}
        metadata["startup-script"] = f"#!/bin/bash\n# {number}\n"
        properties = {
            "machineType": "e2-medium",
            "metadata": {"items": [{"key": key, "value": value} for key, value in metadata.items()]},
            "labels": {"k8s-io-cluster-name": cluster.replace(".", "-"), "k8s-io-instance-group": GROUP},
            "networkInterfaces": [{}],
        }
        self.cloud.insert("my-project/global/instanceTemplates", {"name": name, "properties": properties})
        return url_of(f"my-project/global/instanceTemplates/{name}")


class VSphereAccount:
    """A vCenter on loopback: a group is its template in the state store, and machines, as an update makes them."""

    place = Place(store="memfs://contract")

    def __init__(self, vcenter: VCenter) -> None:
        self.vcenter = vcenter
        self.provider = SUPPORTED["vsphere"].provider()
        self.provider.open = lambda place, cluster: vsphere.client(str(place.store), cluster)
        for cluster in (NAME, contract.OTHER):
            for file in open_path(f"{self.place.store}/{cluster}").list_tree():
                file.path.remove()
        self._wanted = 0

    def is_id(self, text: str) -> bool:
        return re.fullmatch(f"{GROUP}-[0-9a-f]{{6}}", text) is not None

    def start(self, wanted: int, cluster: str = NAME) -> None:
        self._wanted = wanted
        vsphere.group_applied(str(self.place.store), cluster, GROUP, wanted, "2cpu-4gb")

    def change_template(self) -> None:
        vsphere.group_applied(str(self.place.store), NAME, GROUP, self._wanted, "4cpu-8gb")

    def end(self, instance: str) -> None:
        with self.vcenter.client() as opened:
            machine = self.vcenter.machine(opened, instance)
            simulator.done(machine.PowerOffVM_Task())
            simulator.done(machine.Destroy_Task())


def _template(machine_type: str) -> dict[str, str]:
    user_data = base64.b64encode(f"#!/bin/bash\n# {machine_type}\n".encode()).decode()
    return {"ImageId": "ami-12c6146b", "InstanceType": machine_type, "UserData": user_data}


@pytest.fixture
def account(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The account of the cloud that the parameter names."""
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(graph, "LONGEST_PAUSE", 0.02)
    if request.param == "memory":
        return MemoryAccount()
    if request.param == "aws":
        request.getfixturevalue("moto_server")
        return AWSAccount()
    if request.param == "gce":
        request.getfixturevalue("google")
        return GCEAccount()
    if request.param == "openstack":
        return OpenStackAccount()
    if request.param == "hetzner":
        request.getfixturevalue("hetzner_server")
        return HetznerAccount()
    if request.param == "digitalocean":
        return DigitalOceanAccount(request.getfixturevalue("digitalocean"))
    if request.param == "vsphere":
        return VSphereAccount(request.getfixturevalue("vcenter"))
    place = Place("us-east1", "my-project")
    return types.SimpleNamespace(provider=SUPPORTED[request.param].provider(), place=place)


@pytest.fixture
def hetzner_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hetzner's API, and a token for it."""
    with HetznerServer() as server:
        hetzner.environment(monkeypatch, server)
        yield


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Google's APIs, and credentials for them."""
    with GoogleServer() as server:
        for variable, url in server.environment.items():
            monkeypatch.setenv(variable, url)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(server.credentials(tmp_path)))
        yield


@pytest.fixture
def digitalocean(monkeypatch: pytest.MonkeyPatch) -> Iterator[RestServer]:
    """An account of DigitalOcean, and the token for it."""
    with account_on_loopback(monkeypatch) as (server, _handed):
        yield server


@pytest.fixture
def vcenter(monkeypatch: pytest.MonkeyPatch) -> Iterator[VCenter]:
    """A vCenter, and a login for it; its machines have addresses as soon as they are on."""
    with simulator.running() as made:
        vsphere.environment(monkeypatch, made)
        yield made


def named(check: object) -> str | None:
    return getattr(check, "__name__", None)


STARTING = [name for name in SUPPORTED if not isinstance(SUPPORTED[name].provider().replacing, NothingReplaced)]


@pytest.mark.parametrize("check", contract.OF_EVERY_CLOUD, ids=named)
@pytest.mark.parametrize("account", ["memory", *SUPPORTED], indirect=True)
def test_every_cloud(account: Account, check: Check) -> None:
    check(account)


@pytest.mark.parametrize("check", contract.OF_CLOUDS_THAT_START_NODES, ids=named)
@pytest.mark.parametrize("account", ["memory", *STARTING], indirect=True)
def test_clouds_whose_instances_become_nodes(account: Account, check: Check) -> None:
    check(account)


@pytest.mark.parametrize("check", contract.OF_OTHERS, ids=named)
@pytest.mark.parametrize("account", [name for name in SUPPORTED if name not in STARTING], indirect=True)
def test_other_clouds(account: Account, check: Check) -> None:
    check(account)


@pytest.mark.parametrize("name", ["digitalocean", "gce", "hetzner", "openstack", "vsphere"])
def test_threads_that_replace_instances_wait_for_each_other(name: str) -> None:
    """By locks, which are those of one object."""
    provider = SUPPORTED[name].provider()
    assert provider.replacing is provider.replacing


# -- what breaks it ---------------------------------------------------------------------------------------------------


class FindsFromMemory(MemoryLooking):
    """Beside the client, which forgets."""

    def __init__(self) -> None:
        self.found: dict[str, Resource] | None = None

    def find_objects(self, cloud: MemoryCloud) -> dict[str, Resource]:
        if self.found is None:
            self.found = super().find_objects(cloud)
        return self.found


class LooksFromMemory(MemoryLooking):
    def groups(
        self, cloud: MemoryCloud, *, only_serving: bool = False, why: bool = False
    ) -> dict[str, InstancesOfGroup]:
        return cloud.once(self.groups_once)

    def groups_once(self, cloud: MemoryCloud) -> dict[str, InstancesOfGroup]:
        return super().groups(cloud)


class ComparesNothing(MemoryLooking):
    def groups(
        self, cloud: MemoryCloud, *, only_serving: bool = False, why: bool = False
    ) -> dict[str, InstancesOfGroup]:
        found = super().groups(cloud)
        return {
            name: replace(
                group, machines=[CloudInstance(each.name, name, each.state, power="on") for each in group.machines]
            )
            for name, group in found.items()
        }


class SeesOthers(MemoryLooking):
    def find_objects(self, cloud: MemoryCloud) -> dict[str, Resource]:
        return super().find_objects(MemoryCloud(cloud.account, contract.OTHER))


class TakesAllForExisting(MemoryLooking):
    def existing(self, cloud: MemoryCloud, names: Collection[str]) -> set[str]:
        return set(names)


class FailsForWhatIsGone(MemoryReplacing):
    def terminate(self, cloud: MemoryCloud, machine: CloudInstance) -> None:
        if not cloud.account.provider.looking.existing(cloud, [machine.name]):
            raise RuntimeError(f"{machine.name} is gone")
        super().terminate(cloud, machine)


class StartsOneMoreEachTime(MemoryReplacing):
    def replenish(self, cloud: MemoryCloud, group: str) -> None:
        cloud.account.groups[cloud.cluster_name, group].wanted += 1
        super().replenish(cloud, group)


class StartsNothing(MemoryReplacing):
    def replenish(self, cloud: MemoryCloud, group: str) -> None:
        """As if the cloud kept the number."""


class LosesTheDetached(MemoryReplacing):
    def detach(self, cloud: MemoryCloud, machine: CloudInstance) -> None:
        self.terminate(cloud, machine)


class OnlyTerminates(MemoryReplacing):
    def remove(self, cloud: MemoryCloud, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        self.terminate(cloud, machine)


class OneClient(MemoryProvider):
    def open(self, place: Place, cluster_name: str) -> MemoryCloud:
        if not hasattr(self, "client"):
            self.client = super().open(place, cluster_name)
        return self.client


class HasNoWords(MemoryProvider):
    def explain(self, error: Exception) -> str:
        return "something went wrong"


@pytest.mark.parametrize(
    ("part", "broken", "check"),
    [
        ("looking", FindsFromMemory, contract.discovery_reads_anew),
        ("looking", LooksFromMemory, contract.groups_are_read_anew),
        ("looking", ComparesNothing, contract.instances_are_compared_with_new_ones),
        ("looking", ComparesNothing, contract.both_views_are_one),
        ("looking", SeesOthers, contract.another_clusters_objects_are_not_seen),
        ("looking", TakesAllForExisting, contract.what_has_ended_exists_no_more),
        ("replacing", FailsForWhatIsGone, contract.whoever_ends_gets_a_successor),
        ("replacing", StartsOneMoreEachTime, contract.whoever_ends_gets_a_successor),
        ("replacing", StartsNothing, contract.whoever_ends_gets_a_successor),
        ("replacing", LosesTheDetached, contract.the_detached_are_seen_but_do_not_count),
        ("replacing", OnlyTerminates, contract.what_is_removed_has_no_successor),
        ("replacing", NothingReplaced, contract.whoever_ends_gets_a_successor),
        ("replacing", MemoryReplacing, contract.a_cloud_that_replaces_nothing_says_so),
        ("", OneClient, contract.clients_share_no_memory),
        ("", HasNoWords, contract.every_error_gets_a_sentence),
    ],
    ids=named,
)
def test_what_breaks_the_contract_is_noticed(part: str, broken: Any, check: Check) -> None:
    account = MemoryAccount()
    if part:
        setattr(account.provider, part, broken())
    else:
        account.provider = broken(account)
    if broken is MemoryReplacing:
        account.start(1)
    with pytest.raises((AssertionError, KopsError, RuntimeError, pytest.fail.Exception)):
        check(account)


def test_discovery_is_no_clouds_to_remember() -> None:
    """A cloud may read by `once`, as everything else does: the client has forgotten it before."""
    account = MemoryAccount()
    cloud = contract.opened(account)
    assert account.provider.looking.discover(cloud) == {}
    account.start(1)
    assert account.provider.looking.discover(cloud)
