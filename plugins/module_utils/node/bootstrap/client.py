# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node's side of the bootstrap protocol: it makes its keys itself, and asks for certificates in one request.

Keys are kept in memory of the machine (/run) until the node has its certificates: a server certifies no second key for
an instance, so that a request which is repeated must be about the same ones.
"""

from __future__ import annotations

import os
import shutil
import ssl
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Callable

from ...base.errors import KopsError
from ...exchange.bootstrap import JSON, PATH, Answer, Request
from ..keys import issue
from ..system import atomic
from ..system.clock import clock_note
from ..system.machine import Machine
from .connection import Response, ask, tls_context

_KEYS = "/run/kubeops/keys"
_REFUSALS = {
    401: "does not know this instance",
    403: "does not accept what proves the identity of this instance; the server's journal says why",
    409: "has certified other keys for this instance, or its node is ready already; the server's journal says why",
    413: "does not take a request of this size",
    429: "has too much to do",
}


class Refused(KopsError):
    """The server's answer is no."""


def bootstrap(
    servers: Mapping[str, Any],
    prove: Callable[[bytes], str],
    public_keys: Mapping[str, str],
    node_config: str,
    shown: str = "",
    keysets: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Answer:
    """Ask for certificates, and for a NodeConfig. Raises OSError if no server answers, Refused, MessageError.

    prove: gives the header ``Authorization`` for a body. node_config: its hash, "" if the node has it.
    shown: a certificate of the node with its key (PEM), so that a node that works gets certificates for other keys.
    keysets: as of Request.
    """
    body = Request(public_keys, node_config, keysets).text()
    headers = {"Authorization": prove(body), "Content-Type": JSON}
    try:
        response = ask(servers, "POST", PATH, body, headers, tls=_showing(servers, shown) if shown else None)
    except OSError:
        # Servers end the connection if a certificate has expired, or is of an authority that they trust no more.
        if not shown:
            raise
        response = ask(servers, "POST", PATH, body, headers)
    if response.status != 200:
        raise Refused(_refusal(response))
    answer = Answer.read(response.content)
    missing = sorted(public_keys.keys() - answer.certificates.keys())
    if missing:
        raise Refused(f"the bootstrap server has not issued {', '.join(missing)}")
    return answer


def _showing(servers: Mapping[str, Any], shown: str) -> ssl.SSLContext:
    """Raises OSError if it cannot be used."""
    tls = tls_context(servers)
    # The ssl library reads keys only from files; this one is in memory.
    descriptor = os.memfd_create("client")
    try:
        os.write(descriptor, shown.encode())
        tls.load_cert_chain(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
    return tls


def keys(machine: Machine, names: Iterable[str]) -> dict[str, str]:
    """The private keys of this boot, PEM, by the name of their certificates. Raises KopsError."""
    directory = machine.path(_KEYS)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    found = {}
    for name in names:
        path = os.path.join(directory, f"{name}.key")
        found[name] = machine.read_text(f"{_KEYS}/{name}.key")
        if not found[name]:
            found[name], _public = issue.generate_key()
            atomic.write(path, [found[name].encode()], mode=0o600, uid=os.getuid(), gid=os.getgid())
    return found


def forget_keys(machine: Machine) -> None:
    """Remove them: the node has its certificates, and the keys with these."""
    shutil.rmtree(machine.path(_KEYS), ignore_errors=True)


def _refusal(response: Response) -> str:
    said = _REFUSALS.get(response.status, f"answered {response.status}")
    return f"the bootstrap server {said}{clock_note(response.date)}"
