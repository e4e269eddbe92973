# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a cluster in OpenStack, made in OpenStack's own services. Servers are told nothing yet.

That they are kops' is compared elsewhere (script/golden --kind openstack).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import Image, InstanceType
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.facts import OpenStackFacts
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost, Task, TryAgainLater
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.api import OpenStack
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.designate import Zone
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.keystone import Login
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import ZONES, Cloud
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import (
    BALANCER,
    GROUPS,
    KEY,
    NAME,
    applied,
    changes,
    in_lent_network,
    planned,
    remove,
    tasks,
)
from ansible_collections.kubeops.kops.tests.support.openstack.objects import inventory
from keystoneauth1.session import Session

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("openstack")]


@pytest.fixture(scope="module")
def owner(whole_openstack: Cloud) -> dict[str, str]:
    """The login of a member of a project of its own, which has room for several clusters."""
    login, admin = whole_openstack.user("objects"), whole_openstack.admin
    project = admin.identity.find_project("objects").id
    admin.network.update_quota(project, security_groups=100, security_group_rules=1000)
    admin.compute.update_quota_set(project, server_groups=100, instances=100, cores=400, ram=800_000)
    admin.block_storage.update_quota_set(project, volumes=100)
    return login


@pytest.fixture
def client(owner: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., OpenStackCloud]]:
    """Function: a client for a cluster, that knows nothing yet.

    Its connections end with the test: Neutron has a hundred for all.
    """
    for name, value in owner.items():
        monkeypatch.setenv(name, value)
    made: list[OpenStackCloud] = []

    def new(name: str = NAME) -> OpenStackCloud:
        made.append(OpenStackCloud("", name))
        return made[-1]

    yield new
    for each in made:
        each.connection.close()


@pytest.fixture
def made(client: Callable[..., OpenStackCloud]) -> dict[str, list[str]]:
    """What there is when the cluster's objects are made, whatever a test before has left of them."""
    applied(client(), tasks(), prune=True)
    return inventory(client())


def test_a_second_run_changes_nothing(made: dict[str, list[str]], client: Callable[..., OpenStackCloud]) -> None:
    plan = planned(client(), tasks())
    assert changes(plan) == []
    assert plan.deletions == []
    assert made["port"].count("port-nodes-az-1-2-demo-k8s-local") == 1
    assert made["floating IP"] == ["fip-api.demo.k8s.local", "fip-bastions-1-demo-k8s-local"]


@pytest.mark.parametrize(
    ("groups", "more"),
    [(0, ""), (0, BALANCER), (12, BALANCER)],
    ids=["without a load balancer", "with one", "with 12 more groups"],
)
def test_calls_grow_by_kinds_of_objects_alone(
    client: Callable[..., OpenStackCloud], monkeypatch: pytest.MonkeyPatch, groups: int, more: str
) -> None:
    """kops makes 86 for an unchanged cluster of 1 + 2, 184 for 3 + 3 with a load balancer, 256 for 15 groups."""
    asked: list[str] = []
    request = Session.request

    def counted(session: Session, url: str, method: str, **options: Any) -> Any:
        asked.append(url)
        return request(session, url, method, **options)

    name = f"calls{groups}{len(more)}.k8s.local"
    added = [(f"more-{number}", "Node", 1, "az-1") for number in range(groups)]
    applied(client(name), tasks(name, more, groups=(*GROUPS, *added)))
    monkeypatch.setattr(Session, "request", counted)
    assert changes(planned(client(name), tasks(name, more, groups=(*GROUPS, *added)))) == []
    # Beside the login, and what the library asks of each service once.
    asked = [each for each in asked if each.startswith("/")]
    print(f"{len(asked)} calls", *asked, sep="\n")
    assert len(asked) <= 17
    removed(name)


def test_what_was_changed_by_others_is_brought_back_and_theirs_stays(
    made: dict[str, list[str]], client: Callable[..., OpenStackCloud]
) -> None:
    cloud = client()
    network = cloud.connection.network
    subnet = network.find_subnet(f"az-1.{NAME}")
    network.update_subnet(subnet, dns_nameservers=["198.51.100.1"])
    network.set_tags(subnet, ["theirs"])
    port = network.find_port("port-nodes-az-1-1-demo-k8s-local")
    network.update_port(port, allowed_address_pairs=[])
    network.set_tags(port, [*port.tags[1:], "theirs"])
    theirs = network.find_security_group("default", project_id=cloud.project)
    network.update_port(port, security_groups=[theirs.id])
    group = network.find_security_group(f"nodes.{NAME}")
    rule = {"security_group_id": group.id, "direction": "ingress", "protocol": "tcp"}
    network.create_security_group_rule(**rule, port_range_min=8080, port_range_max=8081, remote_ip_prefix="0.0.0.0/0")
    network.delete_security_group_rule(next(each["id"] for each in group.security_group_rules if each["protocol"]))
    volume = next(cloud.connection.block_storage.volumes(name=f"a.etcd-main.{NAME}"))
    cloud.connection.block_storage.delete_volume_metadata(volume, ["team"])
    cloud.connection.block_storage.set_volume_metadata(volume, theirs="yes")
    address = next(each for each in network.ips() if each.description.startswith("fip-bastions"))
    network.update_ip(address, port_id=None)
    server = next(iter(cloud.connection.compute.servers(name="bastions")))
    cloud.connection.compute.delete_server_metadata(server, ["kubeops-store"])
    cloud.connection.compute.set_server_metadata(server, theirs="yes")

    plan = applied(client(), tasks())
    assert [each.item.split(" ", 1)[0] for each in plan.deletions] == ["ingress"]
    assert len(plan.active()) == 6, changes(plan)
    assert changes(planned(client(), tasks())) == []
    assert network.get_subnet(subnet.id).tags == ["demo.k8s.local", "theirs"]
    port = network.get_port(port.id)
    assert theirs.id in port.security_group_ids
    assert "theirs" in port.tags
    assert cloud.connection.block_storage.get_volume(volume.id).metadata["theirs"] == "yes"
    told = cloud.connection.compute.get_server(server.id).metadata
    assert (told["kubeops-store"], told["theirs"]) == (f"memfs://store/{NAME}", "yes")
    assert inventory(client()) == made


def test_servers_that_are_lost_or_broken_are_made_again_on_their_ports(
    whole_openstack: Cloud, made: dict[str, list[str]], client: Callable[..., OpenStackCloud]
) -> None:
    compute = client().connection.compute
    before = {each.metadata["KopsName"]: each for each in compute.servers()}
    lost, broken = (before[f"nodes-az-1-{number}-demo-k8s-local"] for number in (1, 2))
    # Whoever waits for a deletion sees a server that has none any more, in the same object.
    addresses = {each.id: each.addresses for each in (lost, broken)}
    assert all(addresses.values())
    compute.delete_server(lost)
    compute.wait_for_delete(lost, interval=1, wait=600)
    whole_openstack.admin.compute.reset_server_state(broken, "error")
    plan = applied(client(), tasks())
    assert changes(plan) == [
        "create Server/nodes-az-1-1-demo-k8s-local []",
        "update Server/nodes-az-1-2-demo-k8s-local ['state']",
    ]
    assert changes(planned(client(), tasks())) == []
    after = {each.metadata["KopsName"]: each for each in compute.servers()}
    for old in (lost, broken):
        new = after[old.metadata["KopsName"]]
        assert (new.status, new.addresses) == ("ACTIVE", addresses[old.id])
        assert new.id != old.id
    assert inventory(client()) == made


def test_a_server_for_which_there_is_no_host_ends_at_once(client: Callable[..., OpenStackCloud]) -> None:
    name = "apart.k8s.local"
    # Nova finds it out before it has chosen a host, or there.
    message = "server nodes-az-1-[12]-apart-k8s-local could not be made: (No valid host|.*Exhausted all hosts)"
    wanted = tasks(name, "", change=lambda text: text.replace("soft-anti-affinity", "anti-affinity"))
    with pytest.raises(KopsError, match=message):
        applied(client(name), wanted)
    # Again: what could not be made goes first.
    with pytest.raises(KopsError, match=message):
        applied(client(name), tasks(name, "", change=lambda text: text.replace("soft-anti-affinity", "anti-affinity")))
    removed(name)


def test_a_lost_answer_makes_no_twin(client: Callable[..., OpenStackCloud], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write of another cluster is carried out, and its answer is lost."""
    other, ask, lost = f"other.{NAME}", OpenStackCloud.ask, set()

    def losing(cloud: OpenStackCloud, method: str, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        answer = ask(cloud, method, kind, path, body, doing)
        if doing not in lost:
            lost.add(doing)
            raise AnswerLost(doing)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(OpenStackCloud, "ask", losing)
        applied(client(other), tasks(other))
    assert len(lost) > 30
    assert changes(planned(client(other), tasks(other))) == []
    for kind, names in inventory(client()).items():
        theirs = [name for name in names if "other" in name and kind != kinds.SECURITY_GROUP_RULE.word]
        assert len(theirs) == len(set(theirs)), kind


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("volumeSize: 1", "volumeSize: 2", "Volume/a.etcd-main.demo.k8s.local exists and cannot be changed in place"),
        ("externalNetwork: external", "externalNetwork: nowhere", "there is no external network nowhere; .* external"),
        ("10.0.64.0/18", "10.0.128.0/18", "Subnet/az-1.demo.k8s.local exists and cannot be changed in place"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    made: dict[str, list[str]], client: Callable[..., OpenStackCloud], old: str, new: str, message: str
) -> None:
    with pytest.raises(KopsError, match=message):
        planned(client(), tasks(change=lambda text: text.replace(old, new, 1)))
    assert inventory(client()) == made


def test_a_quota_that_is_used_up_ends_at_once(whole_openstack: Cloud, client: Callable[..., OpenStackCloud]) -> None:
    project = client().project
    whole_openstack.admin.network.update_quota(project, port=1)
    try:
        with pytest.raises(KopsError, match="a quota of the project is used up"):
            applied(client("more.k8s.local"), tasks("more.k8s.local"))
    finally:
        whole_openstack.admin.network.update_quota(project, port=500)
    applied(client("more.k8s.local"), tasks("more.k8s.local"))
    assert changes(planned(client("more.k8s.local"), tasks("more.k8s.local"))) == []


def test_deletion_leaves_nothing_of_the_cluster_and_everything_of_others(
    made: dict[str, list[str]], client: Callable[..., OpenStackCloud]
) -> None:
    cloud = client()
    compute, network, storage = (getattr(cloud.connection, name) for name in ("compute", "network", "block_storage"))
    others = (f"{NAME}2", f"other.{NAME}")
    for name in others:
        applied(client(name), tasks(name))
    outside = network.create_network(name="theirs")
    network.create_subnet(network_id=outside.id, ip_version=4, cidr="10.99.0.0/24")
    network.create_port(network_id=outside.id, name="port-nodes-1-demo-k8s-local")
    network.create_security_group(name=f"extra.{NAME}")
    compute.create_keypair(name="kubernetes-demo-k8s-local-mine", public_key=KEY)
    claim = {"KubernetesCluster": NAME, "cinder.csi.openstack.org/cluster": NAME}
    storage.create_volume(name="pvc-1", size=1, metadata=claim)
    before = inventory(client())
    foreign = network.create_port(network_id=network.find_network(NAME).id, name="foreign")

    cloud = client()
    found = discover(cloud)
    assert in_the_way(cloud, found) == ["port foreign: it uses subnet " + network_name(cloud, foreign)]
    network.delete_port(foreign)
    # Each answer is lost: what is gone is gone, and running again ends.
    for number, resource in enumerate(discover(client()).values()):
        if number % 7 == 0 and not resource.blocked_by:
            with contextlib.suppress(TryAgainLater):
                resource.delete()
    removed(NAME)
    after = inventory(client())
    gone = {kind: [name for name in names if name not in after[kind]] for kind, names in before.items()}
    # Interfaces of the router and rules have no names.
    kept = ("port-nodes-1-demo-k8s-local", "pvc-1", "theirs", f"extra.{NAME}", "kubernetes-demo-k8s-local-mine")
    assert not {name for names in gone.values() for name in names} & {*kept}
    assert not [name for names in gone.values() for name in names if f"{NAME}2" in name or f"other.{NAME}" in name]
    assert not [name for names in after.values() for name in names if name in (NAME, f"masters.{NAME}", f"api.{NAME}")]
    for name in others:
        assert changes(planned(client(name), tasks(name))) == []


def removed(name: str) -> None:
    """Delete all objects of a cluster."""
    remove(OpenStackCloud("", name))
    assert discover(OpenStackCloud("", name)) == {}


def network_name(cloud: OpenStackCloud, port: Any) -> str:
    """The name of the subnet that a port has its address in."""
    return str(cloud.connection.network.get_subnet(port.fixed_ips[0]["subnet_id"]).name)


def test_given_networks_stay_and_lose_the_tag(client: Callable[..., OpenStackCloud]) -> None:
    network = client().connection.network
    given = network.create_network(name="lent")
    subnet = network.create_subnet(network_id=given.id, ip_version=4, cidr="10.0.64.0/18", name="lent-private")
    router = network.create_router(
        name="lent", external_gateway_info={"network_id": network.find_network("external").id}
    )
    network.add_interface_to_router(router, subnet_id=subnet.id)
    name = "lent.k8s.local"
    change = in_lent_network(given.id, subnet.id)
    applied(client(name), tasks(name, change=change))
    assert changes(planned(client(name), tasks(name, change=change))) == []
    assert network.get_subnet(subnet.id).tags == [name]
    removed(name)
    assert network.get_subnet(subnet.id).tags == []
    assert network.get_network(given.id).tags == []
    assert network.find_router("lent") is not None


def test_facts_are_those_of_the_cloud(
    whole_openstack: Cloud, made: dict[str, list[str]], client: Callable[..., OpenStackCloud]
) -> None:
    compute = whole_openstack.admin.compute
    for name, ram, vcpus, disk in (("tiny", 512, 1, 5), ("diskless", 4096, 2, 0), ("large", 16384, 8, 40)):
        compute.create_flavor(name=name, ram=ram, vcpus=vcpus, disk=disk)
    facts = OpenStackFacts(client())
    assert facts.zones() == sorted(ZONES)
    assert facts.instance_type("large") == InstanceType("large", vcpus=8, memory_mib=16384)
    assert facts.instance_type("huge") is None
    assert {role: facts.default_instance_type(role, []) for role in ("ControlPlane", "Node")} == {
        "ControlPlane": "medium",
        "Node": "medium",
    }
    image = facts.image("debian-12")
    assert image is not None
    assert image.architecture == "amd64"
    assert facts.image(image.id) == Image(image.id, image.id)
    assert facts.image("none") is None
    network = client().connection.network
    found = facts.network(network.find_network(NAME).id)
    assert found is not None
    assert {each.cidr for each in found.subnets} == {"10.0.64.0/18", "10.0.0.0/21"}
    assert facts.network_of_subnet(found.subnets[0].id) == found
    assert facts.network("none") is facts.network_of_subnet("none") is None
    dns = client().connection.dns
    dns.create_zone(name="example.net.", email="hostmaster@example.net")
    assert [each.name for each in facts.dns_zones()] == ["example.net"]


def test_names_lead_to_the_api_and_control_planes_keep_theirs(client: Callable[..., OpenStackCloud]) -> None:
    name = "demo.example.org"
    connection = client().connection
    zone = connection.dns.create_zone(name="example.org.", email="hostmaster@example.org")
    connection.dns.create_recordset(zone, name=f"www.{name}.", type="A", records=["192.0.2.80"])

    def wanted() -> dict[str, Task[Any]]:
        def change(text: str) -> str:
            named = f"topology: {{dns: {{type: Public}}}}\n  dnsZone: example.org\n  masterPublicName: api.{name}"
            return text.replace("topology: {dns: {type: None}}", named)

        return tasks(name, change=change, facts=OpenStackFacts(client(name)))

    def said() -> dict[str, list[str]]:
        return {each.name: each.records for each in connection.dns.recordsets(zone) if each.type == "A"}

    applied(client(name), wanted())
    (address,) = (
        each.floating_ip_address for each in connection.network.ips() if each.description == f"fip-api.{name}"
    )
    written = said()
    assert written.pop(f"api.{name}.") == [address]
    assert written == {
        f"api.internal.{name}.": ["203.0.113.123"],
        f"kops-controller.internal.{name}.": ["203.0.113.123"],
        f"www.{name}.": ["192.0.2.80"],
    }
    # As a control plane does it.
    made = connection.identity.create_application_credential(connection.current_user_id, name="names")
    node = OpenStack(Login(lambda: {"id": made.id, "secret": made.secret}))
    own = RecordSet(f"api.internal.{name}", "A", ("10.0.64.5", "10.0.64.6"))
    new = RecordSet(f"main.etcd.internal.{name}", "A", ("10.0.64.5",))
    for identifier in ("example.org", zone.id):
        records = Zone(node, identifier)
        records.write([own, new], 60)
        assert [records.find(each.name, "A") for each in (own, new)] == [own, new]
        assert records.find(f"none.{name}", "A") is None
    with pytest.raises(KopsError, match=r"Designate has no zone example\.com"):
        Zone(node, "example.com").find(own.name, "A")
    assert changes(planned(client(name), wanted())) == []
    # What somebody else has made of it.
    (record,) = connection.dns.recordsets(zone, name=f"api.{name}.", type="A")
    connection.dns.update_recordset(record, records=["192.0.2.1"])
    applied(client(name), wanted())
    assert said()[f"api.{name}."] == [address]
    removed(name)
    assert list(said()) == [f"www.{name}."]
    connection.identity.delete_application_credential(connection.current_user_id, made.id)
    connection.dns.delete_zone(zone)
