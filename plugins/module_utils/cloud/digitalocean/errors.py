# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of DigitalOcean as sentences: what is wrong, and what the user can do about it."""

from __future__ import annotations

import json
from typing import Any

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ..errors import AccessDenied, CloudError, Exists, Missing, as_sentence

TOKEN_VARIABLE = "DIGITALOCEAN_ACCESS_TOKEN"  # noqa: S105 (a name)
BAD, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, UNPROCESSABLE, BUSY = 400, 401, 403, 404, 409, 422, 429
# DigitalOcean may have done what it was asked for, or not.
UNKNOWN = frozenset({408, 500, 502, 503, 504})
# HTTP status -> what to do. Others speak for themselves.
STATUSES = {
    UNAUTHORIZED: f"DigitalOcean does not accept the token in {TOKEN_VARIABLE}",
    FORBIDDEN: f"the token in {TOKEN_VARIABLE} lacks a scope",
    BUSY: "DigitalOcean limits the rate of requests, and stayed so over all attempts: run it again later",
}
# Exceptions of requests, by class name (so that this file needs no library) -> what to do.
LIBRARY_ERRORS = {
    "SSLError": "the connection to DigitalOcean is not trusted: check proxies and REQUESTS_CA_BUNDLE",
    "ProxyError": "the proxy to DigitalOcean cannot be reached: check HTTPS_PROXY",
    "ConnectTimeout": "DigitalOcean did not answer: check the network and proxies",
    "ReadTimeout": "DigitalOcean did not answer in time: check the network, and run it again",
    "RetryError": "DigitalOcean refused the request, and stayed so over all attempts: run it again later",
    "ConnectionError": "DigitalOcean cannot be reached: check the network and proxies",
    "InvalidURL": "DIGITALOCEAN_API_URL is no address",
    "MissingSchema": "DIGITALOCEAN_API_URL is no address",
    "InvalidSchema": "DIGITALOCEAN_API_URL is no address",
}
# How it says that an object is being worked on, or used by what is on its way out.
_PASSING = ("pending event", "with members", "processes previous actions")
# Of a volume, whose droplet may be on its way out.
_ATTACHED = ("attached", "detached")
# How it says that something is there already.
_THERE = ("already exists", "already in use", "must be unique", "already been taken")
# In what it says of a limit of the account that is reached.
_LIMITS = ("limit", "quota")


def refused(status: int, text: str, doing: str) -> KopsError:
    """An error for an answer.

    status: of HTTP. text: its body. doing: what was asked for ("make volume a").
    TryAgainLater for what passes by itself, AccessDenied, Missing, Exists, and else CloudError.
    """
    message = message_of(text) or f"HTTP {status}"
    words = message.lower()
    if status in (FORBIDDEN, CONFLICT, UNPROCESSABLE) and any(each in words for each in _PASSING):
        return TryAgainLater(f"cannot {doing} yet: {message}")
    if status == CONFLICT and any(each in words for each in _ATTACHED):
        return TryAgainLater(f"cannot {doing} yet: {message}")
    if status in (CONFLICT, UNPROCESSABLE) and any(each in words for each in _THERE):
        return Exists(f"cannot {doing}: {message}")
    if status in (FORBIDDEN, UNPROCESSABLE) and any(each in words for each in _LIMITS):
        return CloudError(f"cannot {doing}: a limit of the account is reached: ask for more ({message})")
    kind = {FORBIDDEN: AccessDenied, NOT_FOUND: Missing}.get(status, CloudError)
    advice = STATUSES.get(status)
    return kind(f"cannot {doing}: {advice} ({message})" if advice else f"cannot {doing}: {message}")


def message_of(text: str) -> str:
    """What the body of an error says."""
    try:
        body: Any = json.loads(text)
    except ValueError:
        return " ".join(text.split())[:500]
    return str(body.get("message") or body.get("id") or body) if isinstance(body, dict) else str(body)


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("reading volumes"). Nothing of the token is ever in the text.
    """
    return as_sentence(error, where, LIBRARY_ERRORS)
