# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in Hetzner Cloud from its options to its objects and back to nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import marks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.provider import HetznerProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.user_data import boot_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import CONFIGURATION
from ansible_collections.kubeops.kops.plugins.module_utils.model.hetzner.limits import FOR_OTHERS, LONGEST_USER_DATA
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.dump.secrets import secrets_of
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
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as clusters
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.hetzner.whole_clusters import Handed

NAME, NODES = "demo.k8s.local", "nodes-fsn1"


@pytest.fixture(name="server")
def run_server() -> Iterator[HetznerServer]:
    with HetznerServer() as server:
        yield server


@pytest.fixture(name="handed", autouse=True)
def of_controller(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> Handed:
    monkeypatch.setenv("S3_ENDPOINT", "https://fsn1.your-objectstorage.com")
    return clusters.environment(monkeypatch, server)


@pytest.fixture
def store(tmp_path: Any) -> str:
    """A state store with a cluster of one control plane and two workers."""
    return stored(f"memfs://{tmp_path.name}")


def stored(store: str, **options: Any) -> str:
    given = {
        "name": NAME,
        "state_store": store,
        "cloud": "hetzner",
        "zones": ["fsn1"],
        "node_count": 2,
        "ssh_public_key": clusters.KEY,
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


def servers(server: HetznerServer, role: str = "") -> list[dict[str, Any]]:
    found = sorted(server.project.objects.all("servers"), key=lambda each: each["id"])
    return [each for each in found if each["labels"].get("kops.k8s.io/instance-role", "").startswith(role)]


def places(server: HetznerServer) -> list[str]:
    labels = (each["labels"] for each in servers(server))
    return sorted(f"{each['kops.k8s.io/instance-group']}-{each[marks.NUMBER]}" for each in labels)


def test_from_options_to_servers_and_back_to_nothing(server: HetznerServer, store: str) -> None:
    planned = update(store, check=True)
    assert (server.names(), server.writes) == ([], [])
    done = update(store)
    assert done.plan.id == planned.plan.id
    assert places(server) == ["control-plane-fsn1-1", f"{NODES}-1", f"{NODES}-2"]
    assert any("validate_cluster" in each for each in outcome(done, check=False).next_steps)
    server.calls.clear()
    assert not update(store).changed
    assert server.writes == []
    assert len(server.calls) <= 10
    assert not look_for_drift(DriftOptions(store, NAME)).found
    assert server.writes == []
    delete_cluster(DeleteOptions(store, NAME))
    assert (server.names(), ClusterStore.open(store, NAME).files()) == ([], [])


def test_an_unchanged_update_asks_no_more_with_25_servers(server: HetznerServer, store: str) -> None:
    update(store)
    server.calls.clear()
    update(store)
    few = len(server.calls)
    change_group(store, NODES, min_size=24, max_size=24)
    update(store)
    assert len(servers(server)) == 25
    server.calls.clear()
    assert not update(store).changed
    assert (server.writes, len(server.calls)) == ([], few)


def test_workers_are_told_the_load_balancer_and_control_planes_the_store(
    server: HetznerServer, store: str, handed: Handed
) -> None:
    update(store)
    (balancer,) = server.project.objects.all("load_balancers")
    told = {each["id"]: server.project.servers.user_data[each["id"]] for each in servers(server)}
    assert all(len(text) < LONGEST_USER_DATA - FOR_OTHERS for text in told.values())
    for each in servers(server, "Node"):
        boot = boot_of(told[each["id"]])
        assert boot is not None
        assert boot["servers"]["addresses"] == [balancer["private_net"][0]["ip"]]
        assert "store" not in boot
    (control_plane,) = servers(server, "ControlPlane")
    boot = boot_of(told[control_plane["id"]])
    assert boot is not None
    assert boot["store"] == f"{store}/{NAME}"
    assert boot["environment"]["S3_ENDPOINT"] == "https://fsn1.your-objectstorage.com"
    assert len(bytes.fromhex(boot["environment"]["KUBEOPS_SERVER_NONCE"])) == 32
    assert handed == [control_plane["name"]]


def test_what_left_a_larger_group_is_told_of_the_size_that_it_may_have_now(server: HetznerServer, store: str) -> None:
    """Else a rolling update, after one that was killed, would make another server in its place, beyond the size."""
    change_group(store, NODES, min_size=3, max_size=3)
    update(store)
    provider = HetznerProvider()
    cloud = provider.open(Place("eu-central", store=f"{store}/{NAME}"), NAME)
    last = provider.looking.machines(cloud)[NODES][-1]
    provider.replacing.detach(cloud, last)
    change_group(store, NODES, min_size=1, max_size=2)
    planned = update(store, check=True)
    assert planned.pending == {last.name: f"instance group {NODES} has 2 at most"}
    assert update(store).plan.id == planned.plan.id
    assert provider.replacing.lacking(cloud) == {}
    assert not update(store).changed


def test_secrets_are_in_no_user_data_label_or_plan(server: HetznerServer, store: str) -> None:
    secrets = (server.environment["HCLOUD_TOKEN"], "a-secret")
    plans = [update(store, check=check).plan.as_data() for check in (True, False)]
    shown = json.dumps([plans, server.project.servers.user_data, servers(server)], default=str)
    assert not any(each in shown for each in secrets)
    # Programs in the cluster have the token as a Secret.
    files = {file.name: file.path.read() for file in ClusterStore.open(store, NAME).files()}
    with_token = [name for name, content in files.items() if secrets[0].encode() in content]
    assert sorted(with_token) == ["addons/hcloud-config.addons.k8s.io/k8s-1.22.yaml", "addons/objects.json"]


def test_groups_grow_and_shrink_and_are_removed(server: HetznerServer, store: str) -> None:
    update(store)
    change_group(store, NODES, min_size=4, max_size=4)
    update(store)
    assert len(servers(server)) == 5
    # Between its sizes, a group keeps what it has.
    change_group(store, NODES, min_size=1, max_size=4)
    assert not update(store).changed
    change_group(store, NODES, min_size=1, max_size=2)
    planned = update(store, check=True)
    assert [each["task"] for each in planned.plan.as_data() if each["action"] == "delete"] == [
        f"Place/{NODES}-3",
        f"Place/{NODES}-4",
    ]
    update(store)
    # They run until they are drained.
    assert len(servers(server)) == 5
    assert not update(store).changed
    rolled = roll(Request(store, NAME, options=Options(cloud_only=True)), print)
    assert rolled.problems == []
    assert places(server) == ["control-plane-fsn1-1", f"{NODES}-1", f"{NODES}-2"]
    opened = ClusterStore.open(store, NAME)
    group = next(group for group in opened.read()[1] if group.metadata.name == NODES)
    group.metadata.name = "others"
    opened.write_group(group)
    update(store)
    opened.remove_group(NODES)
    update(store)
    assert places(server) == ["control-plane-fsn1-1", "others-1"]
    assert not update(store).changed
    assert not look_for_drift(DriftOptions(store, NAME)).found


def test_outdated_servers_are_replaced_by_a_rolling_update(server: HetznerServer, store: str, handed: Handed) -> None:
    update(store)
    before = {each["name"] for each in servers(server)}
    for name in ("control-plane-fsn1", NODES):
        change_group(store, name, image="debian-12")
    planned = update(store)
    wanted = Request(store, NAME, pending=planned.pending, options=Options(cloud_only=True))
    assert {each.name for each in plan_update(wanted, print).plans} == {"control-plane-fsn1", NODES}
    rolled = roll(replace(wanted, pending={}), print)
    assert rolled.problems == []
    assert not before & {each["name"] for each in servers(server)}
    assert {each["image"]["name"] for each in servers(server)} == {"debian-12"}
    assert len(servers(server)) == 3
    # The new control plane has its credentials, too.
    assert len(handed) == 2
    assert not update(store).changed
    assert plan_update(replace(wanted, pending={}), print).plans == []


def test_what_somebody_deleted_is_repaired_without_the_api(server: HetznerServer, store: str, handed: Handed) -> None:
    """The only control plane is gone, so nobody can be asked about nodes."""
    update(store)
    for each in (servers(server, "ControlPlane")[0], servers(server, "Node")[0]):
        del server.project.objects.kinds["servers"][each["id"]]
    request = Repair(store, NAME)
    planned = plan_repair(request, print)
    assert planned.lines[:2] == [
        "instance group control-plane-fsn1: 1 instance missing, to be made",
        f"instance group {NODES}: 1 instance missing, to be made",
    ]
    done = repair(request, print)
    assert (done.made, done.update.problems) == ({"control-plane-fsn1": 1, NODES: 1}, [])
    assert places(server) == ["control-plane-fsn1-1", f"{NODES}-1", f"{NODES}-2"]
    assert len(handed) == 2
    assert not update(store).changed


def test_users_reach_the_api_by_the_load_balancer(server: HetznerServer, store: str) -> None:
    update(store)
    cluster = ClusterStore.open(store, NAME).completed()
    assert cluster is not None
    (balancer,) = server.project.objects.all("load_balancers")
    warnings: list[str] = []
    assert (
        api_server_url(cluster, lifetime=None, warnings=warnings) == f"https://{balancer['public_net']['ipv4']['ip']}"
    )
    assert warnings == []


def test_what_hetzner_does_not_have_is_refused_at_once_and_together(server: HetznerServer, store: str) -> None:
    change_group(store, NODES, machine_type="huge", image="debian-0")
    change_group(store, "control-plane-fsn1", machine_type="huge")
    with pytest.raises(ValidationError) as caught:
        update(store)
    assert sorted((each.group, each.path) for each in caught.value.errors) == [
        ("control-plane-fsn1", "spec.machineType"),
        (NODES, "spec.image"),
        (NODES, "spec.machineType"),
    ]
    assert (server.names(), server.writes) == ([], [])


def test_credentials_are_asked_for_only_if_control_planes_are_updated(
    server: HetznerServer, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(store)
    change_group(store, NODES, min_size=3, max_size=3)
    monkeypatch.delenv("S3_SECRET_ACCESS_KEY")
    with pytest.raises(KopsError, match="lacks S3_SECRET_ACCESS_KEY"):
        update(store)
    assert len(servers(server)) == 3
    update_cluster(UpdateOptions(store, NAME, instance_groups=[NODES]))
    assert len(servers(server)) == 4


def test_a_dump_looks_for_the_token_and_not_for_the_name_of_the_cluster(server: HetznerServer, store: str) -> None:
    update(store)
    opened = ClusterStore.open(store, NAME)
    looked_for = [each.value for each in secrets_of(opened, opened.read_cluster())]
    assert server.environment["HCLOUD_TOKEN"].encode() in looked_for
    assert NAME.encode() not in looked_for


def test_terraform_is_told_of_all_but_servers(server: HetznerServer, store: str, tmp_path: Any) -> None:
    out = tmp_path / "out"
    to_files = UpdateOptions(store, NAME, target="terraform", out=str(out))
    assert update_cluster(to_files, check=True).files == [CONFIGURATION]
    assert not out.exists()
    done = update_cluster(to_files)
    assert done.written.next_step.endswith("kubeops.kops.update_cluster without a target makes the instances")
    assert not update_cluster(to_files).changed
    assert [each.name for each in out.iterdir()] == [CONFIGURATION]
    assert (server.names(), server.writes) == ([], [])


def test_what_is_in_no_configuration_has_no_variables(server: HetznerServer, store: str, tmp_path: Any) -> None:
    options = UpdateOptions(store, NAME, target="terraform", out=str(tmp_path / "out"), terraform_variables=True)
    for check in (True, False):
        with pytest.raises(KopsError, match="terraform_variables: .* on Hetzner, .* no instance groups, whose"):
            update_cluster(options, check=check)
    assert not (tmp_path / "out").exists()
    assert not ClusterStore.open(store, NAME).kops_version()


def test_a_cluster_of_another_store_is_left_alone(server: HetznerServer, store: str) -> None:
    update(store)
    other = stored(f"{store}-other")
    for act in (lambda: update(other), lambda: delete_cluster(DeleteOptions(other, NAME))):
        with pytest.raises(KopsError, match=f"{store}"):
            act()
    assert len(servers(server)) == 3


def test_a_cluster_that_is_taken_over_stays_so(server: HetznerServer, store: str) -> None:
    update(store)
    other = stored(f"{store}-other")
    update_cluster(UpdateOptions(other, NAME, adopt=[f"{store}/{NAME}"]))
    assert {marks.store_of(each["labels"]) for each in servers(server)} == {f"{other}/{NAME}"}
    assert not update(other).changed
    with pytest.raises(KopsError, match=f"{store}-other"):
        update(store)


def test_without_a_store_it_is_found_by_its_label(server: HetznerServer, store: str) -> None:
    update(store)
    delete_cluster(DeleteOptions(store, NAME, unregister=True))
    assert delete_cluster(DeleteOptions("", NAME, external=True, cloud="hetzner", place=Place())).changed
    assert server.names() == []


def test_what_is_of_others_stays(server: HetznerServer, store: str) -> None:
    update(store)
    theirs = f"theirs.{NAME}"
    for kind, properties in (
        ("volumes", {"name": theirs, "size": 10, "location": "fsn1"}),
        ("firewalls", {"name": theirs, "rules": []}),
        ("servers", {"name": f"nodes.{NAME}", "server_type": "cx23", "image": "debian-12", "location": "fsn1"}),
    ):
        clusters.client(NAME).ask("POST", f"/{kind}", properties, "make what is another's")
    delete_cluster(DeleteOptions(store, NAME))
    assert server.names() == [f"firewalls {theirs}", f"servers nodes.{NAME}", f"volumes {theirs}"]


def test_an_object_of_others_with_a_name_that_is_needed_is_named(server: HetznerServer, store: str) -> None:
    properties = {"name": f"nodes.{NAME}", "rules": []}
    clusters.client(NAME).ask("POST", "/firewalls", properties, "make what is another's")
    server.calls.clear()
    with pytest.raises(KopsError, match=f"the project has another firewall nodes.{NAME}"):
        update(store)
    assert server.writes == []
