# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import email.utils
import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Answer, Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import find_distribution
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap import client
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.client import Refused, bootstrap
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.issue import checked_public_key, public_key_of
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine
from ansible_collections.kubeops.kops.tests.support import bootstrap_server

from ..fake_host import FakeHost

NAME = "kops-controller.internal.demo.example.com"
KEYS = {"kubelet": "PUBLIC"}


@pytest.fixture()
def server(tmp_path):
    with bootstrap_server.running(tmp_path, bootstrap_server.new_authority(), NAME) as running:
        yield running


def test_one_request_carries_keys_and_its_proof(server):
    servers, handler = server
    handler.answer = staticmethod(lambda request: Answer(dict.fromkeys(request.public_keys, "PEM"), "{}"))
    answer = bootstrap(servers, lambda body: f"proof of {len(body)}", KEYS, "abc")
    assert answer == Answer({"kubelet": "PEM"}, "{}")
    (body,) = handler.asked
    assert Request.read(body) == Request(KEYS, "abc")
    assert handler.proofs == [f"proof of {len(body)}"]


@pytest.mark.parametrize(
    ("status", "said"),
    [(403, "does not accept"), (409, "its node is ready already"), (429, "too much to do"), (418, "answered 418")],
)
def test_refusals_are_said_in_words(server, status, said):
    servers, handler = server
    handler.statuses.append(status)
    with pytest.raises(Refused, match=said) as caught:
        bootstrap(servers, str, KEYS, "")
    assert "clock" not in str(caught.value)


def test_a_clock_that_is_off_is_said_with_a_refusal(server, monkeypatch):
    servers, handler = server
    handler.statuses.append(403)
    monkeypatch.setattr(
        handler, "date_time_string", lambda self, timestamp=None: email.utils.formatdate(time.time() - 600, usegmt=True)
    )
    with pytest.raises(Refused, match=r"this machine's clock differs from the server's by (599|600|601) s"):
        bootstrap(servers, str, KEYS, "")


def test_an_answer_without_a_certificate_is_none(server):
    servers, _handler = server
    with pytest.raises(Refused, match="has not issued kubelet"):
        bootstrap(servers, str, KEYS, "")


def test_keys_stay_until_they_are_forgotten(tmp_path):
    host = FakeHost.make(tmp_path / "machine")
    machine = Machine(str(host.root), host, find_distribution('ID=debian\nVERSION_ID="12"'))
    first = client.keys(machine, ["kubelet", "kube-proxy"])
    assert len(set(first.values())) == 2
    assert all(checked_public_key(public_key_of(key)) for key in first.values())
    assert client.keys(machine, ["kubelet", "kube-proxy"]) == first
    directory = host.root / "run/kubeops/keys"
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}
    assert directory.stat().st_mode & 0o777 == 0o700
    client.forget_keys(machine)
    assert not directory.exists()
    assert client.keys(machine, ["kubelet"])["kubelet"] != first["kubelet"]
