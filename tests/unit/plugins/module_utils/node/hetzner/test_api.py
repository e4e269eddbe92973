# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of Hetzner's API by a node: pages, errors in the API's words, and tokens that change."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.api import Hetzner
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.hetzner.project import READ_ONLY, TOKEN
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


@pytest.fixture(name="server")
def run_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HetznerServer]:
    with HetznerServer() as server:
        monkeypatch.setenv("HCLOUD_ENDPOINT", server.url)
        monkeypatch.setenv("no_proxy", "*")
        monkeypatch.setattr(time, "sleep", lambda seconds: None)
        yield server


def volumes(server: HetznerServer, count: int) -> None:
    labels = {"kops.k8s.io/cluster": "demo.example.com"}
    for number in range(count):
        made = {"name": f"v{number}", "labels": labels if number else {}}
        server.project.objects.add("volumes", made, {"server": None, "status": "available"})


def test_all_pages_are_read(server: HetznerServer) -> None:
    volumes(server, 121)
    api = Hetzner(lambda: TOKEN)
    found = list(api.listed("volumes", {"kops.k8s.io/cluster": "demo.example.com"}))
    assert len({each["id"] for each in found}) == 120
    assert len(list(api.listed("volumes", {}))) == 121
    assert len(server.calls) == 6


def test_what_is_not_there_is_none(server: HetznerServer) -> None:
    assert Hetzner(lambda: TOKEN).find("/servers/4711") is None


def test_errors_are_in_the_words_of_the_api(server: HetznerServer) -> None:
    volumes(server, 1)
    (volume,) = server.project.objects.all("volumes")
    path = f"/volumes/{volume['id']}/actions/attach"
    with pytest.raises(ServiceError, match="only allowed to perform GET") as caught:
        Hetzner(lambda: READ_ONLY).post(path, {"server": 1})
    assert (caught.value.status, caught.value.code) == (403, "token_readonly")
    with pytest.raises(ServiceError) as caught:
        Hetzner(lambda: TOKEN).post(path, {"server": 1})
    assert caught.value.status == 404


@pytest.mark.parametrize("fault", [429, 502, 503, "reset"])
def test_what_passes_is_tried_again(server: HetznerServer, fault: int | str) -> None:
    server.spoil(1, fault, of=lambda call: True)
    assert list(Hetzner(lambda: TOKEN).listed("servers", {})) == []
    assert len(server.calls) == 2


def test_another_token_is_used_when_it_is_given(server: HetznerServer) -> None:
    """While a node runs, update_cluster may bring another one."""
    given = ["an-old-token", TOKEN]
    assert list(Hetzner(lambda: given.pop(0)).listed("servers", {})) == []
    assert given == []


def test_no_error_has_the_token(server: HetznerServer) -> None:
    token = "a-token-that-is-wrong"
    with pytest.raises(ServiceError, match="unable to authenticate") as caught:
        list(Hetzner(lambda: token).listed("servers", {}))
    assert token not in str(caught.value)
