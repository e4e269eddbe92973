# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import socket

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.connection import addresses, ask
from ansible_collections.kubeops.kops.tests.support import bootstrap_server

NAME = "kops-controller.internal.demo.example.com"


@pytest.fixture()
def authority():
    return bootstrap_server.new_authority()


def test_a_server_is_found_by_address_and_known_by_name(tmp_path, authority, monkeypatch):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with bootstrap_server.running(tmp_path, authority, NAME) as (servers, handler):
        handler.files["/program/a"] = b"program"
        answer = ask(servers, "GET", "/program/a")
        assert (answer.status, answer.content, answer.date[-3:]) == (200, b"program", "GMT")
        assert ask(servers, "GET", "/program/b").status == 404
        with pytest.raises(OSError, match="mismatch"):
            ask({**servers, "name": "kops-controller.internal.other.example.com"}, "GET", "/program/a")
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            ask({**servers, "ca": bootstrap_server.new_authority().certificate}, "GET", "/program/a")


def test_several_authorities_are_trusted_as_while_one_is_replaced(tmp_path, authority):
    with bootstrap_server.running(tmp_path, authority, NAME) as (servers, handler):
        handler.files["/a"] = b"a"
        both = bootstrap_server.new_authority("old").certificate + authority.certificate
        assert ask({**servers, "ca": both}, "GET", "/a").content == b"a"


def test_servers_that_are_away_or_broken_are_passed_over(tmp_path, authority):
    with bootstrap_server.running(tmp_path, authority, NAME, "127.0.0.2") as (servers, handler):
        handler.files["/a"] = b"a"
        several = {**servers, "addresses": ["127.0.0.1", "127.0.0.2", "no-such-host.invalid"]}
        for _time in range(5):
            assert ask(several, "GET", "/a").content == b"a"
        handler.statuses += [503]
        with pytest.raises(OSError, match=f"no bootstrap server at port {servers['port']}") as caught:
            ask(several, "GET", "/a")
    assert "127.0.0.2: the answer is 503" in str(caught.value)
    assert "127.0.0.1: [Errno 111] Connection refused" in str(caught.value)
    assert "no-such-host.invalid: " in str(caught.value)


def test_a_server_that_says_nothing_does_not_hold_a_node_up(authority):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        servers = {
            "addresses": ["127.0.0.1"],
            "name": NAME,
            "port": silent.getsockname()[1],
            "ca": authority.certificate,
        }
        with pytest.raises(OSError, match="timed out"):
            ask(servers, "GET", "/a", seconds=0.2)


def test_a_text_may_have_several_addresses():
    reasons = []
    servers = {"addresses": ["127.0.0.3,127.0.0.1", "127.0.0.2", "127.0.0.1", "no-such-host.invalid"], "port": 3988}
    assert sorted(addresses(servers, reasons)) == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    assert [reason.partition(":")[0] for reason in reasons] == ["no-such-host.invalid"]
