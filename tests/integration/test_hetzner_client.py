# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner's own client works with the API of tests: actions, pages, label selectors, locks, limits and errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from ansible_collections.kubeops.kops.tests.support.hetzner.project import READ_ONLY, TOKEN
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, Allowance
from hcloud import APIException, Client
from hcloud.actions import ActionFailedException
from hcloud.firewalls import FirewallResource, FirewallResourceLabelSelector, FirewallRule
from hcloud.images import Image
from hcloud.load_balancer_types import LoadBalancerType
from hcloud.load_balancers import (
    LoadBalancerHealthCheck,
    LoadBalancerService,
    LoadBalancerTarget,
    LoadBalancerTargetLabelSelector,
)
from hcloud.locations import Location
from hcloud.networks import BoundNetwork, NetworkSubnet
from hcloud.placement_groups import BoundPlacementGroup
from hcloud.server_types import ServerType
from hcloud.servers import BoundServer, ServerCreatePublicNetwork

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo"
OWN = {"cluster": "demo", "role": "node"}


@pytest.fixture
def server() -> Iterator[HetznerServer]:
    with HetznerServer() as made:
        yield made


@pytest.fixture
def client(server: HetznerServer) -> Client:
    return Client(TOKEN, api_endpoint=server.url, poll_interval=0.02)


def network(client: Client) -> BoundNetwork:
    subnet = NetworkSubnet(ip_range="10.0.0.0/24", network_zone="eu-central", type="cloud")
    return client.networks.create("net", "10.0.0.0/16", subnets=[subnet])


def make(client: Client, name: str, within: BoundNetwork | None = None, **options: object) -> BoundServer:
    kind, image = ServerType(name="cx23"), Image(name="debian-12")
    made = client.servers.create(
        name, kind, image, location=Location(name="fsn1"), networks=[within] if within else None, **options
    )
    for action in (made.action, *made.next_actions):
        action.wait_until_finished()
    return client.servers.get_by_id(made.server.id)


def refused(code: str) -> pytest.RaisesExc[APIException]:
    return pytest.RaisesExc(APIException, check=lambda error: error.code == code)


def test_server_comes_with_its_actions_and_goes_with_its_addresses(client: Client, server: HetznerServer) -> None:
    server.project.objects.delay = 0.05
    kind, image = ServerType(name="cx23"), Image(name="debian-12")
    made = client.servers.create("a", kind, image, networks=[network(client)], labels=OWN, user_data="#!/bin/sh")
    assert (made.server.status, made.server.private_net, made.action.status) == ("initializing", [], "running")
    assert made.root_password
    with refused("locked"):
        made.server.power_off()
    for action in (made.action, *made.next_actions):
        action.wait_until_finished()
    found = client.servers.get_by_name("a")
    assert (found.status, found.private_net[0].ip) == ("running", "10.0.0.2")
    assert (found.image.name, found.server_type.name, found.location.name) == ("debian-12", "cx23", "fsn1")
    assert [each.assignee_id for each in client.primary_ips.get_all()] == [found.id, found.id]
    assert client.networks.get_by_name("net").servers[0].id == found.id
    found.delete().wait_until_finished()
    assert (client.servers.get_all(), client.primary_ips.get_all()) == ([], [])


def test_server_is_in_a_location_and_network_that_have_it(client: Client) -> None:
    kind, image = ServerType(name="cx23"), Image(name="debian-12")
    with refused("invalid_input"):
        client.servers.create("a", kind, image, location=Location(name="ash"))
    with refused("no_subnet_available"):
        kind = ServerType(name="cpx11")
        client.servers.create("a", kind, image, location=Location(name="ash"), networks=[network(client)])
    with refused("invalid_input"):
        client.servers.create("under_score", kind, image)
    no_net = ServerCreatePublicNetwork(enable_ipv4=False, enable_ipv6=False)
    with refused("invalid_input"):
        client.servers.create("a", ServerType(name="cx23"), image, public_net=no_net)
    alone = make(client, "b", public_net=ServerCreatePublicNetwork(enable_ipv4=True, enable_ipv6=False))
    assert (alone.public_net.ipv4.ip[:6], alone.public_net.ipv6) == ("203.0.", None)


def test_names_are_unique_for_each_kind(client: Client) -> None:
    network(client)
    with refused("uniqueness_error"):
        client.networks.create("net", "10.1.0.0/16")
    client.volumes.create(10, "net", location=Location(name="fsn1"))
    client.ssh_keys.create("one", KEY)
    with refused("uniqueness_error"):
        client.ssh_keys.create("two", KEY)


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ("", "abc"),
        ("cluster=demo", "ab"),
        ("cluster==demo,role!=node", "b"),
        ("cluster,!role", "b"),
        ("role in (node, other)", "a"),
        ("cluster notin (demo)", "c"),
        ("example.com/key=1.2_x", "c"),
    ],
)
def test_label_selectors(client: Client, selector: str, chosen: str) -> None:
    for name, labels in (("a", OWN), ("b", {"cluster": "demo"}), ("c", {"example.com/key": "1.2_x"})):
        client.placement_groups.create(name, "spread", labels=labels)
    found = client.placement_groups.get_all(label_selector=selector)
    assert "".join(str(each.name) for each in found) == chosen


@pytest.mark.parametrize("selector", ["a=b=c", "=a", "a in b", "a,", "a=-"])
def test_what_is_no_label_selector(client: Client, selector: str) -> None:
    with refused("invalid_input"):
        client.servers.get_all(label_selector=selector)


@pytest.mark.parametrize("labels", [{"a": "x" * 64}, {"a": "x:y"}, {"k" * 64: ""}, {"a/b/c": ""}])
def test_what_is_no_label(client: Client, labels: dict[str, str]) -> None:
    with refused("invalid_input"):
        client.placement_groups.create("a", "spread", labels=labels)


def test_pages(client: Client, server: HetznerServer) -> None:
    for number in range(51):
        client.placement_groups.create(f"g{number}", "spread")
    assert len(client.placement_groups.get_all()) == 51
    page = client.placement_groups.get_list(page=2, per_page=20)
    assert [each.name for each in page.placement_groups][:1] == ["g20"]
    assert (page.meta.pagination.next_page, page.meta.pagination.last_page) == (3, 3)
    with refused("invalid_input"):
        client.placement_groups.get_list(per_page=51)


def test_load_balancer_reaches_the_servers_of_a_selector(client: Client, server: HetznerServer) -> None:
    within = network(client)
    target = LoadBalancerTarget(
        "label_selector", label_selector=LoadBalancerTargetLabelSelector("cluster=demo"), use_private_ip=True
    )
    check = LoadBalancerHealthCheck(protocol="tcp", port=443, interval=15, timeout=10, retries=3)
    https = LoadBalancerService(protocol="tcp", listen_port=443, destination_port=443, health_check=check)
    made = client.load_balancers.create(
        "lb", LoadBalancerType(name="lb11"), location=Location(name="fsn1"), targets=[target], network=within
    )
    made.action.wait_until_finished()
    balancer = client.load_balancers.get_by_name("lb")
    balancer.add_service(https).wait_until_finished()
    with refused("source_port_already_used"):
        balancer.add_service(https)
    with refused("target_already_defined"):
        balancer.add_target(target)
    node = make(client, "a", within, labels=OWN)
    balancer.reload()
    assert balancer.private_net[0].ip == "10.0.0.2"
    (inner,) = list(balancer.targets[0].targets)
    assert (inner.server.id, inner.health_status[0].status) == (node.id, "healthy")
    node.power_off().wait_until_finished()
    balancer.reload()
    assert balancer.targets[0].targets[0].health_status[0].status == "unhealthy"
    balancer.delete().action.wait_until_finished()
    client.networks.get_by_name("net").delete()
    assert client.servers.get_by_name("a").private_net == []


def test_firewall_is_not_deleted_as_long_as_it_is_applied(client: Client) -> None:
    node = make(client, "a", labels=OWN)
    rule = FirewallRule("in", "tcp", ["0.0.0.0/0"], port="22")
    by_labels = FirewallResource(
        "label_selector", label_selector=FirewallResourceLabelSelector(selector="cluster=demo")
    )
    made = client.firewalls.create("fw", rules=[rule], resources=[by_labels]).firewall
    assert [each.firewall.id for each in client.servers.get_by_id(node.id).public_net.firewalls] == [made.id]
    with refused("resource_in_use"):
        made.delete()
    with refused("firewall_already_applied"):
        made.apply_to_resources([by_labels])
    with refused("invalid_input"):
        made.set_rules([FirewallRule("in", "tcp", ["0.0.0.0/0"])])
    for action in made.remove_from_resources([by_labels]):
        action.wait_until_finished()
    assert made.delete()


def test_volume_is_attached_to_one_server_and_then_not_deleted(client: Client) -> None:
    node, other = make(client, "a"), make(client, "b")
    with refused("invalid_input"):
        client.volumes.create(9, "small", location=Location(name="fsn1"))
    made = client.volumes.create(10, "vol", location=Location(name="fsn1"))
    assert made.volume.status == "creating"
    made.action.wait_until_finished()
    volume = client.volumes.get_by_id(made.volume.id)
    volume.attach(node).wait_until_finished()
    with refused("volume_already_attached"):
        volume.attach(other)
    with refused("resource_in_use"):
        volume.delete()
    node.delete().wait_until_finished()
    volume.reload()
    assert (volume.status, volume.server) == ("available", None)
    volume.change_protection(delete=True).wait_until_finished()
    with refused("protected"):
        volume.delete()


def test_placement_group_takes_ten_servers(client: Client) -> None:
    group: BoundPlacementGroup = client.placement_groups.create("g", "spread").placement_group
    for number in range(10):
        make(client, f"s{number}", placement_group=group)
    with refused("placement_error"):
        make(client, "more", placement_group=group)
    with refused("resource_in_use"):
        client.placement_groups.get_by_name("g").delete()


def test_action_that_fails_says_why(client: Client, server: HetznerServer) -> None:
    server.project.objects.failing["create_server"] = "resource_unavailable"
    made = client.servers.create("a", ServerType(name="cx23"), Image(name="debian-12"))
    with pytest.raises(ActionFailedException, match="resource_unavailable"):
        made.action.wait_until_finished()


def test_tokens(server: HetznerServer) -> None:
    with refused("unauthorized"):
        Client("nobody", api_endpoint=server.url).servers.get_all()
    reader = Client(READ_ONLY, api_endpoint=server.url)
    assert reader.servers.get_all() == []
    with refused("token_readonly"):
        reader.networks.create("net", "10.0.0.0/16")


def test_limit_of_requests_is_in_the_headers(server: HetznerServer) -> None:
    server.project.allowance = Allowance(2, 0.001)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answers = [requests.get(f"{server.url}/servers", headers=headers, timeout=5) for _time in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert [each.headers["RateLimit-Remaining"] for each in answers] == ["1", "0", "0"]
    assert answers[2].json()["error"]["code"] == "rate_limit_exceeded"


def test_faults(client: Client, server: HetznerServer) -> None:
    server.spoil(2, LOST)
    client.placement_groups.create("a", "spread")
    with pytest.raises(requests.ConnectionError):
        client.placement_groups.create("b", "spread")
    server.spoil(1, RESET)
    with pytest.raises(requests.ConnectionError):
        client.placement_groups.create("c", "spread")
    server.spoil(1, 423)
    with refused("locked"):
        client.placement_groups.create("d", "spread")
    assert [each.name for each in client.placement_groups.get_all()] == ["a", "b"]
    assert len(server.writes) == 4
