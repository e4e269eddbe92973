# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in DigitalOcean from its options to its objects and back to nothing; in an account on loopback."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import DNSAccessSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.provider import DigitalOceanProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.user_data import boot_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import CONFIGURATION
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.repair import Repair, plan_repair, repair
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import SERVER_KEY
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.digitalocean import catalog, whole_clusters
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN, Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.whole_clusters import (
    CONTROL_PLANE,
    NAME,
    NODES,
    STORE_SECRET,
    Handed,
    account_on_loopback,
    change_group,
    stored,
)
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, Call, RestServer


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[RestServer, Handed]]:
    with account_on_loopback(monkeypatch) as found:
        yield found


@pytest.fixture
def server(loopback: tuple[RestServer, Handed]) -> RestServer:
    return loopback[0]


@pytest.fixture
def handed(loopback: tuple[RestServer, Handed]) -> Handed:
    return loopback[1]


@pytest.fixture
def account(server: RestServer) -> Account:
    assert isinstance(server.api, Account)
    return server.api


@pytest.fixture
def store(server: RestServer, tmp_path: Any) -> str:
    return stored(f"memfs://{tmp_path.name}")


def update(store: str, *, check: bool = False) -> Any:
    return update_cluster(UpdateOptions(store, NAME), check=check)


def places(account: Account) -> list[str]:
    """Of the droplets, group and number."""
    found = []
    for each in account.droplets.objects.values():
        said = dict(tag.split(":", 1) for tag in each["tags"])
        found.append(f"{said['kops-instancegroup']}-{said['kubeops-number']}")
    return sorted(found)


def of_role(account: Account, role: str) -> list[dict[str, Any]]:
    return [each for each in account.droplets.objects.values() if f"kops-instance-role:{role}" in each["tags"]]


def left(account: Account) -> list[str]:
    return [each for each in account.everything() if not each.startswith("tag ")]


def test_from_options_to_droplets_and_back_to_nothing(server: RestServer, account: Account, store: str) -> None:
    planned = update(store, check=True)
    assert (account.everything(), server.writes) == ([], [])
    done = update(store)
    assert done.plan.id == planned.plan.id
    assert places(account) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    writes = len(server.writes)
    assert not update(store).changed
    assert not look_for_drift(DriftOptions(store, NAME)).found
    assert len(server.writes) == writes
    delete_cluster(DeleteOptions(store, NAME))
    assert (left(account), ClusterStore.open(store, NAME).files()) == ([], [])
    # Tags that other clusters could have, too, are the account's.
    assert {each.partition(":")[0] for each in account.tags.names} == {
        "etcdCluster-events",
        "etcdCluster-main",
        "k8s-index",
        "kops-instance-role",
        "kops-instancegroup",
        "kubeops-number",
    }


def test_names_and_tags_are_those_of_kops_and_marks(account: Account, store: str) -> None:
    update(store)
    (droplet,) = of_role(account, "ControlPlane")
    assert droplet["name"].startswith(f"{CONTROL_PLANE}-")
    of_kops = [each for each in droplet["tags"] if not each.startswith("kubeops-")]
    assert sorted(of_kops) == [
        "KubernetesCluster-Master:demo-k8s-local",
        "KubernetesCluster:demo-k8s-local",
        "k8s-index:etcd-1",
        "kops-instance-role:ControlPlane",
        f"kops-instancegroup:{CONTROL_PLANE}",
    ]
    assert [each.partition(":")[0] for each in droplet["tags"] if each.startswith("kubeops-")] == [
        "kubeops-cluster",
        "kubeops-number",
        "kubeops-made-from",
        "kubeops-store",
        "kubeops-given",
    ]
    worker = of_role(account, "Node")[0]
    assert not [each for each in worker["tags"] if "Master" in each or "given" in each]
    vpc = next(each for each in account.networks.vpcs.values() if each["name"] == "vpc-demo-k8s-local")
    assert {each["vpc_uuid"] for each in account.droplets.objects.values()} == {vpc["id"]}
    names = sorted(each["name"] for each in account.volumes.objects.values())
    assert names == [f"kops-etcd-1-etcd-{etcd}-demo-k8s-local" for etcd in ("events", "main")]


@pytest.mark.parametrize("count", [2, 25])
def test_an_update_without_changes_asks_little_whatever_there_is(
    server: RestServer, account: Account, tmp_path: Any, count: int
) -> None:
    store = stored(f"memfs://{tmp_path.name}", node_count=count)
    update(store)
    assert len(account.droplets.objects) == count + 1
    server.calls.clear()
    assert not update(store).changed
    assert server.writes == []
    assert sorted(each.path for each in server.calls) == [
        "/v2/account/keys",
        "/v2/droplets",
        "/v2/firewalls",
        f"/v2/images/{catalog.IMAGE}",
        "/v2/load_balancers",
        "/v2/sizes",
        "/v2/volumes",
        "/v2/vpcs",
    ]


def test_no_secret_is_told_but_over_ssh(server: RestServer, account: Account, handed: Handed, store: str) -> None:
    done = update(store)
    (droplet,) = of_role(account, "ControlPlane")
    assert handed == [droplet["name"]]
    told = json.dumps([each.body for each in server.calls]) + json.dumps(done.plan.as_data())
    told += "".join(account.droplets.user_data.values())
    assert TOKEN not in told
    assert STORE_SECRET not in told
    # Each droplet has a number of its own, and a successor another.
    assert "NONCE-OF-THIS-SERVER" not in account.droplets.user_data[droplet["id"]]
    worker = boot_of(account.droplets.user_data[of_role(account, "Node")[0]["id"]])
    assert worker is not None
    (balancer,) = account.networks.balancers.values()
    assert worker["servers"]["addresses"] == [balancer["ip"]]
    assert "store" not in worker


def test_a_key_of_servers_that_is_lost_is_made_anew(
    server: RestServer, account: Account, handed: Handed, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the state store's secrets, such as by a backup: an update said that update_cluster makes it, and ended."""
    update(store)
    open_path(store).join(NAME, "secrets", SERVER_KEY).remove()
    steps = {(each["action"], each["kind"]) for each in update(store, check=True).plan.as_data()}
    assert {("create", "Secret"), ("update", "Droplet")} <= steps
    update(store)
    assert not update(store).changed


def test_other_credentials_are_handed_over_and_nothing_is_replaced(
    server: RestServer, account: Account, handed: Handed, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(store)
    (droplet,) = of_role(account, "ControlPlane")
    (before,) = [each for each in droplet["tags"] if each.startswith("kubeops-given")]
    monkeypatch.setattr(whole_clusters, "STORE_SECRET", "new")
    monkeypatch.setenv("S3_SECRET_ACCESS_KEY", "new")
    (step,) = [each for each in update(store, check=True).plan.as_data() if each["kind"] == "Droplet"]
    assert (step["before"], step["after"]) == ({"state": "without its credentials"}, {"state": "ready"})
    update(store)
    assert handed == [droplet["name"]] * 2
    (after,) = [each for each in droplet["tags"] if each.startswith("kubeops-given")]
    assert after != before
    assert before not in account.tags.names
    assert not update(store).changed


def test_what_the_environment_lacks_is_said_before_anything_is_made(
    account: Account, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("S3_SECRET_ACCESS_KEY")
    with pytest.raises(KopsError, match="lacks S3_SECRET_ACCESS_KEY"):
        update(store)
    assert account.everything() == []


def test_groups_grow_and_shrink_and_are_removed(account: Account, store: str) -> None:
    update(store)
    change_group(store, NODES, min_size=4, max_size=4)
    update(store)
    assert len(places(account)) == 5
    # Between its sizes, a group keeps what it has.
    change_group(store, NODES, min_size=1, max_size=4)
    assert not update(store).changed
    change_group(store, NODES, min_size=1, max_size=2)
    planned = update(store, check=True)
    assert [each["name"] for each in planned.plan.as_data() if each["action"] == "delete"] == [
        f"{NODES}-3",
        f"{NODES}-4",
    ]
    assert [each["kind"] for each in planned.plan.as_data()] == ["Place", "Place"]
    update(store)
    # They run on until a rolling update has drained them.
    assert len(places(account)) == 5
    assert not update(store).changed
    provider = DigitalOceanProvider()
    cloud = provider.open(Place(catalog.REGION, store=f"{store}/{NAME}"), NAME)
    for machine in provider.looking.groups(cloud)[NODES].machines:
        if machine.state == DETACHED:
            provider.replacing.terminate(cloud, machine)
            provider.replacing.replenish(cloud, NODES)
    assert places(account) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    assert not update(store).changed
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == NODES)
    group.metadata.name = "others"
    opened.write_group(group)
    update(store)
    opened.remove_group(NODES)
    update(store)
    assert places(account) == [f"{CONTROL_PLANE}-1", "others-1"]
    assert not look_for_drift(DriftOptions(store, NAME)).found


def test_what_somebody_deleted_is_repaired_without_the_api(
    account: Account, handed: Handed, store: str, server: RestServer
) -> None:
    """The only control plane is gone, so nobody can be asked about nodes."""
    update(store)
    before = {each["name"] for each in account.droplets.objects.values()}
    for each in (*of_role(account, "ControlPlane"), of_role(account, "Node")[0]):
        del account.droplets.objects[each["id"]]
    writes, request = len(server.writes), Repair(store, NAME)
    planned = plan_repair(request, print)
    assert planned.lines[:2] == [
        f"instance group {CONTROL_PLANE}: 1 instance missing, to be made",
        f"instance group {NODES}: 1 instance missing, to be made",
    ]
    assert len(server.writes) == writes
    done = repair(request, print)
    assert (done.made, done.update.problems) == ({CONTROL_PLANE: 1, NODES: 1}, [])
    assert len(places(account)) == 3
    assert len({each["name"] for each in account.droplets.objects.values()} & before) == 1
    # The new control plane has its credentials, too.
    assert handed[-1] == of_role(account, "ControlPlane")[0]["name"]
    assert not update(store).changed


def test_what_digitalocean_does_not_offer_is_refused_at_once_and_together(account: Account, store: str) -> None:
    change_group(store, NODES, machine_type=catalog.OTHER_SIZE, image="debian-0")
    with pytest.raises(ValidationError) as caught:
        update(store)
    assert [each.path for each in caught.value.errors] == ["spec.machineType", "spec.image"]
    assert {each.group for each in caught.value.errors} == {NODES}
    assert account.everything() == []


def test_nodes_have_to_find_the_control_planes(account: Account, store: str) -> None:
    opened = ClusterStore.open(store, NAME)
    cluster, _groups = opened.read()
    cluster.spec.api.load_balancer = None
    cluster.spec.api.dns = DNSAccessSpec()
    opened.write_cluster(cluster)
    with pytest.raises(ValidationError) as caught:
        update(store)
    assert [each.path for each in caught.value.errors] == ["spec.api.loadBalancer"]
    assert account.everything() == []


def test_twins_are_named_and_refused(account: Account, server: RestServer, store: str) -> None:
    update(store)
    one = of_role(account, "Node")[0]
    account.droplets.objects[7] = {**one, "id": 7}
    writes = len(server.writes)
    with pytest.raises(KopsError, match=rf"2 droplets are {NODES}-[12] of the cluster: .*\({7}\)"):
        update(store)
    assert len(server.writes) == writes


def test_a_cluster_of_another_store_is_left_alone(account: Account, store: str) -> None:
    update(store)
    other = stored(f"{store}-other")
    for act in (lambda: update(other), lambda: delete_cluster(DeleteOptions(other, NAME))):
        with pytest.raises(KopsError, match=f"{store}"):
            act()
    assert len(places(account)) == 3


def test_foreign_objects_stay(account: Account, server: RestServer, store: str) -> None:
    """Of another cluster, and of nobody."""
    mine = {"Authorization": f"Bearer {TOKEN}"}

    def make(path: str, body: Any) -> None:
        account.answer(Call("POST", f"/v2/{path}", (), body, mine))

    tags = ["KubernetesCluster:demo-k8s-local2", "kubeops-cluster:demo_k8s_local2", f"kops-instancegroup:{NODES}"]
    droplet = {"region": catalog.REGION, "size": catalog.SIZE, "image": catalog.IMAGE}
    make("droplets", {**droplet, "name": "theirs", "tags": tags})
    make("droplets", {**droplet, "name": f"{NODES}-00000000"})
    make("volumes", {"name": "kops-theirs", "region": catalog.REGION, "size_gigabytes": 1, "tags": tags})
    before = left(account)
    update(store)
    assert len(account.droplets.objects) == 5
    delete_cluster(DeleteOptions(store, NAME))
    assert left(account) == before


def test_a_cluster_that_cannot_be_told_from_this_one_is_named(account: Account, server: RestServer, store: str) -> None:
    """Kops writes both names in the same way."""
    tags = ["KubernetesCluster:demo-k8s-local", "kubeops-cluster:demo_k8s-local", f"kops-instancegroup:{NODES}"]
    droplet = {"region": catalog.REGION, "size": catalog.SIZE, "image": catalog.IMAGE, "name": "theirs", "tags": tags}
    account.answer(Call("POST", "/v2/droplets", (), droplet, {"Authorization": f"Bearer {TOKEN}"}))
    with pytest.raises(KopsError, match=r"another cluster, demo\.k8s-local, whose name is that of demo\.k8s\.local"):
        update(store)
    assert server.writes == []


def test_a_droplet_that_digitalocean_did_not_finish_is_made_again(account: Account, store: str) -> None:
    update(store)
    one = of_role(account, "Node")[0]
    # It was begun long ago.
    one["status"] = "new"
    action = next(each for each in account.pending.actions.values() if each["resource_id"] == one["id"])
    action["status"] = "errored"
    one["locked"] = False
    (step,) = update(store, check=True).plan.as_data()
    assert step["before"] == {"state": "half made"}
    update(store)
    assert one["id"] not in account.droplets.objects
    assert len(places(account)) == 3
    assert not update(store).changed


def test_a_control_plane_that_was_left_out_of_service_serves_again(account: Account, store: str) -> None:
    update(store)
    (droplet,) = of_role(account, "ControlPlane")
    droplet["tags"] = [each for each in droplet["tags"] if "Master" not in each]
    (step,) = update(store, check=True).plan.as_data()
    assert step["before"] == {"state": "out of service"}
    update(store)
    assert "KubernetesCluster-Master:demo-k8s-local" in droplet["tags"]
    assert not update(store).changed


@pytest.mark.parametrize("what", [RESET, LOST, 503, 429])
def test_an_answer_that_is_lost_makes_no_twin(server: RestServer, account: Account, store: str, what: Any) -> None:
    server.spoil(1, what, of=lambda call: call.writes and call.path == "/v2/droplets")
    update(store)
    assert places(account) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    assert not update(store).changed


def test_terraform_is_told_of_all_but_servers(account: Account, store: str, tmp_path: Any) -> None:
    out = tmp_path / "out"
    to_files = UpdateOptions(store, NAME, target="terraform", out=str(out))
    assert update_cluster(to_files, check=True).files == [CONFIGURATION]
    assert not out.exists()
    done = update_cluster(to_files)
    assert done.written.next_step.endswith("kubeops.kops.update_cluster without a target makes the instances")
    assert not update_cluster(to_files).changed
    assert [each.name for each in out.iterdir()] == [CONFIGURATION]
    assert account.everything() == []


def test_a_cluster_has_names_in_a_domain(account: Account, tmp_path: Any) -> None:
    name, store = "demo.example.net", f"memfs://{tmp_path.name}"
    mine = {"Authorization": f"Bearer {TOKEN}"}
    with pytest.raises(ValidationError, match=r"there is no public hosted zone for demo\.example\.net"):
        stored(store, name=name, dns="public")
    account.answer(Call("POST", "/v2/domains", (), {"name": "example.net"}, mine))
    stored(store, name=name, dns="public", api_loadbalancer_type="public")
    update_cluster(UpdateOptions(store, name))
    (balancer,) = account.networks.balancers.values()
    said = {each["name"]: each["data"] for each in account.names.records["example.net"].values() if each["type"] == "A"}
    assert said == {
        "api.demo": balancer["ip"],
        "api.internal.demo": "203.0.113.123",
        "kops-controller.internal.demo": "203.0.113.123",
    }
    assert not update_cluster(UpdateOptions(store, name)).changed
    delete_cluster(DeleteOptions(store, name))
    assert not [each for each in account.names.records["example.net"].values() if each["type"] == "A"]


class Killed(BaseException):
    """The process ends."""


# So many there are at least, of an update that makes everything.
WRITES = 10


def broken_at(monkeypatch: pytest.MonkeyPatch, number: int, moment: str) -> None:
    """The process ends at a write, before DigitalOcean has heard of it or after. number: from 0."""
    ask, count = DigitalOceanCloud.ask, itertools.count()

    def asked(cloud: DigitalOceanCloud, *arguments: Any) -> dict[str, Any]:
        now = next(count)
        # Other threads go no further either.
        if now > number or (now == number and moment == "before"):
            raise Killed
        answer = ask(cloud, *arguments)
        if now == number:
            raise Killed
        return answer

    monkeypatch.setattr(DigitalOceanCloud, "ask", asked)


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(WRITES))
def test_an_update_that_is_killed_is_completed_by_the_next(
    account: Account, store: str, monkeypatch: pytest.MonkeyPatch, number: int, moment: str
) -> None:
    with monkeypatch.context() as patched:
        broken_at(patched, number, moment)
        with pytest.raises(Killed):
            update(store)
    update_cluster(UpdateOptions(store, NAME, break_lease=True))
    assert places(account) == [f"{CONTROL_PLANE}-1", f"{NODES}-1", f"{NODES}-2"]
    assert (len(account.volumes.objects), len(account.networks.balancers), len(account.keys.objects)) == (2, 1, 1)
    assert not update(store).changed


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(8))
def test_a_deletion_that_is_killed_is_completed_by_the_next(
    account: Account, store: str, monkeypatch: pytest.MonkeyPatch, number: int, moment: str
) -> None:
    update(store)
    with monkeypatch.context() as patched:
        broken_at(patched, number, moment)
        with pytest.raises(Killed):
            delete_cluster(DeleteOptions(store, NAME))
    delete_cluster(DeleteOptions(store, NAME, break_lease=True))
    assert (left(account), ClusterStore.open(store, NAME).files()) == ([], [])
    assert not [each for each in account.tags.names if "demo" in each or "given" in each]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_control_plane_whose_replacement_was_killed_is_made_again(
    account: Account, store: str, handed: Handed, monkeypatch: pytest.MonkeyPatch, number: int, moment: str
) -> None:
    """Its place is kept, and its successor attaches the same volumes."""
    update(store)
    (before,) = of_role(account, "ControlPlane")
    provider = DigitalOceanProvider()
    cloud = provider.open(Place(catalog.REGION, store=f"{store}/{NAME}"), NAME)
    (machine,) = provider.looking.groups(cloud)[CONTROL_PLANE].machines
    with monkeypatch.context() as patched:
        broken_at(patched, number, moment)
        with pytest.raises(Killed):
            provider.replacing.deregister(cloud, machine, 5)
            provider.replacing.terminate(cloud, machine)
            provider.replacing.replenish(cloud, CONTROL_PLANE)
    update(store)
    (after,) = of_role(account, "ControlPlane")
    assert "KubernetesCluster-Master:demo-k8s-local" in after["tags"]
    assert any("kubeops-given" in each for each in after["tags"])
    assert handed[-1] == after["name"]
    assert (after["name"] == before["name"]) == (number < 2 or (number, moment) == (2, "before"))
    assert not update(store).changed


def test_a_worker_is_replaced_before_it_ends(account: Account, store: str) -> None:
    update(store)
    change_group(store, NODES, machine_type=catalog.LARGER_SIZE)
    (step,) = update(store).plan.as_data()
    assert (step["kind"], step["name"]) == ("ServerTemplate", NODES)
    assert "another size" in step["reason"]
    provider = DigitalOceanProvider()
    cloud = provider.open(Place(catalog.REGION, store=f"{store}/{NAME}"), NAME)
    machines = provider.looking.groups(cloud)[NODES].machines
    assert {each.outdated for each in machines} == {"new servers of its group have another size"}
    for machine in machines:
        provider.replacing.detach(cloud, machine)
        provider.replacing.replenish(cloud, NODES)
        assert len(of_role(account, "Node")) == 3
        provider.replacing.terminate(cloud, machine)
        provider.replacing.replenish(cloud, NODES)
    assert len(of_role(account, "Node")) == 2
    assert {each["size_slug"] for each in of_role(account, "Node")} == {catalog.LARGER_SIZE}
    assert {each.outdated for each in provider.looking.groups(cloud)[NODES].machines} == {""}
    assert not update(store).changed


def test_droplets_of_kops_are_adopted_and_replaced_by_others(account: Account, store: str) -> None:
    """They share a name, and have neither numbers nor a store."""
    update(store)
    workers = of_role(account, "Node")
    for each in workers:
        each["name"] = f"{NODES}.{NAME}"
        each["tags"] = [tag for tag in each["tags"] if not tag.startswith("kubeops-")]
    planned = update(store, check=True).plan.as_data()
    assert [(each["kind"], each["name"], each["action"]) for each in planned] == [
        ("Droplet", f"{NODES}-{number}", "update") for number in (1, 2)
    ]
    update(store)
    assert len(of_role(account, "Node")) == 2
    provider = DigitalOceanProvider()
    cloud = provider.open(Place(catalog.REGION, store=f"{store}/{NAME}"), NAME)
    machines = provider.looking.groups(cloud)[NODES].machines
    assert {each.name for each in machines} == {each.private_addresses[0] for each in machines}
    assert {each.outdated for each in machines} == {"kops has made it, and does not say from what"}
    provider.replacing.detach(cloud, machines[0])
    provider.replacing.replenish(cloud, NODES)
    provider.replacing.terminate(cloud, machines[0])
    provider.replacing.replenish(cloud, NODES)
    assert len(of_role(account, "Node")) == 2
    assert len([each for each in of_role(account, "Node") if each["name"].startswith(f"{NODES}-")]) == 1
    assert not update(store).changed
