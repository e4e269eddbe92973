# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the application credential of a cluster may do, on OpenStack's own services, which compare its access rules."""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.error import HTTPError

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import access_rules
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud, types_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.application_credential import (
    ApplicationCredential,
    credential_in,
    own_credentials,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.api import CINDER, NEUTRON, NOVA, OpenStack
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.cluster_instances import Servers
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.designate import Zone
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.disks import MemberVolumes
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.keystone import Login
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.swift import SwiftStore
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.openstack import cloud as openstack
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import FLAVOR, IMAGE, Cloud
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import applied, changes, planned, remove

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("openstack")]
NAME, STORE = "demo.example.com", "swift://rules-state"
BASE, BACKUPS = f"{STORE}/{NAME}", f"{STORE}/{NAME}/backups/etcd/main"
BALANCERS = ("load-balancer",)


def use(monkeypatch: pytest.MonkeyPatch, login: dict[str, str]) -> None:
    for name, value in login.items():
        monkeypatch.setenv(name, value)


def credential(cloud: OpenStackCloud, *more: str, name: str = NAME) -> dict[str, Any]:
    """The task of a cluster's credential. more: URLs of further stores."""
    stores = [f"{STORE}/{name}", *more]
    wanted = access_rules.rules(cloud.once(types_of), read=stores, written=[BACKUPS, *more], with_names=True)
    task = ApplicationCredential(name, base=f"{STORE}/{name}/secrets", rules=wanted)
    return {task.key: task}


def node_of(name: str = NAME) -> Login:
    """The login of a control plane."""
    given = credential_in(f"{STORE}/{name}/secrets")
    return Login(lambda: given)


def rules_of(client: OpenStackCloud) -> list[str]:
    """The access rules that the user has."""
    return [
        f"{each.service} {each.method} {each.path}" for each in client.connection.identity.access_rules(client.user)
    ]


@pytest.fixture(scope="module")
def client(whole_openstack: Cloud) -> Iterator[Callable[..., OpenStackCloud]]:
    """Makes clients that know nothing yet, of a project with a state store."""
    opened: list[OpenStackCloud] = []

    def make(name: str = NAME) -> OpenStackCloud:
        opened.append(OpenStackCloud("", name))
        return opened[-1]

    with pytest.MonkeyPatch.context() as environment:
        use(environment, whole_openstack.user("rules"))
        make().connection.object_store.create_container(STORE.partition("://")[2])
        yield make
        for each in opened:
            each.connection.close()


@pytest.fixture(scope="module")
def node(client: Callable[..., OpenStackCloud]) -> OpenStack:
    """What a control plane asks with a credential that a run has made, without a warning."""
    cloud = client()
    assert applied(cloud, credential(cloud)).warnings == []
    return OpenStack(node_of())


@pytest.fixture(scope="module")
def server(client: Callable[..., OpenStackCloud]) -> Any:
    """A server of the project, on a network of its own."""
    connection = client().connection
    network = connection.network.create_network(name="rules")
    connection.network.create_subnet(network_id=network.id, name="rules", ip_version=4, cidr="10.9.0.0/24")
    made = connection.compute.create_server(
        name="server",
        image_id=connection.image.find_image(IMAGE).id,
        flavor_id=connection.compute.find_flavor(FLAVOR).id,
        networks=[{"uuid": network.id}],
        metadata={"k8s": NAME, "KopsInstanceGroup": "control-plane-a", "KopsRole": "ControlPlane"},
    )
    return connection.compute.wait_for_server(made, wait=120, interval=1)


def refused(ask: Callable[[], object]) -> bool:
    """Whether a service does not take the credential for a request."""
    try:
        ask()
    except HTTPError as error:
        return error.code == 401
    except (ServiceError, OSError) as error:
        # It was asked again with another token, each time.
        return re.search("authentication|not accepted|Unauthorized", str(error)) is not None
    return False


def test_control_planes_do_what_they_have_to(
    node: OpenStack, server: Any, client: Callable[..., OpenStackCloud]
) -> None:
    connection = client().connection
    (found,) = Servers(node, NAME, "server").all().values()
    assert (found.group, found.runs) == ("control-plane-a", True)
    (port,) = node.get(NEUTRON, f"/ports?device_id={server.id}")["ports"]
    assert port["device_id"] == server.id
    volume = connection.block_storage.create_volume(
        name="a", size=1, metadata={"KubernetesCluster": NAME, "k8s.io/etcd/main": "a/a"}
    )
    connection.block_storage.wait_for_status(volume, "available", wait=60, interval=1)
    volumes = MemberVolumes(node, NAME, server.id, "nova")
    (disk,) = volumes.all()
    assert volumes.attach(disk)
    # Nova has asked Cinder in the name of the credential.
    connection.block_storage.wait_for_status(volume, "in-use", wait=60, interval=1)
    assert volumes.holders([server.id])[server.id].state == "active"
    zone = connection.dns.create_zone(name=f"{NAME}.", email="hostmaster@example.com")
    record = RecordSet(f"api.internal.{NAME}", "A", ("10.9.0.5",))
    records = Zone(node, f"{NAME}.")
    records.write([record], 60)
    assert records.find(record.name, "A") == record
    connection.dns.delete_zone(zone)
    store = SwiftStore(node.login)
    store.write(f"{BACKUPS}/control/a", b"a")
    assert store.read(f"{BACKUPS}/control/a") == b"a"
    assert store.names(f"{BACKUPS}/control") == ["a"]
    assert store.read(f"{BASE}/secrets/openstack-application-credential") is not None
    store.remove(f"{BACKUPS}/control/a")


def test_controllers_do_what_they_have_to(node: OpenStack, server: Any, client: Callable[..., OpenStackCloud]) -> None:
    """The cloud controller manager and Cinder's driver, request by request as their sources have them."""
    subnet = client().connection.network.find_subnet("rules")
    made = node.post(
        BALANCERS, "/v2/lbaas/loadbalancers", {"loadbalancer": {"name": "web", "vip_subnet_id": subnet.id}}
    )
    balancer = made["loadbalancer"]
    client().connection.load_balancer.wait_for_load_balancer(balancer["id"], wait=90, interval=1)
    listener = {"name": "web", "loadbalancer_id": balancer["id"], "protocol": "TCP", "protocol_port": 80}
    node.post(BALANCERS, "/v2/lbaas/listeners", {"listener": listener})
    for path in ("listeners", "pools", "healthmonitors", f"loadbalancers/{balancer['id']}", "providers"):
        node.get(BALANCERS, f"/v2/lbaas/{path}")
    for path in ("networks", "subnets", "routers", "floatingips", "extensions", f"subnets/{subnet.id}"):
        node.get(NEUTRON, f"/{path}")
    group = node.post(NEUTRON, "/security-groups", {"security_group": {"name": "lb-sg"}})["security_group"]
    rule = {"security_group_id": group["id"], "direction": "ingress", "protocol": "tcp"}
    node.post(NEUTRON, "/security-group-rules", {"security_group_rule": rule})
    (port,) = node.get(NEUTRON, f"/ports?device_id={server.id}")["ports"]
    node.put(NEUTRON, f"/ports/{port['id']}", {"port": {"security_groups": [*port["security_groups"], group["id"]]}})
    node.put(NEUTRON, f"/ports/{port['id']}/tags/lb-sg", {})
    node.get(NOVA, f"/servers/{server.id}/os-interface")
    node.get(NOVA, f"/flavors/{client().connection.compute.find_flavor(FLAVOR).id}")
    volume = node.post(CINDER, "/volumes", {"volume": {"size": 1, "name": "pvc"}})["volume"]
    client().connection.block_storage.wait_for_status(
        client().connection.block_storage.get_volume(volume["id"]), "available", wait=60, interval=1
    )
    node.post(CINDER, f"/volumes/{volume['id']}/action", {"os-set_bootable": {"bootable": False}})
    node.post(CINDER, "/snapshots", {"snapshot": {"volume_id": volume["id"], "name": "snapshot"}})
    for path in ("types", "limits", "os-availability-zone", "snapshots/detail"):
        node.get(CINDER, f"/{path}")
    connection = client().connection
    (snapshot,) = connection.block_storage.snapshots()
    connection.block_storage.delete_snapshot(snapshot)
    connection.block_storage.wait_for_delete(snapshot, wait=60, interval=1)
    connection.block_storage.delete_volume(volume["id"])
    connection.load_balancer.delete_load_balancer(balancer["id"], cascade=True)
    connection.load_balancer.wait_for_delete(
        connection.load_balancer.get_load_balancer(balancer["id"]), wait=60, interval=1
    )
    connection.network.update_port(port["id"], security_group_ids=port["security_groups"])
    connection.network.delete_security_group(group["id"])


def test_what_it_does_not_have_to_do_is_refused(
    node: OpenStack, server: Any, client: Callable[..., OpenStackCloud]
) -> None:
    client().connection.object_store.upload_object(STORE.partition("://")[2], f"other.{NAME}/pki/ca", data="key")
    store = SwiftStore(node.login)
    asked: dict[str, Callable[[], object]] = {
        "a new server": lambda: node.post(NOVA, "/servers", {"server": {"name": "x"}}),
        "the console": lambda: node.post(NOVA, f"/servers/{server.id}/action", {"os-getConsoleOutput": {}}),
        "metadata": lambda: node.post(NOVA, f"/servers/{server.id}/metadata", {"metadata": {"k8s": "x"}}),
        "key pairs": lambda: node.get(NOVA, "/os-keypairs"),
        "a network": lambda: node.post(NEUTRON, "/networks", {"network": {"name": "x"}}),
        "a port": lambda: node.post(NEUTRON, "/ports", {"port": {"network_id": "x"}}),
        "a router": lambda: node.put(NEUTRON, "/routers/x", {"router": {}}),
        "images": lambda: node.get(("image",), "/v2/images"),
        "a transfer": lambda: node.post(CINDER, "/os-volume-transfer", {"transfer": {"volume_id": "x"}}),
        "another cluster's key": lambda: store.read(f"{STORE}/other.{NAME}/pki/ca"),
        "another container": lambda: store.read("swift://another/a"),
        "the own specification": lambda: store.write(f"{BASE}/config", b"x"),
    }
    assert {what: refused(ask) for what, ask in asked.items()} == dict.fromkeys(asked, True)


def test_rules_that_lack_something_get_a_successor_and_go_with_their_cluster(
    client: Callable[..., OpenStackCloud],
) -> None:
    name, base = "growing.example.com", f"{STORE}/growing.example.com"
    cloud = client(name)
    identity, user = cloud.connection.identity, cloud.user
    there = (sorted(rules_of(cloud)), {each["name"] for each in own_credentials(cloud)})
    # One that the user made himself, with a rule of his own; and those of another cluster.
    own = {"service": "compute", "method": "GET", "path": "/v2.1/servers"}
    identity.create_application_credential(user, name="mine", access_rules=[own])
    applied(client("other.k8s.local"), credential(cloud, name="other.k8s.local"))
    before = sorted(rules_of(cloud))
    applied(client(name), credential(cloud, name=name))
    first = credential_in(f"{base}/secrets")
    assert changes(planned(client(name), credential(cloud, name=name))) == []
    wanted = functools.partial(credential, cloud, "swift://more/backups", name=name)
    assert changes(planned(client(name), wanted())) == [f"update ApplicationCredential/{name} ['rules']"]
    assert credential_in(f"{base}/secrets") == first
    applied(client(name), wanted())
    second = credential_in(f"{base}/secrets")
    assert changes(planned(client(name), wanted())) == []
    # No server was made with the first one.
    assert second != first
    title = f"kubeops.kops {name} {cloud.project}"
    assert {each["name"] for each in own_credentials(client(name))} - there[1] == {
        *("mine", title, f"{title} 2"),
        f"kubeops.kops other.k8s.local {cloud.project}",
    }
    plan = applied(client(name), wanted())
    assert [each.item for each in plan.due_deletions()] == [title]
    assert not planned(client(name), wanted()).changed
    # A run that was killed has left its rules.
    identity.delete_application_credential(user, second["id"])
    assert len(discover(client(name))) > 20
    remove(client(name))
    assert sorted(rules_of(cloud)) == before
    remove(client("other.k8s.local"))
    assert sorted(rules_of(cloud)) == sorted([*there[0], "compute GET /v2.1/servers"])
    assert {each["name"] for each in own_credentials(client(name))} == {*there[1], "mine"}


def test_a_service_that_does_not_know_its_type_costs_the_rules(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openstack.running(tmp_path, swift_type="") as found:
        use(monkeypatch, found.user("unruly"))
        cloud = OpenStackCloud("", NAME)
        cloud.connection.object_store.create_container(STORE.partition("://")[2])
        (warning,) = applied(cloud, credential(cloud)).warnings
        assert "has no access rules, as object-store took none" in warning
        (made,) = own_credentials(cloud)
        assert (made["access_rules"], rules_of(cloud)) == (None, [])
        assert SwiftStore(node_of()).read(f"{BASE}/nothing") is None
        again = planned(OpenStackCloud("", NAME), credential(cloud))
        assert (again.changed, again.warnings) == (False, [])
        cloud.connection.close()
