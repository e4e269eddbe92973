# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in OpenStack from its options to its objects and back to nothing; in a project in memory."""

from __future__ import annotations

import base64
import json
import threading
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds, logins
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.provider import OpenStackProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.sealing import is_sealed
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.user_data import boot_of
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import sealed_in
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import outcome as delete_outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.export import api_server_url
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import Request, plan_update, roll
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.engine import Options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.repair import Repair, plan_repair, repair
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import outcome
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import KEY
from ansible_collections.kubeops.kops.tests.support.openstack.memory import (
    EXTERNAL,
    FLAVOR,
    IMAGE,
    USER,
    ZONE,
    MemoryCloud,
    Project,
    private_key,
)
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

NAME = "demo.k8s.local"
NODES = f"nodes-{ZONE}"
BALANCED = {"os_octavia": True, "api_loadbalancer_type": "public", "topology": "private"}


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project()
    monkeypatch.setattr(OpenStackProvider, "open", lambda _provider, place, name: made.client(name, place.store))
    return made


@pytest.fixture
def store(project: Project, tmp_path: Any) -> str:
    """A state store with a cluster of one control plane and two workers."""
    return stored(f"memfs://{tmp_path.name}")


def stored(store: str, **options: Any) -> str:
    given = {
        "name": NAME,
        "state_store": store,
        "cloud": "openstack",
        "zones": [ZONE],
        "node_count": 2,
        "os_ext_net": EXTERNAL,
        "ssh_public_key": KEY,
        "image": IMAGE,
        "networking": "cilium",
        "network_cidr": ["10.0.0.0/16"],
        "kubernetes_version": "1.34.4",
        **options,
    }
    create_cluster(given, check_mode=False)
    return store


def change_group(store: str, name: str, **values: Any) -> None:
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == name)
    for key, value in values.items():
        setattr(group.spec, key, value)
    opened.write_group(group)


def update(store: str, *, check: bool = False) -> Any:
    return update_cluster(UpdateOptions(store, NAME), check=check)


def servers(project: Project) -> list[str]:
    return sorted(each["metadata"]["KopsName"] for each in project.of(kinds.SERVER).values())


def left(project: Project) -> list[str]:
    return [name for name in project.names() if name != f"/networks {EXTERNAL}"]


def test_from_options_to_servers_and_back_to_nothing(project: Project, store: str) -> None:
    planned = update(store, check=True)
    assert left(project) == []
    done = update(store)
    assert done.plan.id == planned.plan.id
    assert servers(project) == [
        f"{each}-demo-k8s-local" for each in ("control-plane-nova-1", *(f"{NODES}-{n}" for n in (1, 2)))
    ]
    assert any("validate_cluster" in each for each in outcome(done, check=False).next_steps)
    writes = len(project.writes)
    assert not update(store).changed
    assert not look_for_drift(DriftOptions(store, NAME)).found
    assert len(project.writes) == writes
    delete_cluster(DeleteOptions(store, NAME))
    assert (left(project), ClusterStore.open(store, NAME).files()) == ([], [])


def test_groups_grow_and_shrink_and_are_removed_with_all_that_was_theirs(project: Project, store: str) -> None:
    update(store)
    change_group(store, NODES, min_size=4, max_size=4)
    update(store)
    assert len(servers(project)) == 5
    # Between its sizes, a group keeps what it has.
    change_group(store, NODES, min_size=1, max_size=4)
    assert not update(store).changed
    change_group(store, NODES, min_size=1, max_size=2)
    planned = update(store, check=True)
    assert [each["task"] for each in planned.plan.as_data() if each["action"] == "delete"] == [
        f"Place/{NODES}-3-demo-k8s-local",
        f"Place/{NODES}-4-demo-k8s-local",
    ]
    done = update(store)
    # They run until they are drained.
    assert len(servers(project)) == 5
    assert set(done.waiting.values()) == {f"instance group {NODES} has 2 at most"}
    assert any("rolling_update" in each for each in outcome(done, check=False).next_steps)
    assert not update(store).changed
    wanted = Request(store, NAME, pending=planned.pending, options=Options(cloud_only=True))
    (expected,) = plan_update(wanted, print).plans
    rolled = roll(replace(wanted, pending={}), print)
    assert [each.candidate.machine.name for each in rolled.records] == [
        each.machine.name for each in expected.candidates
    ]
    assert rolled.problems == []
    assert len(servers(project)) == 3
    assert len([each for each in project.of(kinds.PORT).values() if NODES in each["name"]]) == 2
    assert not update(store).changed
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == NODES)
    group.metadata.name = "others"
    opened.write_group(group)
    update(store)
    opened.remove_group(NODES)
    update(store)
    assert servers(project) == ["control-plane-nova-1-demo-k8s-local", "others-1-demo-k8s-local"]
    groups = sorted(each["name"] for each in project.of(kinds.SERVER_GROUP).values())
    assert groups == [f"{NAME}-control-plane-nova", f"{NAME}-others"]
    assert not look_for_drift(DriftOptions(store, NAME)).found


def test_what_somebody_deleted_is_repaired_without_the_api(project: Project, store: str) -> None:
    """The only control plane is gone, so nobody can be asked about nodes."""
    update(store)
    before = {each["name"] for each in project.of(kinds.SERVER).values()}
    (gone,) = (each for each in project.of(kinds.SERVER).values() if each["metadata"]["KopsRole"] == "ControlPlane")
    worker = next(each for each in project.of(kinds.SERVER).values() if each is not gone)
    for each in (gone, worker):
        del project.of(kinds.SERVER)[each["id"]]
    writes, request = len(project.writes), Repair(store, NAME)
    planned = plan_repair(request, print)
    assert planned.lines[:2] == [
        "instance group control-plane-nova: 1 instance missing, to be made",
        f"instance group {NODES}: 1 instance missing, to be made",
    ]
    assert "nodes are not looked at: the API of cluster demo.k8s.local cannot be reached" in planned.lines[2]
    assert len(project.writes) == writes
    done = repair(request, print)
    assert (done.made, done.update.problems) == ({"control-plane-nova": 1, NODES: 1}, [])
    assert len(servers(project)) == 3
    assert len({each["name"] for each in project.of(kinds.SERVER).values()} & before) == 1
    # The new control plane has its credential, too.
    (made,) = (each for each in project.of(kinds.SERVER).values() if each["metadata"]["KopsRole"] == "ControlPlane")
    assert is_sealed(made)
    assert not update(store).changed
    with pytest.raises(KopsError, match="cannot be reached"):
        repair(request, print)
    # Of groups that are not chosen, nothing is made.
    del project.of(kinds.SERVER)[made["id"]]
    with pytest.raises(KopsError, match="cannot be reached"):
        repair(Repair(store, NAME, names=[NODES]), print)


def test_the_credential_is_made_once_and_told_nowhere(project: Project, store: str) -> None:
    update(store)
    (credential,) = project.of(kinds.application_credential(USER)).values()
    told = json.dumps([*project.of(kinds.SERVER).values()])
    assert credential["secret"] not in told
    assert credential["secret"] not in base64.b64decode(server_of(project, "ControlPlane")["user_data"]).decode()
    boot = boot_of(base64.b64decode(server_of(project, "Node")["user_data"]).decode())
    assert boot is not None
    assert boot["servers"]["addresses"] == [server_of(project, "ControlPlane")["addresses"]["net"][0]["addr"]]
    assert "store" not in boot
    sealed = sealed_in(server_of(project, "ControlPlane")["metadata"])
    digest = hashes.SHA256()
    assert sealed is not None
    opened = private_key().decrypt(sealed, padding.OAEP(padding.MGF1(digest), digest, None))
    assert opened.decode() == f"{credential['id']}\0{credential['secret']}"
    assert sealed_in(server_of(project, "Node")["metadata"]) is None
    update(store)
    assert len(project.of(kinds.application_credential(USER))) == 1


def server_of(project: Project, role: str) -> dict[str, Any]:
    """The first server of a role."""
    return next(each for each in project.of(kinds.SERVER).values() if each["metadata"]["KopsRole"] == role)


def test_a_credential_that_was_deleted_is_made_anew_and_servers_with_it_are_outdated(
    project: Project, store: str
) -> None:
    """With its user, or by hand: control planes cannot read the state store any more."""
    update(store)
    credentials = project.of(kinds.application_credential(USER))
    (before,) = credentials
    credentials.clear()
    steps = {(each["action"], each["kind"], each["name"]): each for each in update(store, check=True).plan.as_data()}
    assert ("create", "ApplicationCredential", NAME) in steps
    template = steps["update", "ServerTemplate", "control-plane-nova"]
    assert "another application credential" in template["reason"]
    assert not any(kind == "ServerTemplate" and NODES in name for _action, kind, name in steps)
    update(store)
    (after,) = credentials
    assert after != before
    assert not update(store).changed
    machines = OpenStackProvider().looking.machines(project.client(NAME, f"{store}/{NAME}"), why=True)
    outdated = {group: {each.outdated for each in found} for group, found in machines.items()}
    why = "new servers of its group have another application credential"
    assert outdated == {"control-plane-nova": {why}, NODES: {""}}


def test_a_credential_whose_rules_lack_something_gets_a_successor(project: Project, store: str) -> None:
    """The cloud has another service now. Control planes keep the former credential until they are replaced."""
    project.types.remove("load-balancer")
    update(store)
    before = set(project.of(kinds.application_credential(USER)))
    project.types.append("load-balancer")
    planned = update(store, check=True).plan
    steps = {(each["action"], each["kind"], each["name"]): each for each in planned.as_data()}
    assert "load-balancer POST /lbaas/**" in steps["update", "ApplicationCredential", NAME]["after"]["rules"]
    assert "another application credential" in steps["update", "ServerTemplate", "control-plane-nova"]["reason"]
    assert set(project.of(kinds.application_credential(USER))) == before
    assert update(store).plan.id == planned.id
    assert set(project.of(kinds.application_credential(USER))) > before
    assert not update(store).changed
    (found,) = look_for_drift(DriftOptions(store, NAME)).found
    assert (found.kind, found.mend) == ("Instance", "kubeops.kops.rolling_update")
    delete_cluster(DeleteOptions(store, NAME))
    assert left(project) == []


def test_a_service_that_takes_no_access_rules_is_a_warning(
    project: Project, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins, "_PAUSES", ())
    project.refusals = {"load-balancer": float("inf")}
    planned = update(store, check=True)
    assert planned.plan.warnings == []
    done = update(store)
    assert done.plan.id == planned.plan.id
    (warning,) = outcome(done, check=False).warnings
    assert "has no access rules, as load-balancer took none" in warning
    assert outcome(update(store), check=False).warnings == []


def test_an_update_and_a_repair_at_once_make_nothing_twice(project: Project, store: str) -> None:
    update(store)
    gone = server_of(project, "Node")
    del project.of(kinds.SERVER)[gone["id"]]
    made, repairs, is_planned = [], [], threading.Event()

    def tell(line: str) -> None:
        if "1 instance missing" in line:
            is_planned.set()

    def meanwhile(moment: str, number: int) -> None:
        if not repairs:
            repairs.append(threading.Thread(target=lambda: made.append(repair(Repair(store, NAME), tell).made)))
            repairs[0].start()
            assert is_planned.wait(60)
            assert not made

    project.fault = meanwhile
    update(store)
    repairs[0].join()
    assert made == [{NODES: 1}]
    assert len(servers(project)) == len(set(servers(project))) == 3
    assert len({each["name"] for each in project.of(kinds.PORT).values()}) == len(project.of(kinds.PORT))
    assert not update(store).changed


def test_a_server_that_was_not_given_its_credential_is_given_it(project: Project, store: str) -> None:
    """A run was killed in between."""
    update(store)
    server = server_of(project, "ControlPlane")
    server["metadata"] = {key: value for key, value in server["metadata"].items() if "sealed" not in key}
    (step,) = update(store, check=True).plan.as_data()
    assert (step["before"], step["after"]) == ({"state": "without its credential"}, {"state": "ready"})
    update(store)
    assert is_sealed(server)
    # One of kops has its login already.
    server["metadata"] = {
        key: value for key, value in server["metadata"].items() if not key.startswith("kubeops-sealed")
    }
    del server["metadata"]["kubeops-made-from"]
    assert not update(store).changed


def test_users_reach_the_api_without_a_load_balancer(project: Project, store: str) -> None:
    update(store)
    cluster = ClusterStore.open(store, NAME).completed()
    assert cluster is not None
    address = server_of(project, "ControlPlane")["addresses"]["net"][0]["addr"]
    floating = [each["floating_ip_address"] for each in project.of(kinds.FLOATING_IP).values()]
    warnings: list[str] = []
    url = api_server_url(cluster, lifetime=None, warnings=warnings)
    assert url.removeprefix("https://") in (address, *floating)
    assert warnings == []


def test_drift_shows_what_the_specification_does_not_have(project: Project, store: str) -> None:
    update(store)
    project.insert(kinds.PORT, {"name": "theirs", "tags": [f"KubernetesCluster={NAME}"], "network_id": ""})
    found = look_for_drift(DriftOptions(store, NAME)).found
    assert [(each.kind, each.name) for each in found] == [("port", "theirs")]


def test_what_the_project_does_not_have_is_refused_at_once_and_together(project: Project, store: str) -> None:
    change_group(store, NODES, machine_type="huge", image="debian-0", zones=["mars"])
    with pytest.raises(ValidationError) as caught:
        update(store)
    assert [each.path for each in caught.value.errors] == ["spec.machineType", "spec.image", "spec.zones[0]"]
    assert {each.group for each in caught.value.errors} == {NODES}
    assert left(project) == []


def test_a_cluster_of_another_store_is_left_alone(project: Project, store: str) -> None:
    update(store)
    other = stored(f"{store}-other")
    for act in (lambda: update(other), lambda: delete_cluster(DeleteOptions(other, NAME))):
        with pytest.raises(KopsError, match=f"{store}"):
            act()
    assert len(servers(project)) == 3


def test_a_cluster_that_is_taken_over_stays_so(project: Project, store: str) -> None:
    """And one that kops has made, whose servers name no store."""
    update(store)
    credentials = dict(project.of(kinds.application_credential(USER)))
    other = stored(f"{store}-other")
    update_cluster(UpdateOptions(other, NAME, adopt=[f"{store}/{NAME}"]))
    assert not update(other).changed
    with pytest.raises(KopsError, match=f"{store}-other"):
        update(store)
    # The other has made one of that name in its place.
    project.of(kinds.application_credential(USER)).update(credentials)
    for server in project.of(kinds.SERVER).values():
        del server["metadata"]["kubeops-store"]
    assert [each["before"] for each in update(store).plan.as_data()] == [{"store": None}] * 3
    assert {each["metadata"]["kubeops-store"] for each in project.of(kinds.SERVER).values()} == {f"{store}/{NAME}"}


@pytest.mark.parametrize("region", ["", "RegionOne"])
def test_without_a_store_it_is_found_by_its_name(project: Project, store: str, region: str) -> None:
    """The login names the region, so what is said after the store alone was cleared need not."""
    update(store)
    done = delete_cluster(DeleteOptions(store, NAME, unregister=True))
    (step, *_others) = delete_outcome(done, NAME, check=False).next_steps
    assert "-e kops_external=true -e kops_cloud=openstack deletes it" in step
    assert delete_cluster(DeleteOptions("", NAME, external=True, cloud="openstack", place=Place(region))).changed
    assert left(project) == []


def test_terraform_gets_what_stays_and_an_update_makes_the_rest(project: Project, store: str, tmp_path: Any) -> None:
    options = UpdateOptions(store, NAME, target="terraform", out=str(tmp_path / "new"))
    done = update_cluster(options)
    assert (done.files, left(project)) == (["kubernetes.tf"], [])
    assert (
        outcome(done, check=False)
        .next_steps[0]
        .endswith("init, then plan and apply; then kubeops.kops.update_cluster without a target makes the instances")
    )
    files = [each.name for each in ClusterStore.open(store, NAME).files()]
    assert "pki/private/kubernetes-ca/keyset.yaml" in files
    # They name what is not there yet.
    assert not [each for each in files if each.endswith("server-template.json") or "openstack" in each]
    assert not update_cluster(options).changed


def test_terraform_takes_over_what_is_there_with_its_first_configuration(
    project: Project, store: str, tmp_path: Any
) -> None:
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == NODES)
    group.metadata.name = "more"
    opened.write_group(group)
    update(store)
    options = UpdateOptions(store, NAME, target="terraform", out=str(tmp_path / "taken"))
    done = update_cluster(options)
    assert done.files == ["kubernetes-imports.tf", "kubernetes.tf"]
    imports, configuration = ((tmp_path / "taken" / name).read_text() for name in done.files)
    assert imports.count("import {") == configuration.count('resource "openstack_') > 30
    assert not update_cluster(options).changed
    # Whose server group Terraform is to delete.
    opened.remove_group("more")
    assert update_cluster(options).files == ["kubernetes-imports.tf", "kubernetes.tf"]
    remaining = (tmp_path / "taken" / "kubernetes-imports.tf").read_text()
    aims = {line for line in imports.splitlines() if "to = " in line}
    assert aims - {*remaining.splitlines()} == {"  to = openstack_compute_servergroup_v2.demo-k8s-local-more"}
    (tmp_path / "taken" / "kubernetes-imports.tf").unlink()
    assert not update_cluster(options).changed


def test_flavors_are_chosen_by_the_cloud(project: Project, store: str) -> None:
    _cluster, groups = ClusterStore.open(store, NAME).read()
    assert {group.spec.machine_type for group in groups} == {FLAVOR}


def test_a_cluster_has_names_in_designate(project: Project, tmp_path: Any) -> None:
    name, store = "demo.example.net", f"memfs://{tmp_path.name}"
    with pytest.raises(ValidationError, match=r"there is no public hosted zone for demo\.example\.net"):
        stored(store, name=name, dns="public", **BALANCED)
    project.zones = [{"id": "z1", "name": "example.net."}, {"id": "z2", "name": "example.com."}]
    stored(store, name=name, dns="public", **BALANCED)
    update_cluster(UpdateOptions(store, name), check=False)
    kept = kinds.record_set("z1")
    said = {each["name"]: each["records"] for each in project.of(kept).values()}
    (address,) = (each["floating_ip_address"] for each in project.of(kinds.FLOATING_IP).values())
    placeholder = ["203.0.113.123"]
    assert said == {
        f"api.{name}.": [address],
        f"api.internal.{name}.": placeholder,
        f"kops-controller.internal.{name}.": placeholder,
    }
    # What control planes have written stays; what leads users astray does not.
    for each in project.of(kept).values():
        each["records"] = ["192.0.2.1"]
    assert update_cluster(UpdateOptions(store, name), check=False).changed
    assert sorted(each["records"][0] for each in project.of(kept).values()) == ["192.0.2.1", "192.0.2.1", address]
    assert not update_cluster(UpdateOptions(store, name), check=False).changed
    others = (f"www.{name}.", f"api.other.{name}.", f"{name}.")
    for other in others:
        project.insert(kept, {"name": other, "type": "A", "records": ["192.0.2.2"]})
    project.insert(kept, {"name": f"main.etcd.internal.{name}.", "type": "A", "records": ["192.0.2.3"]})
    delete_cluster(DeleteOptions(store, name))
    assert sorted(each["name"] for each in project.of(kept).values()) == sorted(others)


def test_a_public_name_of_ones_own_goes_with_the_cluster(project: Project, tmp_path: Any) -> None:
    """Else it would lead to an address that somebody else has next."""
    name, store = "demo.example.net", f"memfs://{tmp_path.name}"
    project.zones = [{"id": "z1", "name": "example.net."}]
    stored(store, name=name, dns="public", api_public_name="kube.example.net", **BALANCED)
    update_cluster(UpdateOptions(store, name), check=False)
    kept = kinds.record_set("z1")
    project.insert(kept, {"name": "www.example.net.", "type": "A", "records": ["192.0.2.2"], "description": ""})
    assert "kube.example.net." in {each["name"] for each in project.of(kept).values()}
    delete_cluster(DeleteOptions(store, name))
    assert [each["name"] for each in project.of(kept).values()] == ["www.example.net."]


def test_a_public_name_in_no_zone_of_the_project_is_the_users(project: Project, tmp_path: Any) -> None:
    """Designate would refuse it, when all else is made."""
    name, store = "demo.example.net", f"memfs://{tmp_path.name}"
    project.zones = [{"id": "z1", "name": "example.net."}]
    stored(store, name=name, dns="public", api_public_name="kube.example.com", **BALANCED)
    update_cluster(UpdateOptions(store, name), check=False)
    names = {each["name"] for each in project.of(kinds.record_set("z1")).values()}
    assert names == {f"api.internal.{name}.", f"kops-controller.internal.{name}."}


def test_a_zone_that_is_not_there_is_refused_before_anything_is_written(project: Project, tmp_path: Any) -> None:
    store = f"memfs://{tmp_path.name}"
    project.zones = [{"id": "z1", "name": "example.net."}]
    stored(store, name="demo.example.net", dns="public", dns_zone="example.org")
    with pytest.raises(KopsError, match=r"spec\.dnsZone: Designate has no such zone in the project \('example\.org'\)"):
        update_cluster(UpdateOptions(store, "demo.example.net"), check=False)
    assert left(project) == []


def deletions(planned: Any) -> dict[str, str]:
    """Task -> why, of what a plan deletes."""
    return {each["task"]: each["reason"] for each in planned.plan.as_data() if each["action"] == "delete"}


def place(number: int) -> str:
    return f"{NODES}-{number}-demo-k8s-local"


def test_an_empty_place_goes_for_the_reason_that_it_has(project: Project, store: str) -> None:
    """Its group is in the state store as before."""
    change_group(store, NODES, min_size=4, max_size=4)
    update(store)
    change_group(store, NODES, min_size=1, max_size=3)
    # Somebody has deleted this one, and the next one was ended, but for its place.
    for key, server in list(project.of(kinds.SERVER).items()):
        if server["metadata"]["KopsName"] in (place(2), place(3)):
            del project.of(kinds.SERVER)[key]
    for port in project.of(kinds.PORT).values():
        if port["name"] == f"port-{place(3)}":
            port["tags"].append("kubeops-leaving")
    assert deletions(update(store, check=True)) == {
        f"Server/{place(3)}": f"its server has left instance group {NODES}",
    }
    change_group(store, NODES, min_size=1, max_size=2)
    assert deletions(update(store, check=True)) == {
        f"Server/{place(2)}": f"instance group {NODES} has 2 at most",
        f"Server/{place(3)}": f"its server has left instance group {NODES}",
    }
    update(store)
    assert [name for name in servers(project) if NODES in name] == [place(1), place(4)]
    assert not update(store).changed


def test_what_left_a_larger_group_is_told_of_the_size_that_it_may_have_now(project: Project, store: str) -> None:
    """Else a rolling update would make another one in its place, beyond the size."""
    change_group(store, NODES, min_size=3, max_size=3)
    update(store)
    cloud, provider = project.client(NAME, store), OpenStackProvider()
    last = next(each for each in provider.looking.machines(cloud)[NODES] if each.tags["KopsName"] == place(3))
    # A rolling update is killed after this.
    provider.replacing.detach(cloud, last)
    change_group(store, NODES, min_size=1, max_size=2)
    planned = update(store, check=True)
    assert deletions(planned) == {f"Place/{place(3)}": f"instance group {NODES} has 2 at most"}
    assert planned.pending == {last.name: f"instance group {NODES} has 2 at most"}
    assert update(store).plan.id == planned.plan.id
    assert not update(store).changed
    rolled = roll(Request(store, NAME, options=Options(cloud_only=True)), print)
    assert [each.candidate.machine.name for each in rolled.records] == [last.name]
    assert [name for name in servers(project) if NODES in name] == [place(1), place(2)]


def test_what_nova_still_deletes_leaves_nothing(project: Project, store: str) -> None:
    """A rolling update was killed while it waited for that."""
    change_group(store, NODES, min_size=3, max_size=3)
    update(store)
    change_group(store, NODES, min_size=1, max_size=2)
    update(store)
    last = next(each for each in project.of(kinds.SERVER).values() if each["metadata"]["KopsName"] == place(3))
    last["OS-EXT-STS:task_state"] = "deleting"
    assert deletions(update(store, check=True)) == {f"Server/{place(3)}": f"its server has left instance group {NODES}"}
    update(store)
    assert f"port-{place(3)}" not in " ".join(project.names())
    assert not update(store).changed


def test_a_server_that_nova_keeps_after_its_deletion_is_gone(
    project: Project, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As clouds do that let users restore servers: lists do not show it, and whoever asks for it sees it."""
    update(store)
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == NODES)
    group.metadata.name = "others"
    opened.write_group(group)
    update(store)
    opened.remove_group(NODES)
    asked, kept = MemoryCloud.get, {"name": "", "status": "SOFT_DELETED"}
    monkeypatch.setattr(
        MemoryCloud, "get", lambda cloud, kind, it: asked(cloud, kind, it) or (kept if kind is kinds.SERVER else None)
    )
    for deletion in update(store, check=True).plan.due_deletions():
        deletion.run()
    assert NODES not in " ".join(project.names())
