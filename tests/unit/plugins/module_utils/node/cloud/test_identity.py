# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of verifiers notices what breaks it; the smallest cloud that keeps it is below."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Admission,
    Evidence,
    Identity,
    Refused,
    Unavailable,
)
from ansible_collections.kubeops.kops.tests.support import verifier_contract as contract
from ansible_collections.kubeops.kops.tests.support.verifier_contract import GROUP, Party

_SECRET, _WINDOW = b"of the cloud", 300


def signature(node: str, moment: str, body: bytes) -> str:
    return hmac.new(_SECRET, node.encode() + moment.encode() + body, hashlib.sha256).hexdigest()


class MemoryVerifier:
    """Whom the cloud's secret signs for."""

    def __init__(self, party: MemoryParty) -> None:
        self.party = party

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        node = self.read(evidence)
        admission.ask_cloud()
        return Identity(GROUP, {"NODE_NAME": node, "INTERNAL_IP": self.party.look(node)})

    def read(self, evidence: Evidence) -> str:
        scheme, _space, content = evidence.proof.partition(" ")
        parts = content.split("|")
        if scheme != "memory" or len(parts) != 3 or not parts[1].lstrip("-").isdigit():
            raise Refused("the request carries no proof of identity")
        self.check(parts[1], hmac.compare_digest(parts[2], signature(parts[0], parts[1], evidence.body)))
        return parts[0]

    def check(self, moment: str, is_signed: bool) -> None:
        if not is_signed or abs(time.time() - int(moment)) > _WINDOW:
            raise Refused("the proof of identity is not good for this request")


class MemoryParty:
    """One worker. kind: of its servers' verifiers."""

    node, address = "vm-1", "192.0.2.1"
    kind: type[MemoryVerifier] = MemoryVerifier

    def __init__(self) -> None:
        self.cluster, self.is_there, self.answers, self.questions = "demo", True, True, 0

    def verifier(self) -> MemoryVerifier:
        return self.kind(self)

    def proof(self, body: bytes, age: float = 0) -> str:
        moment = str(int(time.time() - age))
        return f"memory {self.node}|{moment}|{signature(self.node, moment, body)}"

    def look(self, node: str) -> str:
        self.questions += 1
        if not self.answers:
            raise Unavailable("the cloud does not answer")
        if not self.is_there or self.cluster != "demo":
            raise Refused(f"{node} is no worker of the cluster")
        return self.address

    def end(self) -> None:
        self.is_there = False

    def leave(self) -> None:
        self.cluster = "other"

    def break_off(self) -> None:
        self.answers = False

    def asked(self) -> int:
        return self.questions


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: each.__name__)
def test_the_smallest_verifier_keeps_it(check: Callable[[Party], None]) -> None:
    check(MemoryParty())


class BelievesEverything(MemoryVerifier):
    def check(self, moment: str, is_signed: bool) -> None:
        """Nothing is wrong with it."""


class BelievesOldProofs(MemoryVerifier):
    def check(self, moment: str, is_signed: bool) -> None:
        if not is_signed:
            raise Refused("not signed")


class AsksWithoutBounds(MemoryVerifier):
    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        found = self.read(evidence)
        return Identity(GROUP, {"NODE_NAME": found, "INTERNAL_IP": self.party.look(found)})


class AsksForEverybody(MemoryVerifier):
    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        self.party.look("")
        return super().identify(evidence, admission)


class RefusesInstead(MemoryVerifier):
    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        try:
            return super().identify(evidence, admission)
        except Unavailable as error:
            raise Refused(str(error)) from error


class KnowsFromMemory(MemoryVerifier):
    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        return Identity(GROUP, {"NODE_NAME": self.read(evidence), "INTERNAL_IP": self.party.address})


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (BelievesEverything, contract.a_proof_is_for_one_request),
        (BelievesEverything, contract.an_altered_proof_is_refused),
        (BelievesOldProofs, contract.an_old_proof_is_refused),
        (AsksWithoutBounds, contract.the_cloud_is_asked_within_bounds),
        (AsksForEverybody, contract.a_request_without_a_proof_is_refused_at_once),
        (RefusesInstead, contract.a_cloud_that_does_not_answer_refuses_nobody),
        (KnowsFromMemory, contract.what_has_ended_is_refused),
        (KnowsFromMemory, contract.another_clusters_worker_is_refused),
    ],
)
def test_what_breaks_it_is_noticed(broken: type[MemoryVerifier], check: Callable[[Party], None]) -> None:
    party = MemoryParty()
    party.kind = broken
    with pytest.raises((AssertionError, pytest.fail.Exception, Refused)):
        check(party)
