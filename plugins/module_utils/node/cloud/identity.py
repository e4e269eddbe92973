# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who an instance is: how it finds that out and proves it, and how a bootstrap server knows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from ...base.errors import KopsError
from ..system.machine import Machine


class Refused(KopsError):
    """The request is refused. The reason is for the server's journal; the caller learns the status only."""

    status = 403


class Unavailable(KopsError):
    """What is needed to decide does not answer. The caller should try again later, or elsewhere."""


@dataclass(frozen=True)
class Evidence:
    """All of a request that may tell who has sent it.

    proof: the header Authorization. body: of the request. caller: the address that it comes from; behind a load
    balancer this may be the load balancer's.
    """

    proof: str
    body: bytes
    caller: str


@dataclass(frozen=True)
class Identity:
    """An instance, as its cloud knows it. group: its instance group. facts: those that certificates name."""

    group: str
    facts: Mapping[str, str]

    @property
    def node(self) -> str:
        """The name of its Node object."""
        return self.facts["NODE_NAME"]


class Admission(Protocol):
    """The bounds of a server, within which others are asked about a request. Both methods raise Refused beyond them."""

    def ask_cloud(self) -> None:
        """Is called before the cloud is asked."""

    def ask_caller(self) -> AbstractContextManager[float]:
        """Is held while the sender itself is asked, by a connection to it; gives the seconds that this may take.

        It is called after ask_cloud(). Those who answer slowly do not get all places of the server.
        """


class Verifier(Protocol):
    """Knows which instance a request comes from, and that it is a worker of the cluster."""

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        """The instance that has sent a request. Raises Refused, Unavailable.

        It is known by the proof, by the address that the cloud says the instance has, or because the instance itself
        says so when it is asked back. Whatever is asked has a timeout: until then the request holds one of the
        server's few places.
        """


class OwnIdentity(Protocol):
    """The instance that the process runs on. All methods raise KopsError or OSError, which are worth another try."""

    def facts(self) -> dict[str, str]:
        """The facts that the cloud decides (NODE_NAME, INTERNAL_IP, PROVIDER_ID)."""

    def name_by_address(self, facts: Mapping[str, str]) -> str:
        """The node's name in a cluster that names nodes by their addresses. facts: as above."""

    def facts_named(self, names: Collection[str], machine: Machine, *, check: bool) -> dict[str, str]:
        """Those of these facts of a NodeConfig that only this cloud can find out (the paths of disks).

        check: change nothing of the instance.
        """

    def access_to(self, scheme: str) -> Any:
        """What it has for stores whose URLs have this scheme, as the scheme's module in node/stores/ asks for it."""

    def proof(self, body: bytes) -> str:
        """The header ``Authorization`` by which a bootstrap server knows the instance. body: of the request."""
