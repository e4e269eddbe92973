# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of DigitalOcean: pages, tokens, answers that are lost, limits of the rate, and actions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import cloud as module
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import (
    DROPLET,
    IMAGE,
    TAG,
    VOLUME,
    VPC,
    records_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import AccessDenied, CloudError, Exists, NoLogin
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost, TryAgainLater
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN, Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import IMAGE as UBUNTU
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import IMAGES, REGION, SIZE
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

WANTED = {"name": "kops-a", "region": REGION, "size_gigabytes": 20}
DROPLETS = {"region": REGION, "size": SIZE, "image": UBUNTU}


def test_all_pages_of_a_list_are_read(
    cloud: DigitalOceanCloud, server: RestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", 10)
    assert len(cloud.read(IMAGE)) == len(IMAGES)
    assert [call.value("page") for call in server.calls] == ["1", "2", "3"]


def test_what_is_not_there_is_none(cloud: DigitalOceanCloud) -> None:
    assert cloud.get(VPC, "none") is None
    assert cloud.read(records_of("none")) == []
    cloud.delete(VOLUME, "none")
    cloud.delete_tag("none")


def test_without_a_token_nothing_is_asked(
    cloud: DigitalOceanCloud, server: RestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIGITALOCEAN_ACCESS_TOKEN", " ")
    with pytest.raises(NoLogin, match="set DIGITALOCEAN_ACCESS_TOKEN"):
        cloud.read(VPC)
    with pytest.raises(NoLogin, match="set DIGITALOCEAN_ACCESS_TOKEN"):
        cloud.make(VOLUME, WANTED)
    assert server.calls == []


@pytest.mark.parametrize("token", ["two\nlines", "a b", "t\u00f6ken"])
def test_what_is_no_token_is_not_shown(
    cloud: DigitalOceanCloud, server: RestServer, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("DIGITALOCEAN_ACCESS_TOKEN", token)
    with pytest.raises(NoLogin, match="what is in DIGITALOCEAN_ACCESS_TOKEN is no token") as error:
        cloud.read(VPC)
    assert token not in str(error.value)
    assert server.calls == []


def test_a_token_that_is_refused_is_not_shown(cloud: DigitalOceanCloud, account: Account) -> None:
    account.tokens = {"another"}
    with pytest.raises(CloudError, match="does not accept the token in DIGITALOCEAN_ACCESS_TOKEN") as error:
        cloud.read(VPC)
    assert TOKEN not in str(error.value)


def test_a_netrc_does_not_replace_the_token(
    cloud: DigitalOceanCloud, account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    account.tokens = {TOKEN}
    assert cloud.read(VPC)


def test_reads_are_tried_again(cloud: DigitalOceanCloud, server: RestServer) -> None:
    server.spoil(1, 503, lambda call: True)
    assert cloud.read(VPC)
    server.spoil(1, RESET, lambda call: True)
    assert cloud.read(VPC)


@pytest.mark.parametrize(("spoiled", "made"), [(LOST, 1), (RESET, 0), (500, 0), (502, 0)])
def test_a_write_is_sent_once(
    cloud: DigitalOceanCloud, server: RestServer, account: Account, spoiled: int | str, made: int
) -> None:
    server.spoil(1, spoiled)
    with pytest.raises(AnswerLost):
        cloud.make(VOLUME, WANTED)
    assert len(server.writes) == 1
    assert len(account.volumes.objects) == made


def test_an_address_that_nobody_answers_at_is_an_answer_that_is_lost_only_for_writes(
    cloud: DigitalOceanCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIGITALOCEAN_API_URL", "http://127.0.0.1:1")
    monkeypatch.setattr(module, "_ATTEMPTS", 0)
    with pytest.raises(CloudError, match="cannot be reached"):
        cloud.read(VPC)
    monkeypatch.setenv("DIGITALOCEAN_API_URL", "nowhere")
    with pytest.raises(CloudError, match="DIGITALOCEAN_API_URL is no address"):
        cloud.make(VOLUME, WANTED)


def test_what_is_there_already_exists(cloud: DigitalOceanCloud) -> None:
    cloud.make(VOLUME, WANTED)
    with pytest.raises(Exists, match="make volume kops-a"):
        cloud.make(VOLUME, WANTED)


def test_what_is_in_use_is_tried_again_later(cloud: DigitalOceanCloud) -> None:
    vpc = cloud.make(VPC, {"name": "v", "region": REGION})
    droplet = cloud.make(DROPLET, {**DROPLETS, "name": "a", "vpc_uuid": vpc["id"]})
    with pytest.raises(TryAgainLater, match="pending event"):
        cloud.delete(DROPLET, str(droplet["id"]))
    with pytest.raises(TryAgainLater, match="members"):
        cloud.delete(VPC, vpc["id"])


def test_what_a_token_may_not_is_denied(cloud: DigitalOceanCloud, server: RestServer) -> None:
    server.spoil(1, 403)
    with pytest.raises(AccessDenied, match="lacks a scope"):
        cloud.make(VOLUME, WANTED)


def test_a_limit_of_the_account_is_said(cloud: DigitalOceanCloud, account: Account) -> None:
    account.droplets.limit = 0
    with pytest.raises(CloudError, match="a limit of the account is reached"):
        cloud.make(DROPLET, {**DROPLETS, "name": "a"})


@pytest.mark.parametrize("writes", [False, True])
def test_a_limit_of_the_rate_is_waited_for_and_said_once(
    cloud: DigitalOceanCloud, account: Account, server: RestServer, writes: bool
) -> None:
    account.burst, account.window = 2, 1.0
    told: list[str] = []
    cloud.tell = told.append
    cloud.read(VPC)
    cloud.read(VPC)
    threads = [
        Thread(target=lambda: cloud.make(VOLUME, {**WANTED, "name": "b"}) if writes else cloud.read(VPC))
        for _thread in range(2 - writes)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(told) == 1
    assert told[0].startswith("waiting: DigitalOcean limits the rate of requests")
    assert len(account.volumes.objects) == writes


def test_who_is_refused_for_ever_is_told_so(
    cloud: DigitalOceanCloud, server: RestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_REFUSALS", 1)
    server.fault = lambda call: 429
    with pytest.raises(CloudError, match="run it again later"):
        cloud.make(VOLUME, WANTED)
    assert len(server.writes) == 1


def test_an_action_is_waited_for(cloud: DigitalOceanCloud, account: Account) -> None:
    account.pending.looks = 2
    droplet = cloud.make(DROPLET, {**DROPLETS, "name": "a"})
    for _look in range(2):
        cloud.read(VPC)
    cloud.act(DROPLET, str(droplet["id"]), {"type": "shutdown"})
    assert account.droplets.objects[droplet["id"]]["status"] == "off"


def test_an_action_that_fails_is_said(cloud: DigitalOceanCloud, account: Account) -> None:
    droplet = cloud.make(DROPLET, {**DROPLETS, "name": "a"})
    cloud.read(VPC)
    account.pending.fails = lambda kind: kind == "reboot"
    with pytest.raises(KopsError, match=f"cannot reboot droplet {droplet['id']}: DigitalOcean began it, and it failed"):
        cloud.act(DROPLET, str(droplet["id"]), {"type": "reboot"})


def test_an_action_that_does_not_end_is_said(
    cloud: DigitalOceanCloud, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    droplet = cloud.make(DROPLET, {**DROPLETS, "name": "a"})
    cloud.read(VPC)
    account.pending.looks = 1000
    monkeypatch.setattr(module, "_DEADLINE", 0.0)
    with pytest.raises(KopsError, match="has not ended within 0 seconds"):
        cloud.act(DROPLET, str(droplet["id"]), {"type": "reboot"})


def test_tags_are_given_and_taken(cloud: DigitalOceanCloud, account: Account) -> None:
    volume = cloud.make(VOLUME, WANTED)
    for _again in range(2):
        cloud.tag("a:b", VOLUME, [volume["id"]])
    assert account.volumes.objects[volume["id"]]["tags"] == ["a:b"]
    for _again in range(2):
        cloud.untag("a:b", VOLUME, [volume["id"]])
    assert account.volumes.objects[volume["id"]]["tags"] == []
    assert [each["name"] for each in cloud.read(TAG)] == ["a:b"]


def test_a_tag_that_is_there_is_used(
    cloud: DigitalOceanCloud, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    volume = cloud.make(VOLUME, WANTED)
    account.tags.use(["a"])
    ask = cloud.ask

    def strict(method: str, path: str, body: Any, doing: str) -> Any:
        if (method, path) == ("POST", TAG.path):
            raise Exists("the tag already exists")
        return ask(method, path, body, doing)

    monkeypatch.setattr(cloud, "ask", strict)
    cloud.tag("a", VOLUME, [volume["id"]])
    assert account.volumes.objects[volume["id"]]["tags"] == ["a"]


def test_whoever_waits_shares_the_reading_of_a_kind(
    client: Callable[..., DigitalOceanCloud], server: RestServer
) -> None:
    cloud = client()
    made = [cloud.make(VOLUME, {**WANTED, "name": name})["id"] for name in "ab"]
    server.calls.clear()
    assert [cloud.latest(VOLUME, each, region=REGION) is not None for each in made] == [True, True]
    assert len(server.calls) == 1


def test_no_answer_of_another_server_is_taken_for_digitalocean(
    cloud: DigitalOceanCloud, monkeypatch: pytest.MonkeyPatch, server: RestServer
) -> None:
    def send(*_arguments: object) -> object:
        import requests

        answer = requests.Response()
        answer.status_code, answer._content = 200, b"<html>"
        return answer

    monkeypatch.setattr(cloud, "_send", send)
    with pytest.raises(KopsError, match="check DIGITALOCEAN_API_URL"):
        cloud.read(VPC)
