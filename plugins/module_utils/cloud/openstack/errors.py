# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of OpenStack as sentences: what is wrong, and what the user can do about it."""

from __future__ import annotations

import json
from typing import Any

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ..errors import AccessDenied, CloudError, Exists, Missing, as_sentence

BAD, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, TOO_LARGE, BUSY = 400, 401, 403, 404, 409, 413, 429
# The service may have done what it was asked for, or not.
UNKNOWN = frozenset({408, 500, 502, 503, 504})
# Of these, what a proxy says that has waited for it.
TIMEOUTS = frozenset({408, 504})
_SET = "set OS_CLOUD, or the variables OS_AUTH_URL and so on"
# HTTP status -> what to do. Others speak for themselves.
STATUSES = {
    UNAUTHORIZED: "OpenStack does not accept the login: check OS_CLOUD, or the variables OS_AUTH_URL and so on",
    FORBIDDEN: "the login lacks a role, or a policy of the cloud forbids it",
}
# Exceptions of keystoneauth and openstacksdk, by class name (so that this file needs no library) -> what to do.
LIBRARY_ERRORS = {
    "ConfigException": f"there is no login for OpenStack: {_SET}",
    "MissingRequiredOptions": f"the login for OpenStack is incomplete: {_SET}",
    "Unauthorized": STATUSES[UNAUTHORIZED],
    "Forbidden": STATUSES[FORBIDDEN],
    "ForbiddenException": STATUSES[FORBIDDEN],
    "SSLFailure": "the connection to OpenStack is not trusted: check proxies and OS_CACERT",
    "ConnectTimeout": "OpenStack did not answer: check the network and proxies",
    "ConnectFailure": "OpenStack cannot be reached: check the network, proxies and OS_AUTH_URL",
    "EndpointNotFound": "the cloud's catalogue has no such service in this region: check OS_REGION_NAME",
}
# What the library says of a service that a cloud does not have.
_NOT_IN_CATALOGUE = "not present in the service catalog"
# How services begin that something is being worked on, or used by what is on its way out.
_PASSING = ("immutable", "in use", "still has", "one or more ports", "invalid state", "status must be")
# In what services say of a quota that is used up; each has its own status for it, Cinder one of its own.
_QUOTA = "quota"


def refused(status: int, text: str, doing: str) -> KopsError:
    """An error for an answer of a service.

    status: of HTTP. text: its body. doing: what was asked for ("make port api").
    TryAgainLater for what passes by itself, AccessDenied, Missing, Exists, and else CloudError.
    """
    message = message_of(text) or f"HTTP {status}"
    words = message.lower()
    if status == TOO_LARGE or (status in (FORBIDDEN, CONFLICT) and _QUOTA in words):
        return CloudError(f"cannot {doing}: a quota of the project is used up: ask for more ({message})")
    if status == BUSY or (status in (BAD, CONFLICT) and any(word in words for word in _PASSING)):
        return TryAgainLater(f"cannot {doing} yet: {message}")
    kind = {FORBIDDEN: AccessDenied, NOT_FOUND: Missing, CONFLICT: Exists}.get(status, CloudError)
    advice = STATUSES.get(status)
    return kind(f"cannot {doing}: {advice} ({message})" if advice else f"cannot {doing}: {message}")


def message_of(text: str) -> str:
    """What the body of an error says: each service wraps it differently."""
    try:
        body: Any = json.loads(text)
    except ValueError:
        return " ".join(text.split())[:500]
    inner = next(iter(body.values()), body) if isinstance(body, dict) and len(body) == 1 else body
    if not isinstance(inner, dict):
        return str(inner)
    return str(inner.get("message") or inner.get("faultstring") or inner.get("detail") or inner)


_KINDS: dict[str, type[CloudError]] = {
    **dict.fromkeys(("Forbidden", "ForbiddenException"), AccessDenied),
    **dict.fromkeys(("NotFoundException", "ResourceNotFound"), Missing),
}


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("reading networks"). Nothing of the login is ever in the text.
    """
    advice = LIBRARY_ERRORS
    if _NOT_IN_CATALOGUE in str(error):
        # The library takes it for a login that is wrong.
        advice = {**LIBRARY_ERRORS, "ConfigException": LIBRARY_ERRORS["EndpointNotFound"]}
    return as_sentence(error, where, advice, _KINDS)
