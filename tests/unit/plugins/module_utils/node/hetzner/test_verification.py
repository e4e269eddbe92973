# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests a bootstrap server at Hetzner believes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import header
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import Evidence, Identity, Refused
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner import cloud
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.verification import SCHEME, ServerVerifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support import verifier_contract as contract

from .fake_hetzner import CLUSTER, OTHER, FakeHetzner

KEY, BODY = b"k" * 32, b"{}"
BALANCER = "10.0.0.200"


class Party:
    """A worker at Hetzner, for the contract of verifiers: it answers for the last request that it has proved."""

    node, address = "nodes-a-c5a001", "10.0.0.1"

    def __init__(self) -> None:
        self.hetzner = FakeHetzner()
        self.server = self.hetzner.server(self.node)
        self._sent: tuple[bytes, bytes] = (b"", b"")
        self.asked_back: list[str] = []

    def verifier(self) -> ServerVerifier:
        def is_answered(address: str, key: bytes, body: bytes, seconds: float) -> bool:
            self.asked_back.append(address)
            return self._sent == (key, body)

        return ServerVerifier(self.hetzner, CLUSTER, is_answered)

    def proof(self, body: bytes, age: float = 0) -> str:
        # Whoever has sent it does not answer any more, or not yet.
        self._sent = (KEY, body) if not age else (b"", b"")
        return header(SCHEME, str(self.server["id"]), KEY)

    def end(self) -> None:
        self.server["status"] = "deleting"

    def leave(self) -> None:
        self.server["labels"]["kops.k8s.io/cluster"] = OTHER

    def break_off(self) -> None:
        self.hetzner.fails = ServiceError("Hetzner", 503)

    def asked(self) -> int:
        return len(self.hetzner.asked)

    def identify(self, caller: str = "10.0.0.1") -> Identity:
        proof, bounds = self.proof(BODY), Admission(Rate(1000, 1000), 1, 1)
        return self.verifier().identify(Evidence(proof, BODY, caller), bounds)


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(check: Callable[[contract.Party], None]) -> None:
    check(Party())


def test_a_worker_is_known_through_the_load_balancer() -> None:
    """It is asked back at its own address: the load balancer leads to control planes."""
    party = Party()
    party.hetzner.balancer(BALANCER)
    assert party.identify(BALANCER) == Identity("nodes-a", {"NODE_NAME": party.node, "INTERNAL_IP": party.address})
    assert party.asked_back == [party.address]


@pytest.mark.parametrize("cluster", [OTHER, "demo.example.com2"])
def test_another_clusters_load_balancer_is_a_stranger(cluster: str) -> None:
    party = Party()
    party.hetzner.balancer(BALANCER, cluster)
    with pytest.raises(Refused, match="and the request from"):
        party.identify(BALANCER)
    assert party.asked_back == []


def test_what_comes_through_the_load_balancer_is_answered_for_too() -> None:
    party = Party()
    party.hetzner.balancer(BALANCER)
    proof = party.proof(b"another request")
    with pytest.raises(Refused, match="not its own"):
        party.verifier().identify(Evidence(proof, BODY, BALANCER), Admission(Rate(1000, 1000), 1, 1))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda server: server["labels"].update({"kops.k8s.io/instance-role": "ControlPlane"}), "is no worker"),
        (lambda server: server["labels"].update({"kops.k8s.io/instance-group": "../x"}), "is no worker"),
        (lambda server: server.update(status="off"), "is off"),
        (lambda server: server.update(private_net=[]), "at no address"),
        (lambda server: server["private_net"][0].update(ip="10.0.0.8"), "and the request from 10.0.0.1"),
    ],
)
def test_others_are_refused(change: Callable[[dict[str, Any]], None], reason: str) -> None:
    party = Party()
    change(party.server)
    with pytest.raises(Refused, match=reason):
        party.identify()


def test_a_load_balancer_does_not_help_a_server_without_an_address() -> None:
    party = Party()
    party.hetzner.balancer(BALANCER)
    party.server["private_net"] = []
    with pytest.raises(Refused, match="at no address"):
        party.identify(BALANCER)


def test_nodes_have_the_names_of_their_servers() -> None:
    with pytest.raises(ConfigError, match="not by address"):
        cloud.verifier(CLUSTER, {}, named_by_address=True)
