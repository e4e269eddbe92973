# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Direct probes of a cluster: its API servers, its DNS, its serving certificates."""

from __future__ import annotations

import ipaddress
import random
import socket
import ssl
import struct
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from ..base.errors import KopsError
from .client import KubernetesClient
from .connection import Credentials, RetryPolicy, read_kubeconfig
from .keys.trust import AUTHORITIES, given_authorities, outdated, recorded
from .nodes.eviction import controller_of, title
from .nodes.readiness import is_ready
from .validation.cluster import Failure

_DAY = 86400
_SECONDS = 5.0
_KUBELET_PORT = 10250
_DNS_PORT = 53
_TRIES = 2
_TYPES = {4: 1, 6: 28}  # A, AAAA
_PARALLEL = 16


def api_failures(kubeconfig: str, addresses: Sequence[str]) -> list[Failure]:
    """Control planes whose API server does not answer or is not ready."""
    server, credentials = read_kubeconfig(kubeconfig)
    retry = RetryPolicy(deadline=0, timeout=_SECONDS)

    def ask(address: str) -> list[Failure]:
        try:
            KubernetesClient(server, credentials, address=address, retry=retry).text("/readyz")
        except KopsError as error:
            return [Failure("APIServer", address, str(error))]
        return []

    return _all(ask, addresses)


def dns_failures(client: KubernetesClient, domain: str) -> list[Failure]:
    """Whether the cluster's DNS resolves the API server's service. It is asked from this machine, as from a pod."""
    service = client.find("/api/v1/namespaces/kube-system/services/kube-dns")
    if service is None:
        return [Failure("DNS", "kube-dns", "there is no such service in kube-system")]
    expected = client.get("/api/v1/namespaces/default/services/kubernetes")["spec"]["clusterIP"]
    server, name = service["spec"]["clusterIP"], f"kubernetes.default.svc.{domain}"
    try:
        answers = look_up(server, name, ipaddress.ip_address(expected).version)
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
        return [Failure("DNS", "kube-dns", f"{server} cannot resolve {name}: {reason}")]
    if expected in answers:
        return []
    message = f"{server} resolves {name} to {', '.join(answers) or 'no address'} instead of {expected}"
    return [Failure("DNS", "kube-dns", message)]


def certificate_failures(
    client: KubernetesClient, kubeconfig: str, addresses: Sequence[str], days: float
) -> list[Failure]:
    """Serving certificates of API servers and kubelets that expire within so many days or are not valid."""
    server, credentials = read_kubeconfig(kubeconfig)
    parts = urlsplit(server)
    places = [("API server", address, address, parts.port or 443) for address in addresses]
    for node in client.list(client.kind("v1", "Node").path()):
        status = node.get("status") or {}
        address = next((each["address"] for each in status.get("addresses") or () if each["type"] == "InternalIP"), "")
        port = status.get("daemonEndpoints", {}).get("kubeletEndpoint", {}).get("Port") or _KUBELET_PORT
        # A node that is not ready is reported elsewhere.
        if is_ready(node) and address:
            places.append(("kubelet", node["metadata"]["name"], address, port))

    def look(place: tuple[str, str, str, int]) -> list[Failure]:
        kind, name, address, port = place
        try:
            left = seconds_left(address, port, credentials)
        except (OSError, ValueError) as error:
            message = getattr(error, "verify_message", "") or str(error) or type(error).__name__
            return [Failure("Certificate", name, f"the certificate of the {kind} cannot be checked: {message}")]
        if left > days * _DAY:
            return []
        when = f"expires in {left / _DAY:.0f} days" if left > 0 else "has expired"
        return [Failure("Certificate", name, f"the certificate of the {kind} {when}")]

    return _all(look, places)


def trust_failures(client: KubernetesClient, kubeconfig: str, addresses: Sequence[str]) -> list[Failure]:
    """Pods that do not know the cluster's present keys, and namespaces whose new pods do not trust an API server."""
    failures = [
        Failure(
            "Pod",
            title(pod),
            f"started on {pod['spec']['nodeName']} before the last step of a key rotation,"
            " so it may not trust the API server after the next one;"
            + (" kubeops.kops.rolling_update restarts it" if controller_of(pod) else " delete it and create it again"),
        )
        for pod in outdated(client, recorded(client))
    ]
    port = urlsplit(read_kubeconfig(kubeconfig)[0]).port or 443
    namespaces: dict[str, list[str]] = {}
    for namespace, authorities in given_authorities(client).items():
        namespaces.setdefault(authorities, []).append(namespace)

    def look(place: tuple[str, str]) -> list[Failure]:
        authorities, address = place
        try:
            seconds_left(address, port, Credentials(authorities))
        except (ssl.SSLCertVerificationError, ValueError) as error:
            reason = getattr(error, "verify_message", "") or str(error)
        except OSError:
            return []  # That it does not answer is reported elsewhere.
        else:
            return []
        where = ", ".join(sorted(namespaces[authorities]))
        message = f"pods of the namespaces {where} do not trust the API server at {address}: {reason}"
        return [Failure("ConfigMap", AUTHORITIES, message)]

    return failures + _all(look, [(authorities, address) for authorities in namespaces for address in addresses])


def seconds_left(address: str, port: int, credentials: Credentials) -> float:
    """How long the serving certificate is valid. Raises OSError if it is not signed by the CA."""
    context = ssl.create_default_context(cadata=credentials.authority)
    context.check_hostname = False
    with socket.create_connection((address, port), _SECONDS) as plain, context.wrap_socket(plain) as connection:
        certificate: Any = connection.getpeercert()
    return ssl.cert_time_to_seconds(certificate["notAfter"]) - time.time()


def look_up(server: str, name: str, version: int) -> list[str]:
    """Addresses of a name, from a DNS server over UDP. version: 4 or 6. Raises OSError."""
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    identifier = random.randrange(1 << 16)  # noqa: S311 - matches answers to queries, is no secret
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split("."))
    question = labels + b"\0" + struct.pack(">HH", _TYPES[version], 1)
    query = struct.pack(">HHHHHH", identifier, 0x0100, 1, 0, 0, 0) + question
    last: OSError = TimeoutError()
    for _attempt in range(_TRIES):
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.settimeout(_SECONDS / _TRIES)
            try:
                asking.connect((server, _DNS_PORT))
                asking.send(query)
                return _addresses(asking.recv(4096), identifier, len(query), _TYPES[version])
            except OSError as error:
                last = error
    raise last


def _addresses(answer: bytes, identifier: int, start: int, wanted: int) -> list[str]:
    """The addresses in an answer to a query of length start. Raises OSError if the answer is an error or not valid."""
    try:
        got, flags, _questions, count = struct.unpack_from(">HHHH", answer)
        if got != identifier or flags & 0xF:
            raise OSError(f"the answer is an error, code {flags & 0xF}")
        position, found = start, []
        for _record in range(count):
            # The name is a pointer, or labels that end in a pointer or an empty label.
            while answer[position] and answer[position] < 0xC0:
                position += 1 + answer[position]
            position += 2 if answer[position] else 1
            kind, _class, _ttl, length = struct.unpack_from(">HHIH", answer, position)
            position += 10
            if kind == wanted:
                found.append(str(ipaddress.ip_address(answer[position : position + length])))
            position += length
    except (struct.error, IndexError, ValueError) as error:
        raise OSError("the answer is not a valid DNS message") from error
    return found


def _all(ask: Any, places: Iterable[Any]) -> list[Failure]:
    with ThreadPoolExecutor(_PARALLEL) as pool:
        return [failure for failures in pool.map(ask, places) for failure in failures]
