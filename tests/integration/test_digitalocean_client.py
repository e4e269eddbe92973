# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean's own client works with the API of tests: actions, pages, tags, refusals and limits."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pydo
import pytest
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN, Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import (
    IMAGE,
    IMAGES,
    OTHER_IMAGE,
    OTHER_REGION,
    OTHER_SIZE,
    REGION,
    SIZE,
)
from ansible_collections.kubeops.kops.tests.support.rest_server import RestServer
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline.policies import HeadersPolicy

KEY = f"ssh-ed25519 {base64.b64encode(b'a key').decode()} me"
RULE = {"entry_protocol": "https", "entry_port": 443, "target_protocol": "https", "target_port": 443}
PASSED = {**RULE, "tls_passthrough": True}
DROPLET = {"region": REGION, "size": SIZE, "image": IMAGE}


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
def server(account: Account) -> Iterator[RestServer]:
    with RestServer(account) as made:
        yield made


@pytest.fixture
def client(server: RestServer) -> Any:
    return of(server, TOKEN)


def of(server: RestServer, token: str) -> Any:
    """A client. Its own policy sends no token without TLS."""
    policy = HeadersPolicy(base_headers={"Authorization": f"Bearer {token}"})
    return pydo.Client(token, endpoint=server.url, authentication_policy=policy, retry_total=0)


def refused(call: Any, *arguments: Any, **more: Any) -> tuple[int, str]:
    """HTTP status and message of a call that is refused; the client returns some refusals, and raises others."""
    try:
        answer = call(*arguments, **more)
    except HttpResponseError as error:
        response: Any = error.response
        return response.status_code, response.json()["message"]
    assert set(answer) >= {"id", "message"}
    return 404 if answer["id"] == "not_found" else 0, answer["message"]


def until_done(client: Any, action: int) -> str:
    for _look in range(5):
        found = client.actions.get(action)["action"]
        if found["status"] != "in-progress":
            return str(found["status"])
    raise AssertionError(found)


def test_droplets_are_made_together_and_run_when_their_actions_are_done(client: Any) -> None:
    key = client.ssh_keys.create(body={"name": "k", "public_key": KEY})["ssh_key"]
    tags = ["KubernetesCluster:a", "kops-instancegroup:nodes"]
    body = {**DROPLET, "names": ["nodes-1", "nodes-2"], "tags": tags, "ssh_keys": [key["id"]]}
    answer = client.droplets.create(body=body)
    assert [each["status"] for each in answer["droplets"]] == ["new", "new"]
    assert len(answer["links"]["actions"]) == 2
    first = answer["droplets"][0]["id"]
    assert refused(client.droplets.destroy, first)[0] == 422
    assert until_done(client, answer["links"]["actions"][0]["id"]) == "completed"
    found = client.droplets.list(tag_name="kubernetescluster:a")["droplets"]
    assert [each["status"] for each in found] == ["active", "active"]
    kinds = {each["type"]: each["ip_address"] for each in found[0]["networks"]["v4"]}
    assert kinds["private"].startswith("10.100.")
    assert set(kinds) == {"private", "public"}
    client.droplets.destroy(first)
    assert [each["name"] for each in client.droplets.list()["droplets"]] == ["nodes-2"]
    assert refused(client.droplets.get, first)[0] == 404


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"region": "nyc2"}, "invalid region"),
        ({"size": OTHER_SIZE}, "not available in this region"),
        ({"size": "s-0"}, "invalid size"),
        ({"image": "beos"}, "invalid image"),
        ({"names": ["a_b"]}, "valid hostname"),
        ({"names": [f"a{number}" for number in range(11)]}, "at most 10"),
        ({"tags": ["a.b"]}, "invalid"),
        ({"ssh_keys": ["1"]}, "invalid key"),
        ({"vpc_uuid": "none"}, "no such VPC"),
        ({"user_data": "x" * 65537}, "too long"),
    ],
)
def test_droplets_that_are_wrong_are_refused(client: Any, account: Account, change: Any, says: str) -> None:
    status, message = refused(client.droplets.create, body={**DROPLET, "names": ["a"], **change})
    assert status == 422
    assert says in message
    assert account.droplets.objects == {}


def test_lists_have_pages(client: Any) -> None:
    first = client.images.list(type="distribution")
    assert len(first["images"]) == 20
    assert first["meta"]["total"] == len(IMAGES)
    assert "page=2" in first["links"]["pages"]["next"]
    last = client.images.list(type="distribution", page=2)
    assert "next" not in last["links"]["pages"]
    assert len(first["images"] + last["images"]) == len(IMAGES)
    assert client.images.get(OTHER_IMAGE)["image"]["slug"] == OTHER_IMAGE
    assert {each["slug"] for each in client.regions.list()["regions"]} >= {REGION, OTHER_REGION}
    assert OTHER_SIZE in [each["slug"] for each in client.sizes.list(per_page=200)["sizes"]]
    assert client.account.get()["account"]["status"] == "active"


def test_a_volume_is_at_one_droplet_of_its_region(client: Any) -> None:
    body = {"name": "kops-a", "region": REGION, "size_gigabytes": 20, "tags": ["k8s-index:a"]}
    volume = client.volumes.create(body=body)["volume"]
    assert refused(client.volumes.create, body=body) == (409, "volume already exists")
    elsewhere = client.droplets.create(body={**DROPLET, "region": OTHER_REGION, "name": "b"})
    here, other = (client.droplets.create(body={**DROPLET, "name": name})["droplet"]["id"] for name in "ac")
    for _look in range(2):
        client.droplets.list()

    def act(kind: str, droplet: int) -> Any:
        wanted = {"type": kind, "droplet_id": droplet, "region": REGION}
        return client.volume_actions.post_by_id(volume["id"], body=wanted)

    assert "same region" in refused(act, "attach", elsewhere["droplet"]["id"])[1]
    action = act("attach", here)["action"]
    assert action["status"] == "in-progress"
    assert "pending event" in refused(act, "attach", here)[1]
    assert until_done(client, action["id"]) == "completed"
    assert client.volumes.get(volume["id"])["volume"]["droplet_ids"] == [here]
    assert refused(act, "attach", other)[1] == "This volume is already attached"
    assert refused(client.volumes.delete, volume["id"])[0] == 409
    assert until_done(client, act("detach", here)["action"]["id"]) == "completed"
    client.volumes.delete(volume["id"])
    assert client.volumes.list(region=REGION)["volumes"] == []


def test_networks_do_not_overlap_and_stay_while_they_have_members(client: Any) -> None:
    body = {"name": "vpc-a", "region": REGION, "ip_range": "10.10.0.0/20", "description": "a"}
    vpc = client.vpcs.create(body=body)["vpc"]
    assert "unique" in refused(client.vpcs.create, body={**body, "ip_range": "10.11.0.0/20"})[1]
    assert "overlaps" in refused(client.vpcs.create, body={**body, "name": "b"})[1]
    assert "private" in refused(client.vpcs.create, body={**body, "name": "b", "ip_range": "8.8.0.0/20"})[1]
    client.vpcs.patch(vpc["id"], body={"description": "b"})
    droplet = client.droplets.create(body={**DROPLET, "name": "a", "vpc_uuid": vpc["id"]})["droplet"]["id"]
    assert client.vpcs.list_members(vpc["id"])["members"][0]["urn"] == f"do:droplet:{droplet}"
    assert refused(client.vpcs.delete, vpc["id"]) == (403, "Can not delete VPC with members")
    default = next(each for each in client.vpcs.list()["vpcs"] if each["default"])
    assert refused(client.vpcs.delete, default["id"]) == (403, "Can not delete default VPC")
    client.droplets.destroy(droplet)
    client.vpcs.delete(vpc["id"])
    assert vpc["id"] not in [each["id"] for each in client.vpcs.list()["vpcs"]]


def test_a_load_balancer_has_the_droplets_of_a_tag_and_an_address_later(client: Any) -> None:
    body = {"name": "api-a", "region": REGION, "forwarding_rules": [PASSED], "tag": "masters"}
    assert "tls_passthrough" in refused(client.load_balancers.create, body={**body, "forwarding_rules": [RULE]})[1]
    assert "together" in refused(client.load_balancers.create, body={**body, "droplet_ids": [1]})[1]
    balancer = client.load_balancers.create(body=body)["load_balancer"]
    assert (balancer["status"], balancer["ip"]) == ("new", "")
    droplet = client.droplets.create(body={**DROPLET, "name": "a", "tags": ["masters"]})["droplet"]["id"]
    client.droplets.list()
    found = client.load_balancers.get(balancer["id"])["load_balancer"]
    assert (found["status"], found["droplet_ids"]) == ("active", [droplet])
    assert found["ip"]
    more = [PASSED, {**PASSED, "entry_port": 3988, "target_port": 3988}]
    client.load_balancers.update(balancer["id"], body={**body, "forwarding_rules": more})
    assert len(client.load_balancers.list()["load_balancers"][0]["forwarding_rules"]) == 2
    client.load_balancers.delete(balancer["id"])
    assert refused(client.load_balancers.get, balancer["id"])[0] == 404


def test_tags_are_made_by_use_and_stay(client: Any) -> None:
    volume = client.volumes.create(body={"name": "a", "region": REGION, "size_gigabytes": 1, "tags": ["One:x"]})
    identifier = volume["volume"]["id"]
    client.tags.create(body={"name": "two"})
    resources = {"resources": [{"resource_id": identifier, "resource_type": "volume"}]}
    client.tags.assign_resources("two", body=resources)
    assert client.volumes.get(identifier)["volume"]["tags"] == ["One:x", "two"]
    assert client.tags.get("one:x")["tag"]["resources"]["count"] == 1
    client.tags.unassign_resources("two", body=resources)
    assert [each["name"] for each in client.tags.list()["tags"]] == ["One:x", "two"]
    client.tags.delete("One:x")
    assert client.volumes.get(identifier)["volume"]["tags"] == []


def test_a_key_is_there_once(client: Any) -> None:
    key = client.ssh_keys.create(body={"name": "a", "public_key": KEY})["ssh_key"]
    again = refused(client.ssh_keys.create, body={"name": "b", "public_key": KEY})
    assert again == (422, "SSH Key is already in use on your account")
    assert "invalid" in refused(client.ssh_keys.create, body={"name": "b", "public_key": "ssh-rsa"})[1]
    assert client.ssh_keys.get(key["fingerprint"])["ssh_key"]["id"] == key["id"]
    client.ssh_keys.delete(key["fingerprint"])
    assert client.ssh_keys.list()["ssh_keys"] == []


def test_records_have_one_value_each(client: Any) -> None:
    client.domains.create(body={"name": "example.com"})
    assert refused(client.domains.create, body={"name": "example.com"})[0] == 422
    wanted = {"type": "A", "name": "api.demo", "data": "192.0.2.1", "ttl": 60}
    made = client.domains.create_record("example.com", body=wanted)["domain_record"]
    client.domains.create_record("example.com", body={**wanted, "data": "192.0.2.2"})
    found = client.domains.list_records("example.com", name="api.demo.example.com", type="A")["domain_records"]
    assert [each["data"] for each in found] == ["192.0.2.1", "192.0.2.2"]
    assert "IP address" in refused(client.domains.create_record, "example.com", body={**wanted, "data": "x"})[1]
    assert "at least 30" in refused(client.domains.create_record, "example.com", body={**wanted, "ttl": 10})[1]
    client.domains.update_record("example.com", made["id"], body={"type": "A", "data": "192.0.2.3"})
    client.domains.delete_record("example.com", made["id"])
    assert refused(client.domains.get_record, "example.com", made["id"])[0] == 404


def test_a_firewall_has_a_name_of_its_own_and_tags_that_are_there(client: Any) -> None:
    def rule(protocol: str, ports: str, **sources: Any) -> dict[str, Any]:
        return {"protocol": protocol, "ports": ports, "sources": sources}

    world = rule("tcp", "22", addresses=["0.0.0.0/0"])
    wanted = {"name": "a.example.com", "inbound_rules": [world, rule("icmp", "", addresses=["10.0.0.0/8"])]}
    assert "not found" in refused(client.firewalls.create, body={**wanted, "tags": ["web"]})[1]
    client.tags.create(body={"name": "web"})
    made = client.firewalls.create(body={**wanted, "tags": ["Web"]})["firewall"]
    assert (made["tags"], [each["ports"] for each in made["inbound_rules"]]) == (["web"], ["22", "0"])
    assert refused(client.firewalls.create, body=wanted) == (409, "duplicate name")
    for wrong in (
        rule("ipip", "0", addresses=["10.0.0.0/8"]),
        rule("tcp", "x", addresses=["10.0.0.0/8"]),
        rule("tcp", "1", addresses=[]),
        rule("tcp", "1", addresses=["10.0.0.1/8"]),
        rule("tcp", "1", load_balancer_uids=["none"]),
    ):
        assert refused(client.firewalls.update, made["id"], body={"name": "b", "inbound_rules": [wrong]})[0] == 422
    assert client.firewalls.get(made["id"])["firewall"] == made
    client.firewalls.update(made["id"], body={"name": "b", "outbound_rules": [_to_all()]})
    (changed,) = client.firewalls.list()["firewalls"]
    assert (changed["name"], changed["inbound_rules"], changed["tags"]) == ("b", [], [])
    client.firewalls.delete(made["id"])
    assert client.firewalls.list()["firewalls"] == []
    assert refused(client.firewalls.get, made["id"])[0] == 404


def _to_all() -> dict[str, Any]:
    return {"protocol": "udp", "ports": "all", "destinations": {"addresses": ["0.0.0.0/0", "::/0"]}}


def test_other_tokens_and_too_many_requests_are_refused(server: RestServer, account: Account) -> None:
    account.tokens, account.burst = {TOKEN}, 2
    stranger = of(server, "dop_v1_other")
    assert refused(stranger.account.get) == (401, "Unable to authenticate you")
    client = of(server, TOKEN)
    seen: list[Any] = []
    for _request in range(2):
        client.account.get(cls=lambda response, body, headers: seen.append(headers))
    assert seen[0]["ratelimit-limit"] == 5000
    assert seen[1]["ratelimit-remaining"] == seen[0]["ratelimit-remaining"] - 1
    with pytest.raises(HttpResponseError) as error:
        client.account.get(cls=lambda response, body, headers: seen.append(response.http_response))
    response: Any = error.value.response
    assert response.status_code == 429
    assert int(response.headers["retry-after"]) > 0
