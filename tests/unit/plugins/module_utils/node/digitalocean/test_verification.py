# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node/digitalocean/verification.py: which droplet a request comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import answer_of, header, read_header
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import Evidence, Identity, Refused
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.cloud import verifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.verification import SCHEME, DropletVerifier
from ansible_collections.kubeops.kops.tests.support import verifier_contract as contract

from .droplets import CLUSTER, FOREIGN, MARK, Cloud, private

KEY, NUMBER = b"k" * 32, b"n" * 32
BALANCER = "10.110.0.250"


class Party:
    """A worker, for the contract of verifiers. It answers for its last request, at its address."""

    def __init__(self, cloud: Cloud, *, behind_balancer: bool = False) -> None:
        self.cloud, self._behind_balancer = cloud, behind_balancer
        self.droplet = cloud.start()
        self.node, self.address = str(self.droplet["name"]), private(self.droplet)
        self.asked_at: list[str] = []
        self._last = b""
        cloud.server.calls.clear()

    def verifier(self) -> DropletVerifier:
        return DropletVerifier(
            self.cloud.api, CLUSTER, MARK, behind_balancer=self._behind_balancer, is_answered=self._is_answered
        )

    def _is_answered(self, address: str, key: bytes, body: bytes, seconds: float) -> bool:
        self.asked_at.append(address)
        return address == self.address and answer_of(key, NUMBER, body) == answer_of(KEY, NUMBER, self._last)

    def proof(self, body: bytes, age: float = 0) -> str:
        # It answers for a minute, and not yet for what it is going to ask.
        self._last = b"" if age else body
        return header(SCHEME, str(self.droplet["id"]), KEY)

    def end(self) -> None:
        self.cloud.ask("DELETE", f"droplets/{self.droplet['id']}")

    def leave(self) -> None:
        found = self.cloud.account.droplets.objects[self.droplet["id"]]
        found["tags"] = [each.replace("example-com", "example-com2") for each in found["tags"]]

    def break_off(self) -> None:
        self.cloud.server.fault = lambda call: 503

    def asked(self) -> int:
        return len(self.cloud.server.calls)


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, check: Callable[[contract.Party], None]
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    check(Party(cloud))


def _identify(party: Party, caller: str, **changes: Any) -> Identity:
    evidence = Evidence(party.proof(contract.BODY), contract.BODY, caller)
    return party.verifier().identify(evidence, Admission(Rate(1000, 1000), 1, 1))


def test_behind_the_load_balancer_a_droplet_is_asked_at_its_own_address(cloud: Cloud) -> None:
    party = Party(cloud, behind_balancer=True)
    assert _identify(party, BALANCER).node == party.node
    assert party.asked_at == [party.address]


def test_without_a_load_balancer_the_request_has_to_come_from_there(cloud: Cloud) -> None:
    party = Party(cloud)
    with pytest.raises(Refused, match="and the request from"):
        _identify(party, BALANCER)
    assert party.asked_at == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"role": "ControlPlane"}, "is no worker"),
        ({"role": "Bastion"}, "is no worker"),
        ({"cluster": FOREIGN}, "no droplet"),
        # Kops writes the name of demo.example-com just so.
        ({"cluster": "demo.example-com"}, "no droplet"),
        ({"tags": ["KubernetesCluster:demo-example-com", MARK, "kops-instance-role:Node"]}, "is no worker"),
        ({"tags": ["KubernetesCluster:demo-example-com", "kops-instance-role:Node"]}, "no droplet"),
    ],
)
def test_others_are_refused(cloud: Cloud, changes: dict[str, Any], reason: str) -> None:
    party = Party(cloud)
    party.droplet = cloud.start(**changes)
    party.address = private(party.droplet)
    with pytest.raises(Refused, match=reason):
        _identify(party, party.address)


def test_a_droplet_that_is_off_is_refused(cloud: Cloud) -> None:
    party = Party(cloud)
    cloud.ask("POST", f"droplets/{party.droplet['id']}/actions", {"type": "power_off"})
    with pytest.raises(Refused, match="is off"):
        _identify(party, party.address)


@pytest.mark.parametrize("server", ["0", "-1", "1/actions", "../account", "1" * 20])
def test_nobody_is_asked_about_what_is_no_number(cloud: Cloud, server: str) -> None:
    party = Party(cloud)
    assert read_header(SCHEME, header(SCHEME, server, KEY)) is not None
    with pytest.raises(Refused, match="no proof"):
        evidence = Evidence(header(SCHEME, server, KEY), b"{}", party.address)
        party.verifier().identify(evidence, Admission(Rate(1000, 1000), 1, 1))
    assert party.asked() == 0


def test_how_workers_are_known_has_to_be_said() -> None:
    known = {"tag": MARK, "behindBalancer": True}
    assert verifier(CLUSTER, known, named_by_address=False)
    for workers in ({}, {"tag": MARK}, {"tag": "", "behindBalancer": True}, {"tag": MARK, "behindBalancer": "yes"}):
        with pytest.raises(ConfigError, match="behindBalancer"):
            verifier(CLUSTER, workers, named_by_address=False)
    with pytest.raises(ConfigError, match="by address"):
        verifier(CLUSTER, known, named_by_address=True)
