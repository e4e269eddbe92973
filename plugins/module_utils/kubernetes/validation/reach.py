# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hop on the way to the API of a cluster fails: DNS, a connection, TLS, or the API server itself."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field

from ...base.dns_placeholders import PLACEHOLDERS
from ...base.errors import KopsError
from ..client import KubernetesClient
from ..connection import Credentials, RetryPolicy, tls_context
from .cluster import Failure

_SECONDS = 5.0


@dataclass(frozen=True)
class Place:
    """Where an API server may answer. host: a name or an address. what: the host is, such as "the load balancer".

    name: in the certificate of the API server.
    """

    host: str
    port: int
    what: str
    name: str
    credentials: Credentials = field(repr=False)

    def client(self, retry: RetryPolicy) -> KubernetesClient:
        """A client that connects there."""
        return KubernetesClient(f"https://{self.name}:{self.port}", self.credentials, address=self.host, retry=retry)


def unreachable(place: Place) -> Failure | None:
    """The first hop that fails; None if the API server answers and is ready."""
    whole = f"{place.what} ({place.host})"
    try:
        answers = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except OSError as error:
        return Failure("DNS", place.host, f"{whole} has no address: {error.strerror or error}")
    addresses = sorted({str(answer[4][0]) for answer in answers})
    if set(addresses) & {*PLACEHOLDERS.values()}:
        # kops' words, shortened.
        message = (
            f"{whole} still has the address that it was created with ({', '.join(addresses)}): the control plane has"
            " not written its own yet; it does so when it runs"
        )
        return Failure("DNS", place.host, message)
    where = f"{whole}, {', '.join(addresses)} port {place.port}"
    try:
        plain = socket.create_connection((place.host, place.port), _SECONDS)
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
        message = (
            f"no connection to {where}: {reason}. Either no API server is there yet, or spec.api.access does not let"
            " this machine in"
        )
        return Failure("TCP", place.host, message)
    try:
        with tls_context(place.credentials).wrap_socket(plain, server_hostname=place.name):
            pass
    except OSError as error:
        reason = getattr(error, "verify_message", "") or error.strerror or str(error) or "the connection was closed"
        return Failure("TLS", place.host, f"no TLS with {where}, as {place.name}: {reason}")
    try:
        place.client(RetryPolicy(deadline=0, timeout=_SECONDS)).text("/readyz")
    except KopsError as error:
        return Failure("APIServer", place.host, str(error))
    return None
