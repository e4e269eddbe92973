# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which server a request comes from, in clouds without documents of identity: the server is asked back.

What a caller says of itself only tells for which server the cloud is asked. The request then has to come from an
address that the cloud says this server has, or from a load balancer of the cluster, and has to be answered for at that
address of the server (challenge.py): pods of a server may have its address outwards, but cannot answer on a port of
their host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...base.errors import KopsError
from . import challenge
from .identity import Admission, Evidence, Identity, Refused, Unavailable

_V4_IN_V6 = "::ffff:"

IsAnswered = Callable[[str, bytes, bytes, float], bool]


class Anywhere(tuple[str, ...]):
    """The addresses that a load balancer connects from, where nobody tells them."""

    def __contains__(self, address: object) -> bool:
        return True


@dataclass(frozen=True)
class Known:
    """A worker of the cluster, as its cloud knows it.

    node: the name of its Node. addresses: its own. balancers: addresses of load balancers that requests may come
    through; then it is asked back at the first of its own.
    """

    group: str
    node: str
    addresses: Sequence[str]
    balancers: Sequence[str] = ()


class AskedBack:
    """Tells servers of one cluster; a cloud's verifier says what it knows of one. See Verifier.

    cloud: its title. scheme: of the header. form: of what servers call themselves, so that nothing else is asked for.
    is_answered: as challenge.is_answered, for tests.
    """

    cloud: ClassVar[str]
    scheme: ClassVar[str]
    form: ClassVar[re.Pattern[str]]

    def __init__(self, is_answered: IsAnswered = challenge.is_answered) -> None:
        self._is_answered = is_answered

    def known(self, server: str) -> Known:
        """A server that runs, and is a worker of the cluster. Raises Refused for others, and KopsError, OSError."""
        raise NotImplementedError

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        """See Verifier. What costs nothing is looked at first."""
        said = challenge.read_header(self.scheme, evidence.proof)
        if said is None or not self.form.fullmatch(said[0]):
            raise Refused("the request carries no proof of identity")
        server, key = said
        admission.ask_cloud()
        try:
            known = self.known(server)
        except (OSError, KopsError, ValueError) as error:
            if isinstance(error, (Refused, Unavailable)):
                raise
            raise Unavailable(f"{self.cloud}: {error}") from error
        caller = evidence.caller[len(_V4_IN_V6) :] if evidence.caller.startswith(_V4_IN_V6) else evidence.caller
        address = known.addresses[0] if known.addresses and caller in known.balancers else caller
        if address not in known.addresses:
            places = ", ".join(known.addresses) or "no address"
            raise Refused(f"server {server} is at {places}, and the request from {caller}")
        with admission.ask_caller() as seconds:
            try:
                is_answered = self._is_answered(address, key, evidence.body, seconds)
            except OSError as error:
                raise Refused(f"server {server} does not answer for the request at {address}: {error}") from error
        if not is_answered:
            raise Refused(f"server {server} at {address} says that the request is not its own")
        return Identity(known.group, {"NODE_NAME": known.node, "INTERNAL_IP": known.addresses[0]})
