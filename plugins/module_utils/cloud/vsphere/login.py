# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The login of vCenter: variables of the environment, as Terraform's provider has them, and whom it trusts."""

from __future__ import annotations

import hashlib
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import NoLogin
from .errors import CA_FILE, INSECURE, PASSWORD, SERVER, THUMBPRINT, USER

PORT = 443
# Hexadecimal digits of a fingerprint -> its hash.
_FINGERPRINTS = {40: "sha1", 64: "sha256"}


@dataclass(frozen=True)
class Trust:
    """Whom a client takes for vCenter. By default, it trusts the authorities that the system trusts.

    insecure: anybody. thumbprint: the certificate with this fingerprint, and no other. authority: a file with
    certificates of authorities.
    """

    insecure: bool = False
    thumbprint: str = ""
    authority: str = ""


@dataclass(frozen=True)
class Login:
    """Where vCenter is, and who logs in."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    trust: Trust = Trust()

    @property
    def url(self) -> str:
        """Of vCenter, without a path."""
        return f"https://{self.host}:{self.port}"


def login(server: str = "", environment: Mapping[str, str] | None = None) -> Login:
    """The login of the environment. server: what the specification says; "" if it leaves that to the environment.

    Raises NoLogin if something is missing, or if the login is for another vCenter: it gets nobody else's password.
    """
    given = os.environ if environment is None else environment
    of_login = given.get(SERVER, "").strip()
    missing = [name for name in (USER, PASSWORD) if not given.get(name)]
    if not server and not of_login:
        missing.insert(0, SERVER)
    if missing:
        raise NoLogin(f"there is no login for vCenter: set {', '.join(missing)}")
    host, port = host_and_port(server or of_login)
    if of_login and (host, port) != host_and_port(of_login):
        raise NoLogin(f"the specification names vCenter {server}, and the login in {SERVER} is for {of_login}")
    thumbprint = plain_thumbprint(given[THUMBPRINT]) if given.get(THUMBPRINT) else ""
    trust = Trust(given.get(INSECURE, "").lower() in ("1", "true", "yes"), thumbprint, given.get(CA_FILE, ""))
    return Login(host, port, given[USER], given[PASSWORD], trust)


def host_and_port(server: str) -> tuple[str, int]:
    """Of a name, an address, or a URL. Raises NoLogin if the port is no number."""
    place = server.partition("://")[2] or server
    place = place.partition("/")[0].rpartition("@")[2].lower()
    if place.startswith("["):
        host, _bracket, rest = place[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _colon, port = place.partition(":")
    if port and not port.isdecimal():
        raise NoLogin(f"{server} is no address of vCenter: its port is no number")
    return host, int(port or PORT)


class OtherCertificate(ssl.SSLError):
    """A server has another certificate than that of the fingerprint."""


class _Pinned(ssl.SSLContext):
    """A context that lets nobody in but the certificate with a fingerprint, on each connection.

    pyVmomi compares fingerprints on its first connection only, and trusts anybody on the further ones.
    """

    thumbprint = ""

    def wrap_socket(self, *arguments: Any, **options: Any) -> ssl.SSLSocket:
        """As of the library."""
        wrapped = super().wrap_socket(*arguments, **options)
        certificate = wrapped.getpeercert(True) or b""
        if hashlib.new(_FINGERPRINTS[len(self.thumbprint)], certificate).hexdigest() != self.thumbprint:
            wrapped.close()
            raise OtherCertificate("the certificate has another fingerprint")
        return wrapped


def tls_context(login: Login) -> ssl.SSLContext:
    """For all connections to vCenter."""
    trust = login.trust
    if not trust.thumbprint and not trust.insecure:
        return ssl.create_default_context(cafile=trust.authority or None)
    context: ssl.SSLContext = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if trust.thumbprint:
        context = pinned = _Pinned(ssl.PROTOCOL_TLS_CLIENT)
        pinned.thumbprint = trust.thumbprint
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def plain_thumbprint(thumbprint: str) -> str:
    """A fingerprint in small digits without colons. Raises NoLogin if it is none."""
    digits = thumbprint.replace(":", "").strip().lower()
    if len(digits) not in _FINGERPRINTS or set(digits) - set("0123456789abcdef"):
        raise NoLogin(f"{THUMBPRINT} must be a fingerprint by SHA-256 or SHA-1, in hexadecimal digits")
    return digits
