# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests a bootstrap server in OpenStack believes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import header
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Evidence,
    Identity,
    Refused,
    Unavailable,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.verification import SCHEME, ServerVerifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

from .fake_openstack import CLUSTER, OTHER, SERVER, FakeOpenStack, port, server

KEY, BODY, ADDRESS = b"k" * 32, b"{}", "10.0.0.7"


class Bounds:
    """An Admission that counts. asked: who was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask_cloud(self) -> None:
        self.asked.append("cloud")

    @contextlib.contextmanager
    def ask_caller(self) -> Iterator[float]:
        self.asked.append("caller")
        yield 3.0


def identify(
    openstack: FakeOpenStack, proof: str = "", caller: str = ADDRESS, answers: bool | OSError = True
) -> tuple[Identity, Bounds, list[tuple[str, bytes, bytes, float]]]:
    """The sender of a request. answers: what it says when it is asked."""
    asked, bounds = [], Bounds()

    def is_answered(address: str, key: bytes, body: bytes, seconds: float) -> bool:
        asked.append((address, key, body, seconds))
        if isinstance(answers, OSError):
            raise answers
        return answers

    verifier = ServerVerifier(openstack, CLUSTER, is_answered)
    return verifier.identify(Evidence(proof or header(SCHEME, SERVER, KEY), BODY, caller), bounds), bounds, asked


@pytest.mark.parametrize("caller", [ADDRESS, f"::ffff:{ADDRESS}"])
def test_a_worker_is_known(caller: str) -> None:
    found, bounds, asked = identify(FakeOpenStack(), caller=caller)
    assert found == Identity("nodes", {"NODE_NAME": "nodes-c5a001", "INTERNAL_IP": ADDRESS})
    assert bounds.asked == ["cloud", "caller"]
    assert asked == [(ADDRESS, KEY, BODY, 3.0)]


@pytest.mark.parametrize("proof", ["Bearer x", header(SCHEME, "../servers", KEY), header(SCHEME, SERVER.upper(), KEY)])
def test_nobody_is_asked_about_what_is_no_proof(proof: str) -> None:
    bounds = Bounds()
    with pytest.raises(Refused, match="no proof"):
        ServerVerifier(FakeOpenStack(), CLUSTER).identify(Evidence(proof, BODY, ADDRESS), bounds)
    assert bounds.asked == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda cloud: cloud.servers.clear(), "no server"),
        (lambda cloud: cloud.servers.update({SERVER: server(k8s="other.example.com")}), "no server"),
        (lambda cloud: cloud.servers.update({SERVER: server(KopsRole="ControlPlane")}), "is no worker"),
        (lambda cloud: cloud.servers.update({SERVER: server(KopsRole="Bastion")}), "is no worker"),
        (lambda cloud: cloud.servers.update({SERVER: server(KopsInstanceGroup="../x")}), "is no worker"),
        (lambda cloud: cloud.servers.update({SERVER: server(status="SHUTOFF")}), "is SHUTOFF"),
        (lambda cloud: cloud.servers.update({SERVER: server(status="DELETED")}), "is DELETED"),
        # Its address may be another's by now.
        (lambda cloud: cloud.ports.clear(), "at no address"),
        (lambda cloud: cloud.ports.__setitem__(0, port(OTHER)), "at no address"),
        (lambda cloud: cloud.ports.__setitem__(0, port(SERVER, cluster="demo.example.com2")), "at no address"),
        (lambda cloud: cloud.ports.__setitem__(0, port(SERVER, "10.0.0.8")), "and the request from 10.0.0.7"),
    ],
)
def test_others_are_refused(change: Callable[[FakeOpenStack], None], reason: str) -> None:
    openstack = FakeOpenStack()
    change(openstack)
    with pytest.raises(Refused, match=reason):
        identify(openstack)


def test_an_address_of_a_neighbour_is_refused() -> None:
    with pytest.raises(Refused, match="and the request from 10.0.0.9"):
        identify(FakeOpenStack(), caller="10.0.0.9")


@pytest.mark.parametrize(
    ("answers", "reason"), [(False, "not its own"), (OSError("refused"), "does not answer for the request")]
)
def test_what_nobody_answers_for_is_refused(answers: bool | OSError, reason: str) -> None:
    """Pods have the address of their server outwards, and cannot answer there."""
    with pytest.raises(Refused, match=reason):
        identify(FakeOpenStack(), answers=answers)


@pytest.mark.parametrize("fault", [ServiceError("compute", 503), OSError("no route"), ValueError("no JSON")])
def test_a_cloud_that_does_not_answer_is_no_refusal(fault: Exception) -> None:
    openstack = FakeOpenStack()
    openstack.fails = fault
    with pytest.raises(Unavailable):
        identify(openstack)
