# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests a bootstrap server on vSphere believes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import header
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import Evidence, Refused
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import cloud
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.marks import CLUSTER, GROUP, ROLE
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.verification import SCHEME, MachineVerifier
from ansible_collections.kubeops.kops.tests.support import verifier_contract as contract

from .fake_vcenter import FOLDER, NAME, OTHER, FakeVCenter

KEY, BODY = b"k" * 32, b"{}"


class Party:
    """A worker on vSphere, for the contract of verifiers: it answers for the last request that it has proved."""

    node, address = "nodes-a-c5a001", "10.0.0.1"

    def __init__(self) -> None:
        self.vcenter = FakeVCenter()
        self.uuid = self.vcenter.machine(self.node).uuid
        self._sent: tuple[bytes, bytes] = (b"", b"")

    def change(self, **values: Any) -> None:
        self.vcenter.found[self.node] = replace(self.vcenter.found[self.node], **values)

    def mark(self, **values: str) -> None:
        self.change(marks={**self.vcenter.found[self.node].marks, **values})

    def verifier(self, behind_balancer: bool = False) -> MachineVerifier:
        def is_answered(address: str, key: bytes, body: bytes, seconds: float) -> bool:
            return (address, self._sent) == (self.address, (key, body))

        return MachineVerifier(self.vcenter, NAME, FOLDER, behind_balancer=behind_balancer, is_answered=is_answered)

    def proof(self, body: bytes, age: float = 0) -> str:
        # Whoever has sent it does not answer any more, or not yet.
        self._sent = (KEY, body) if not age else (b"", b"")
        return header(SCHEME, self.uuid, KEY)

    def end(self) -> None:
        del self.vcenter.found[self.node]

    def leave(self) -> None:
        self.mark(**{CLUSTER: OTHER})

    def break_off(self) -> None:
        self.vcenter.fails = ServiceError("vCenter", 503)

    def asked(self) -> int:
        return len(self.vcenter.asked)


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(check: Callable[[contract.Party], None]) -> None:
    check(Party())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda party: party.mark(**{ROLE: "ControlPlane"}), "is no worker"),
        (lambda party: party.mark(**{GROUP: "../x"}), "is no worker"),
        (lambda party: party.change(power="poweredOff"), "is poweredOff"),
        (lambda party: party.change(addresses=()), "at no address"),
        (lambda party: party.change(addresses=("10.0.0.8",)), "and the request from 10.0.0.1"),
    ],
)
def test_others_are_refused(change: Callable[[Party], None], reason: str) -> None:
    party = Party()
    change(party)
    with pytest.raises(Refused, match=reason):
        party.verifier().identify(Evidence(party.proof(BODY), BODY, party.address), Admission(Rate(1000, 1000), 1, 1))


def test_behind_a_load_balancer_it_is_asked_back_at_its_own_address() -> None:
    party, admission = Party(), Admission(Rate(1000, 1000), 1, 1)
    evidence = Evidence(party.proof(BODY), BODY, "10.0.0.100")
    assert party.verifier(behind_balancer=True).identify(evidence, admission).group == "nodes-a"
    with pytest.raises(Refused, match="and the request from 10.0.0.100"):
        party.verifier().identify(evidence, admission)
    party.change(addresses=("10.0.0.8",))
    with pytest.raises(Refused, match="is not its own"):
        party.verifier(behind_balancer=True).identify(evidence, admission)


def test_what_a_guest_writes_says_nothing() -> None:
    """Its guestinfo is in extra configuration, too, and is not asked for."""
    party = Party()
    party.mark(**{f"guestinfo.{GROUP}": "others", f"guestinfo.{ROLE}": "ControlPlane"})
    evidence = Evidence(party.proof(BODY), BODY, party.address)
    assert party.verifier().identify(evidence, Admission(Rate(1000, 1000), 1, 1)).group == "nodes-a"


def test_nodes_have_the_names_of_their_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="not by address"):
        cloud.verifier(NAME, {}, named_by_address=True)
    monkeypatch.delenv("VSPHERE_FOLDER", raising=False)
    with pytest.raises(KopsError, match="VSPHERE_FOLDER is not set"):
        cloud.verifier(NAME, {}, named_by_address=False)
    monkeypatch.setenv("VSPHERE_FOLDER", FOLDER)
    assert cloud.verifier(NAME, {}, named_by_address=False).folder == FOLDER


@pytest.mark.parametrize(("held", "is_behind"), [("10.0.0.100", False), ("", True)])
def test_a_load_balancer_is_there_unless_control_planes_hold_the_address(
    monkeypatch: pytest.MonkeyPatch, held: str, is_behind: bool
) -> None:
    monkeypatch.setenv("VSPHERE_FOLDER", FOLDER)
    monkeypatch.setenv("VSPHERE_API_ADDRESS", held)
    assert ("192.0.2.1" in cloud.verifier(NAME, {}, named_by_address=False).balancers) == is_behind
