# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker is known because it is asked back where its cloud says that it is."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.asked_back import AskedBack, Known
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import header
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Evidence,
    Identity,
    Refused,
    Unavailable,
)

SCHEME, KEY, BODY, ADDRESS = "x-kubeops-test", b"k" * 32, b"{}", "10.0.0.7"


class Bounds:
    """An Admission that counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask_cloud(self) -> None:
        self.asked.append("cloud")

    @contextlib.contextmanager
    def ask_caller(self) -> Iterator[float]:
        self.asked.append("caller")
        yield 3.0


class Verifier(AskedBack):
    """Knows one server, by a number."""

    cloud, scheme, form = "A cloud", SCHEME, re.compile(r"[0-9]+")
    trouble: Exception | None = None

    def known(self, server: str) -> Known:
        if self.trouble:
            raise self.trouble
        if server != "42":
            raise Refused(f"there is no server {server}")
        return Known("nodes", "nodes-1", [ADDRESS])


def identify(
    proof: str, caller: str = ADDRESS, answers: bool | OSError = True, trouble: Exception | None = None
) -> tuple[Identity, list[str]]:
    """The identity, and who was asked."""

    def is_answered(_address: str, _key: bytes, _body: bytes, _seconds: float) -> bool:
        if isinstance(answers, OSError):
            raise answers
        return answers

    bounds, verifier = Bounds(), Verifier(is_answered)
    verifier.trouble = trouble
    return verifier.identify(Evidence(proof, BODY, caller), bounds), bounds.asked


@pytest.mark.parametrize("caller", [ADDRESS, f"::ffff:{ADDRESS}"])
def test_a_worker_is_known(caller: str) -> None:
    found = Identity("nodes", {"NODE_NAME": "nodes-1", "INTERNAL_IP": ADDRESS})
    assert identify(header(SCHEME, "42", KEY), caller) == (found, ["cloud", "caller"])


@pytest.mark.parametrize("proof", ["", header("x-another", "42", KEY), header(SCHEME, "../42", KEY)])
def test_what_is_no_proof_costs_nothing(proof: str) -> None:
    bounds = Bounds()
    with pytest.raises(Refused, match="no proof"):
        Verifier().identify(Evidence(proof, BODY, ADDRESS), bounds)
    assert bounds.asked == []


def test_others_are_refused() -> None:
    proof = header(SCHEME, "42", KEY)
    with pytest.raises(Refused, match="there is no server 43"):
        identify(header(SCHEME, "43", KEY))
    with pytest.raises(Refused, match="server 42 is at 10.0.0.7, and the request from 10.0.0.8"):
        identify(proof, "10.0.0.8")
    with pytest.raises(Refused, match="not its own"):
        identify(proof, answers=False)
    with pytest.raises(Refused, match="does not answer for the request at 10.0.0.7: nobody"):
        identify(proof, answers=OSError("nobody"))


def test_a_cloud_that_does_not_answer_is_another_try() -> None:
    with pytest.raises(Unavailable, match="A cloud: it is slow"):
        identify(header(SCHEME, "42", KEY), trouble=OSError("it is slow"))
