# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of a cloud's verifier: whom a bootstrap server believes, as functions that each must pass.

A cloud takes part by a Party: a fake of it with one worker of the cluster, in the instance group GROUP. What is
particular to a cloud (regions, accounts, forms of its proofs) is tested with its own verifier.
"""

from __future__ import annotations

from typing import Protocol

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.verdicts import Busy
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Evidence,
    Refused,
    Unavailable,
    Verifier,
)

GROUP, BODY, OTHER_BODY = "nodes-a", b'{"apiVersion": "bootstrap"}', b'{"apiVersion": "other"}'
# Longer than any proof is good for, in seconds.
_LATE = 3600.0


class Party(Protocol):
    """node: the name of the worker's Node. address: the worker's, from which it asks."""

    node: str
    address: str

    def verifier(self) -> Verifier:
        """As a server has it that has just started."""

    def proof(self, body: bytes, age: float = 0) -> str:
        """The worker's proof for a request with this body, made so many seconds ago."""

    def end(self) -> None:
        """The worker is terminated."""

    def leave(self) -> None:
        """The worker becomes an instance of another cluster."""

    def break_off(self) -> None:
        """The cloud does not answer any more."""

    def asked(self) -> int:
        """How many questions the cloud has been asked."""


def identify(party: Party, proof: str, body: bytes = BODY, rate: float = 1000) -> tuple[str, dict[str, str]]:
    """Group and facts of who sends a request."""
    found = party.verifier().identify(Evidence(proof, body, party.address), Admission(Rate(rate, rate), 1, 1))
    return found.group, dict(found.facts)


def a_worker_is_known_with_its_group(party: Party) -> None:
    assert identify(party, party.proof(BODY)) == (GROUP, {"NODE_NAME": party.node, "INTERNAL_IP": party.address})


def a_request_without_a_proof_is_refused_at_once(party: Party) -> None:
    for proof in ("", "Bearer abc", "Basic YTpi", "x" * 20000, party.proof(BODY).partition(" ")[0]):
        with pytest.raises(Refused):
            identify(party, proof)
    assert party.asked() == 0


def a_proof_is_for_one_request(party: Party) -> None:
    with pytest.raises(Refused):
        identify(party, party.proof(BODY), OTHER_BODY)


def an_altered_proof_is_refused(party: Party) -> None:
    scheme, _space, content = party.proof(BODY).partition(" ")
    for changed in (content[1:], content[:-8], content[:40] + "AAAA" + content[44:], content[::-1]):
        with pytest.raises((Refused, Unavailable)):
            identify(party, f"{scheme} {changed}")


def an_old_proof_is_refused(party: Party) -> None:
    for age in (_LATE, -_LATE):
        with pytest.raises(Refused):
            identify(party, party.proof(BODY, age))


def what_has_ended_is_refused(party: Party) -> None:
    proof = party.proof(BODY)
    party.end()
    with pytest.raises(Refused):
        identify(party, proof)


def another_clusters_worker_is_refused(party: Party) -> None:
    proof = party.proof(BODY)
    party.leave()
    with pytest.raises(Refused):
        identify(party, proof)


def a_cloud_that_does_not_answer_refuses_nobody(party: Party) -> None:
    """Who asks comes again, rather than giving up."""
    proof = party.proof(BODY)
    party.break_off()
    with pytest.raises(Unavailable):
        identify(party, proof)


def the_cloud_is_asked_within_bounds(party: Party) -> None:
    with pytest.raises(Busy):
        identify(party, party.proof(BODY), rate=0)
    assert party.asked() == 0


CHECKS = (
    a_worker_is_known_with_its_group,
    a_request_without_a_proof_is_refused_at_once,
    a_proof_is_for_one_request,
    an_altered_proof_is_refused,
    an_old_proof_is_refused,
    what_has_ended_is_refused,
    another_clusters_worker_is_refused,
    a_cloud_that_does_not_answer_refuses_nobody,
    the_cloud_is_asked_within_bounds,
)
