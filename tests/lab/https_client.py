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
    """The status and the text of the answer to a GET by HTTPS. The server may be anybody.

    Raises ssl.SSLError when the server does not want the client's certificate, or that it has none.
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
    # What the client's own library would keep it from saying.
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    connection = http.client.HTTPSConnection(address, port, timeout=TIMEOUT, context=context)
    try:
        connection.connect()
    except ssl.SSLError as error:
        # Any other word is about what comes after the version, such as the certificate that the client does not have.
        return error.reason == "TLSV1_ALERT_PROTOCOL_VERSION"
    finally:
        connection.close()
    return False


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
