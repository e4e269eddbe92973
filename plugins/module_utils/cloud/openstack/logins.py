# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logins with an application credential: what Keystone says of it, and which services refuse it.

A service compares requests with access rules only if it is told its own type (service_type in the section
keystone_authtoken of its configuration). One that is not refuses all requests of a credential with rules.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from . import access_rules
from .errors import FORBIDDEN, UNAUTHORIZED, UNKNOWN, explain

# Service -> the version that its endpoint in the catalogue need not have, and what is asked of it.
_QUESTIONS = {
    access_rules.COMPUTE: ("/v2.1", "/servers/detail?limit=1"),
    access_rules.NETWORK: ("/v2.0", "/networks?limit=1"),
    access_rules.VOLUMES: ("/v3", "/volumes?limit=1"),
    access_rules.BALANCERS: ("/v2", "/lbaas/loadbalancers?limit=1"),
    access_rules.NAMES: ("/v2", "/zones?limit=1"),
    # There is none; a service that knows its type looks for it.
    access_rules.KEYS: ("/v1", "/secrets/00000000-0000-0000-0000-000000000000"),
}
_SECONDS = 30
_VERSION = re.compile(r"/v\d[\d.]*(?:/|$)")
# For a service that does not answer, or only that it cannot.
SILENCE = 0
_REFUSALS = (UNAUTHORIZED, FORBIDDEN)
# Seconds between attempts: a new credential may not be known everywhere yet.
_PAUSES = (1.0, 2.0, 4.0)


class Asks(Protocol):
    """A login, as far as it asks services."""

    def status(self, service: str, path: str) -> int:
        """The HTTP status of an answer, or SILENCE. service: its type. path: below the version of its API."""


class Accepted(Asks, Protocol):
    """A login with an application credential that Keystone accepts. name, rules: what Keystone says of it."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Sequence[Mapping[str, Any]]: ...


@dataclass(frozen=True)
class Login:
    """One of keystoneauth. auth: None is the session's own. place: interface and region of endpoints."""

    session: Any = field(repr=False)
    auth: Any = field(repr=False)
    place: Mapping[str, str]
    name: str = ""
    rules: Sequence[Mapping[str, Any]] = ()

    def status(self, service: str, path: str) -> int:
        """See Asks."""
        from keystoneauth1 import exceptions

        try:
            endpoint = str(self.session.get_endpoint(self.auth, service_type=service, **self.place) or "").rstrip("/")
            version, _path = _question(service) or ("", "")
            if not _VERSION.search(urlsplit(endpoint).path):
                endpoint += version
            answer = self.session.get(
                endpoint + path, auth=self.auth, authenticated=True, raise_exc=False, timeout=_SECONDS
            )
        except exceptions.Unauthorized:
            # It had to log in anew.
            return UNAUTHORIZED
        except exceptions.ClientException:
            return SILENCE
        return SILENCE if answer.status_code in UNKNOWN else int(answer.status_code)


@dataclass(frozen=True)
class Found:
    """refusing: the services that refuse a credential because of its rules, by their types. silent: did not answer."""

    refusing: list[str]
    silent: list[str]


def log_in(connection: Any, url: str, credential: Mapping[str, str], place: Mapping[str, str]) -> Login | None:
    """A login with an application credential; None if Keystone does not know it. Raises KopsError.

    connection: of openstacksdk, whose session is used. url: of Keystone. credential: id and secret. place: see Login.
    """
    from keystoneauth1 import exceptions
    from keystoneauth1.identity.v3 import ApplicationCredential

    auth = ApplicationCredential(
        url, application_credential_id=credential["id"], application_credential_secret=credential["secret"]
    )
    try:
        access: Any = auth.get_access(connection.session)
    except (exceptions.Unauthorized, exceptions.NotFound):
        # What has been deleted is not found.
        return None
    except exceptions.ClientException as error:
        raise explain(error, "logging in with the application credential of the cluster") from error
    told = access.application_credential or {}
    return Login(connection.session, auth, place, str(told.get("name") or ""), tuple(told.get("access_rules") or ()))


def ask_all(credential: Asks, own: Asks, rules: Collection[str], pause: Callable[[float], None] = time.sleep) -> Found:
    """Ask each service with a credential: once, and again if it refuses or does not answer. rules: of the credential.

    own: the login that has made it: what that may not ask is no matter of rules.
    """
    left, said = _asked(rules), dict[str, int]()
    for seconds in (0.0, *_PAUSES):
        if left:
            pause(seconds)
        said = {service: credential.status(service, path) for service, path in left.items()}
        left = {service: path for service, path in left.items() if said[service] in (SILENCE, *_REFUSALS)}
    refused = {service: path for service, path in left.items() if said[service] != SILENCE}
    return Found(
        [service for service, path in refused.items() if own.status(service, path) not in _REFUSALS],
        [service for service in left if service not in refused],
    )


def _asked(rules: Collection[str]) -> dict[str, str]:
    """Type of a service -> what it is asked, which a rule allows."""
    found: dict[str, str] = {}
    for service, method, path in (each.split(" ", 2) for each in sorted(rules)):
        question = _question(service)
        if question is not None:
            found[service] = question[1]
        elif method == "GET" and "*" not in path:
            # A container of Swift.
            found.setdefault(service, f"{path}?limit=1")
    return found


def _question(service: str) -> tuple[str, str] | None:
    return _QUESTIONS.get(access_rules.main_type(service))
