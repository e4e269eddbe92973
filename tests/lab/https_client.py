# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTPS requests to a cluster's ports: with and without client certificates, and with a given version of TLS."""

from __future__ import annotations

import http.client
import pathlib
import ssl
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

TIMEOUT = 5


@dataclass(frozen=True)
class Identity:
    """A client certificate and its key: files of PEM."""

    certificate: pathlib.Path
    key: pathlib.Path


def ask(
    address: str, port: int, path: str, identity: Identity | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Status and text of the answer to a GET over HTTPS. The server's certificate is not verified.

    Raises ssl.SSLError if the server rejects the client's certificate, or its absence.
    """
    context = _context()
    if identity is not None:
        context.load_cert_chain(identity.certificate, identity.key)
    connection = http.client.HTTPSConnection(address, port, timeout=TIMEOUT, context=context)
    try:
        connection.request("GET", path, headers=dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        connection.close()


def refused_version(address: str, port: int, version: ssl.TLSVersion) -> bool:
    """Whether the server itself refuses this version of TLS."""
    context = _context()
    # The client's library would refuse old versions by default.
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    connection = http.client.HTTPSConnection(address, port, timeout=TIMEOUT, context=context)
    try:
        connection.connect()
    except ssl.SSLError as error:
        # Other errors are about later steps, such as the missing client certificate.
        return error.reason == "TLSV1_ALERT_PROTOCOL_VERSION"
    finally:
        connection.close()
    return False


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
