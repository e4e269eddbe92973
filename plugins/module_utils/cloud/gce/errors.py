# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of Google Cloud as sentences: what is wrong, and what the user can do about it."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ..errors import AccessDenied, CloudError, Exists, Missing, as_sentence

# Exceptions of google-auth and requests, by class name (so that this file needs no library) -> what to do.
LIBRARY_ERRORS = {
    "RefreshError": "Google does not accept the credentials: run gcloud auth application-default login",
    "MalformedError": "the file of Google credentials is damaged: look at GOOGLE_APPLICATION_CREDENTIALS",
    "TransportError": "Google cannot be reached: check the network and proxies",
    "SSLError": "the connection to Google is not trusted: check proxies and REQUESTS_CA_BUNDLE",
    "ProxyError": "the proxy to Google cannot be reached: check HTTPS_PROXY",
    "ConnectTimeout": "Google did not answer: check the network and proxies",
    "ReadTimeout": "Google did not answer in time: check the network, and run it again",
    "RetryError": "Google refused the request, and stayed so over all attempts: run it again later",
    "ConnectionError": "Google cannot be reached: check the network and proxies",
}

FORBIDDEN, NOT_FOUND, CONFLICT, CHANGED = 403, 404, 409, 412
# HTTP status -> what to do. Others speak for themselves.
STATUSES = {
    401: "Google does not accept the credentials: run gcloud auth application-default login",
    FORBIDDEN: "the credentials lack a permission, or the API is not switched on in the project",
    429: "Google limits the rate of requests, and stayed so over all attempts: run it again later",
}

# Google's reasons, in lower case without underscores. What passes by itself: another object that uses this one is on
# its way out, or this one is not ready.
PASSING = frozenset({"resourceinusebyanotherresource", "resourceinuse", "resourcenotready", "ratelimitexceeded"})
# What the user has to change.
_NO_MACHINES = "Google has no such machines left in this zone now: try later, or another zone or type"
REASONS = {
    "quotaexceeded": "a quota of the project is used up: ask for more, or delete what is not needed",
    "zoneresourcepoolexhausted": _NO_MACHINES,
    "zoneresourcepoolexhaustedwithdetails": _NO_MACHINES,
    "accessnotconfigured": "the API is not switched on in the project: run gcloud services enable",
    "servicedisabled": "the API is not switched on in the project: run gcloud services enable",
}
_THERE = frozenset({"alreadyexists", "resourcealreadyexists"})


class Changed(CloudError):
    """Another writer was faster: what was read before is not what is there now."""


def refused(status: int, message: str, reasons: Sequence[str] = ()) -> KopsError:
    """An error for an answer of Google's API, or for an operation that has failed.

    status: of HTTP. message: Google's own. reasons: its words for programs, of answers ("quotaExceeded") and of
    operations ("QUOTA_EXCEEDED"). TryAgainLater for what passes by itself, AccessDenied, Exists, Changed, Missing, and
    else CloudError.
    """
    known = {reason.replace("_", "").lower() for reason in reasons}
    if known & PASSING:
        return TryAgainLater(f"Google does not do it yet: {message}")
    advice = next((text for reason, text in REASONS.items() if reason in known), None)
    if advice:
        return CloudError(f"{advice} ({message})")
    kind = _KINDS.get(status, CloudError)
    if status == CONFLICT and known and not known & _THERE:
        kind = Changed
    text = STATUSES.get(status)
    return kind(f"{text} ({message})" if text else message)


_KINDS: dict[int, type[CloudError]] = {FORBIDDEN: AccessDenied, NOT_FOUND: Missing, CONFLICT: Exists, CHANGED: Changed}


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("reading the zones of us-east1"). Nothing of the credentials is ever in the text.
    """
    return as_sentence(error, where, LIBRARY_ERRORS)
