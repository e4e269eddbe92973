# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hop on the way to the API of a cluster fails, and what to do."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...base.dns_placeholders import PLACEHOLDERS
from ...base.errors import KopsError
from ..client import KubernetesClient
from ..connection import Credentials, RetryPolicy, Transport, tls_context
from .cluster import Failure

_SECONDS = 5.0
# OpenSSL's codes of what is wrong with a certificate (x509_vfy.h).
_NOT_YET_VALID, _EXPIRED, _OTHER_NAMES = 9, 10, (62, 64)
# A check of /readyz?verbose that fails.
_FAILED_CHECK = re.compile(r"^\[-\]([\w./-]+)", re.MULTILINE)
_BAD_REQUEST, _UNKNOWN, _FORBIDDEN, _BUSY = 400, 401, 403, 429


@dataclass(frozen=True)
class Place:
    """Where an API server may answer. host: a name or an address. what: the host is, such as "the load balancer".

    name: in the certificate of the API server. access: ranges of addresses that are let in; empty if nobody knows.
    balanced: whether a load balancer of the cluster stands before the API servers.
    """

    host: str
    port: int
    what: str
    name: str
    credentials: Credentials = field(repr=False)
    access: Sequence[str] = ()
    balanced: bool = False

    def client(self, retry: RetryPolicy, *, check: bool = False) -> KubernetesClient:
        """A client that connects there. check: one that stores nothing."""
        server = f"https://{self.name}:{self.port}"
        return KubernetesClient(server, self.credentials, address=self.host, retry=retry, check=check)


def unreachable(place: Place) -> Failure | None:
    """The first hop that fails, and what to do; None if the API server answers and is ready."""
    try:
        answers = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except OSError as error:
        message = (
            f"{place.what} has no address ({error.strerror or error}); look whether the record exists and this"
            " machine asks the right DNS servers"
        )
        return Failure("DNS", place.host, message)
    addresses = sorted({str(answer[4][0]) for answer in answers})
    if set(addresses) & {*PLACEHOLDERS.values()}:
        # kops' words, shortened.
        message = (
            f"{place.what} still has the address that it was created with ({', '.join(addresses)}); the control plane"
            " writes its own when it runs, so look at its console"
        )
        return Failure("DNS", place.host, message)
    try:
        plain = socket.create_connection((place.host, place.port), _SECONDS)
    except OSError as error:
        return _no_connection(place, addresses, error)
    try:
        with tls_context(place.credentials).wrap_socket(plain, server_hostname=place.name):
            pass
    except OSError as error:
        plain.close()
        return Failure("TLS", place.host, f"{place.what} {_no_tls(place, error)}")
    message = _not_ready(place)
    return Failure("APIServer", place.host, f"{place.what} {message}") if message else None


def _no_connection(place: Place, addresses: Sequence[str], error: OSError) -> Failure:
    at = f"{place.what} at {_in_words(addresses, place)} port {place.port}"
    if isinstance(error, ConnectionRefusedError):
        message = (
            f"{at}: {error.strerror}; no API server listens there yet, so look at the console of the control plane"
        )
        return Failure("TCP", place.host, message)
    reason = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
    own = _own_address(addresses[0], place.port)
    ranges = ", ".join(place.access)
    if own and any(_holds(each, own) for each in place.access):
        advice = f"spec.api.access lets this machine ({own}) in, so look at routes and at other firewalls"
    elif own and place.access and (own.is_global or not ipaddress.ip_address(addresses[0]).is_global):
        message = (
            f"{at}: {reason}; spec.api.access ({ranges}) does not let this machine ({own}) in, so add its address and"
            " run kubeops.kops.update_cluster"
        )
        return Failure("SecurityGroup", place.host, message)
    elif place.access:
        advice = (
            f"spec.api.access lets only {ranges} in, so add the public address of this machine if it is none of"
            " these, and run kubeops.kops.update_cluster"
        )
    else:
        advice = "look at routes and firewalls, and whether the control plane runs"
    return Failure("TCP", place.host, f"{at}: {reason}; {advice}")


def _in_words(addresses: Sequence[str], place: Place) -> str:
    """Addresses, or "this address" if the host is one, which the failure names already."""
    return "this address" if [place.host] == list(addresses) else ", ".join(addresses)


def _own_address(other: str, port: int) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address of this machine from which it reaches another one; None if there is no way. Nothing is sent."""
    family = socket.AF_INET6 if ":" in other else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, port))
            return ipaddress.ip_address(str(probe.getsockname()[0]))
    except OSError:
        return None


def _holds(text: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    try:
        return address in ipaddress.ip_network(text, strict=False)
    except (TypeError, ValueError):
        # Also "pl-...", a list of prefixes that the cloud keeps.
        return False


def _no_tls(place: Place, error: OSError) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        reason = error.strerror or str(error) or "connection closed"
        return f"breaks TLS off ({reason}); no API server answers behind it, so look at the control planes"
    if error.verify_code in _OTHER_NAMES:
        return f"has a certificate that is not for {place.name}; another server is there, so correct the address"
    if error.verify_code == _EXPIRED:
        return (
            "has a certificate that has expired; look at the clocks, or replace the control plane with"
            " kubeops.kops.rolling_update"
        )
    if error.verify_code == _NOT_YET_VALID:
        return "has a certificate that is not valid yet; look at the clocks of this machine and of the control plane"
    return (
        f"has a certificate that the CA of the cluster has not signed ({error.verify_message}); another server is"
        " there, or one from before a key rotation that kubeops.kops.rolling_update replaces"
    )


def _not_ready(place: Place) -> str:
    """What is wrong with the answer of the API server; "" for one that is ready."""
    transport = Transport(
        f"https://{place.name}:{place.port}",
        place.credentials,
        RetryPolicy(deadline=0, timeout=_SECONDS),
        address=place.host,
    )
    try:
        status, answer = transport.request("GET", "/readyz?verbose", None, "")
    except KopsError as error:
        return f"does not answer: {error}"
    finally:
        transport.close()
    if status < _BAD_REQUEST:
        return ""
    if status == _UNKNOWN:
        return (
            "does not accept the administrator's certificate (401); it has expired or a clock is wrong, or the API"
            " server does not know the newest CA yet, which kubeops.kops.rolling_update changes"
        )
    if status == _FORBIDDEN:
        return "refuses an administrator (403); look at spec.authorization and at proxies on the way"
    if status == _BUSY:
        return "has too many requests (429); try again later, or look which clients ask so often"
    failing = _FAILED_CHECK.findall(answer.decode(errors="replace"))
    if failing:
        advice = "look at etcd on the control planes" if "etcd" in failing else "wait, or look at its log"
        return f"is not ready (status {status}): the checks {', '.join(failing)} fail; {advice}"
    return f"is not ready (status {status}); it starts, stops or misses etcd, so wait or look at the control planes"
