# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client: pages, what is sent again and what never is, limits of requests, and the token, which nobody sees."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import AccessDenied, CloudError, Exists, NoLogin
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import cloud as client
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.cloud import HetznerCloud, described, own
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import NETWORK, PLACEMENT_GROUP, SERVER
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost, TryAgainLater
from ansible_collections.kubeops.kops.tests.support.hetzner.applying import NAME
from ansible_collections.kubeops.kops.tests.support.hetzner.applying import client as fresh
from ansible_collections.kubeops.kops.tests.support.hetzner.project import READ_ONLY, TOKEN
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, Allowance, Call, Reply

GROUP = {"name": "g", "type": "spread", "labels": {"kops.k8s.io/cluster": NAME}}


def server_of(cloud: HetznerCloud, name: str = "a") -> dict[str, Any]:
    return cloud.make(SERVER, {"name": name, "server_type": "cx23", "image": "debian-12", "location": "fsn1"})


def reads(call: Call) -> bool:
    return not call.writes


def test_a_list_has_all_pages_and_is_read_once(server: HetznerServer) -> None:
    cloud = fresh()
    for number in range(51):
        cloud.make(PLACEMENT_GROUP, {**GROUP, "name": f"g{number}"})
    server.calls.clear()
    found = [cloud.once(described, PLACEMENT_GROUP) for _time in range(3)]
    assert [len(each) for each in found] == [51, 51, 51]
    assert [str(each) for each in server.calls] == ["GET /placement_groups"] * 2


def test_what_is_the_clusters_is_chosen_by_hetzner(server: HetznerServer) -> None:
    cloud = fresh()
    cloud.make(PLACEMENT_GROUP, GROUP)
    cloud.make(PLACEMENT_GROUP, {**GROUP, "name": "other", "labels": {"kops.k8s.io/cluster": f"{NAME}2"}})
    assert [each["name"] for each in cloud.once(own, PLACEMENT_GROUP)] == ["g"]


@pytest.mark.parametrize("fault", [RESET, LOST, 500, 502, 503, 504])
def test_a_read_that_breaks_off_is_made_again(server: HetznerServer, fault: int | str) -> None:
    server.spoil(1, fault, of=reads)
    assert fresh().read(NETWORK) == []
    assert len(server.calls) == 2


def test_a_read_that_always_breaks_off_ends(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_READS", 2)
    server.fault = lambda call: 503
    with pytest.raises(CloudError, match="cannot read each network: fault 503"):
        fresh().read(NETWORK)
    server.fault = lambda call: RESET
    with pytest.raises(CloudError, match="read each network: Hetzner Cloud cannot be reached"):
        fresh().read(NETWORK)
    assert len(server.calls) == 6


@pytest.mark.parametrize("body", [{"hello": "world"}, "hello", None])
def test_what_is_not_the_api_is_said(server: HetznerServer, monkeypatch: pytest.MonkeyPatch, body: Any) -> None:
    monkeypatch.setattr(server.project, "answer", lambda call: Reply(200, body))
    with pytest.raises(
        CloudError, match="read each network: what answers is not the API of Hetzner Cloud: check proxies"
    ):
        fresh().read(NETWORK)


def test_a_page_of_a_proxy_is_not_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "6")
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *_arguments: object) -> None:
            pass

    monkeypatch.setenv("HCLOUD_TOKEN", TOKEN)
    with http.server.HTTPServer(("127.0.0.1", 0), Page) as proxy:
        threading.Thread(target=proxy.handle_request, daemon=True).start()
        monkeypatch.setenv("HCLOUD_ENDPOINT", f"http://127.0.0.1:{proxy.server_port}/v1")
        with pytest.raises(CloudError, match="what answers is not the API of Hetzner Cloud"):
            fresh().read(NETWORK)


def test_an_endpoint_that_has_no_such_path(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_ENDPOINT", f"{server.url}/v2")
    with pytest.raises(CloudError, match="cannot read each network: there is no /v2/networks"):
        fresh().read(NETWORK)


@pytest.mark.parametrize("fault", [RESET, LOST, 500, 502, 503, 504])
def test_a_write_is_sent_once(server: HetznerServer, fault: int | str) -> None:
    server.spoil(1, fault)
    with pytest.raises(AnswerLost, match="make placement group g"):
        fresh().make(PLACEMENT_GROUP, GROUP)
    assert len(server.calls) == 1
    assert server.names() == (["placement_groups g"] if fault == LOST else [])


def test_a_write_that_takes_too_long_is_not_sent_again(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library does that by itself."""
    monkeypatch.setattr(f"{client.__package__}.sending.SECONDS", 0.2)
    server.fault = lambda call: time.sleep(0.6)
    with pytest.raises(AnswerLost, match="the answer is lost .no answer within"):
        fresh().make(PLACEMENT_GROUP, GROUP)
    assert len(server.calls) == 1


@pytest.mark.parametrize("status", [423, 409])
def test_what_is_being_worked_on_is_asked_for_later(server: HetznerServer, status: int) -> None:
    server.spoil(1, status)
    with pytest.raises(TryAgainLater, match=f"cannot make placement group g yet: fault {status}") as caught:
        fresh().make(PLACEMENT_GROUP, GROUP)
    assert not isinstance(caught.value, AnswerLost)
    assert len(server.calls) == 1


def test_without_requests_a_write_is_put_off_and_says_why(server: HetznerServer) -> None:
    server.spoil(1, 429)
    with pytest.raises(
        TryAgainLater, match="the token has no requests left, of which Hetzner Cloud allows 3600 an hour"
    ):
        fresh().make(PLACEMENT_GROUP, GROUP)


def test_without_requests_no_further_write_is_sent_before_there_are_some(server: HetznerServer) -> None:
    server.project.allowance = Allowance(1, 1.0)
    cloud = fresh()
    cloud.make(PLACEMENT_GROUP, GROUP)
    for _time in range(3):
        with pytest.raises(
            TryAgainLater, match="cannot make placement group other yet: the token has no requests left"
        ):
            cloud.make(PLACEMENT_GROUP, {**GROUP, "name": "other"})
    assert len(server.calls) == 2
    time.sleep(1.2)
    cloud.make(PLACEMENT_GROUP, {**GROUP, "name": "other"})
    assert server.names() == ["placement_groups g", "placement_groups other"]


def test_without_requests_a_read_waits_and_says_so(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    slept, told = list[float](), list[str]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        server.project.allowance = Allowance(1, 0.25)

    monkeypatch.setattr(time, "sleep", sleep)
    server.project.allowance = Allowance(1, 0.25)
    cloud = fresh()
    cloud.tell = told.append
    assert [cloud.read(NETWORK) for _time in range(2)] == [[], []]
    # The headers say when there will be one.
    assert slept == [pytest.approx(4, abs=1.1)]
    assert told == [f"waiting: {client.LIMITED}: trying again in {slept[0]:.0f} seconds"]


def test_a_read_does_not_wait_for_ever(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_PATIENCE", -1)
    server.fault = lambda call: 429
    with pytest.raises(KopsError, match="cannot read each network"):
        fresh().read(NETWORK)


def test_what_is_there_is_a_conflict(server: HetznerServer) -> None:
    cloud = fresh()
    cloud.make(PLACEMENT_GROUP, GROUP)
    with pytest.raises(Exists, match="cannot make placement group g: placement_group name is already used"):
        cloud.make(PLACEMENT_GROUP, GROUP)


def test_wrong_fields_are_named(server: HetznerServer) -> None:
    wrong = {**GROUP, "labels": {"a": "b:c"}}
    with pytest.raises(CloudError, match=r"label value b:c is not correctly formatted \(labels: "):
        fresh().make(PLACEMENT_GROUP, wrong)


def test_objects_settle_with_their_actions(server: HetznerServer) -> None:
    server.project.objects.delay = 0.2
    cloud = fresh()
    made = server_of(cloud)
    with pytest.raises(TryAgainLater, match="server a is being made"):
        cloud.settle(SERVER, made["id"], "a")
    time.sleep(0.25)
    cloud.settle(SERVER, made["id"], "a")
    assert cloud.get(SERVER, made["id"])["status"] == "running"
    cloud.act(SERVER, made["id"], "shutdown", {}, "stop server a")
    assert cloud.latest(SERVER, made["id"]) is None
    assert cloud.get(SERVER, made["id"])["status"] == "off"
    cloud.delete(SERVER, made["id"])
    assert cloud.get(SERVER, made["id"]) is None
    cloud.delete(SERVER, made["id"])


def test_an_action_that_fails_is_no_success(server: HetznerServer) -> None:
    server.project.objects.failing["create_server"] = "resource_unavailable"
    cloud = fresh()
    made = server_of(cloud)
    with pytest.raises(CloudError, match="cannot make server a: the location has none of it at the moment"):
        cloud.settle(SERVER, made["id"], "a")


def test_whoever_waits_shares_a_reading_of_actions(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{client.__package__}.actions.MOMENT", 0.2)
    server.project.objects.delay = 0.5
    cloud = fresh()
    made = [server_of(cloud, f"s{number}") for number in range(20)]
    server.calls.clear()
    threads = [threading.Thread(target=cloud.delete, args=(SERVER, each["id"])) for each in made]
    time.sleep(0.6)
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    polls = [each for each in server.calls if each.path == "/actions"]
    assert 1 <= len(polls) <= 10
    assert max(len(each.values("id")) for each in polls) > 10
    assert server.names() == []


def without_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HCLOUD_TOKEN")


def with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_TOKEN", f"no{TOKEN}")


def with_one_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_TOKEN", READ_ONLY)


def with_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_ENDPOINT", "http://127.0.0.1:9/v1")
    monkeypatch.setattr(client, "_READS", 0)


@pytest.mark.parametrize(
    ("arrange", "kind", "message"),
    [
        (without_token, NoLogin, "there is no token for Hetzner Cloud: set HCLOUD_TOKEN"),
        (with_another, CloudError, "Hetzner Cloud does not accept the token: check HCLOUD_TOKEN"),
        (with_one_that_reads, AccessDenied, "the token may only read: give HCLOUD_TOKEN one"),
        (with_nobody_there, AnswerLost, "the answer is lost"),
    ],
)
def test_tokens(
    server: HetznerServer,
    monkeypatch: pytest.MonkeyPatch,
    arrange: Callable[[pytest.MonkeyPatch], None],
    kind: type[KopsError],
    message: str,
) -> None:
    """What is said never has the token."""
    arrange(monkeypatch)
    cloud = fresh()
    with pytest.raises(kind, match=message) as caught:
        cloud.make(PLACEMENT_GROUP, GROUP)
    error: BaseException | None = caught.value
    while error is not None:
        assert TOKEN not in f"{error!r} {error}"
        error = error.__cause__ or error.__context__
    assert TOKEN not in f"{cloud!r} {vars(cloud)}"


def test_passwords_of_netrc_do_not_replace_the_token(
    server: HetznerServer, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login somebody password secret\n")
    monkeypatch.setenv("NETRC", str(file))
    assert requests.utils.get_netrc_auth(server.url) == ("somebody", "secret")
    assert fresh().read(NETWORK) == []
