# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to services that answer as those of AWS and S3-compatible stores do: XML, with a code for each error.

Throttling, 5xx and broken connections are retried with growing pauses; what remains is a ServiceError.
"""

from __future__ import annotations

import http.client
import random
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import TypeVar
from xml.etree import ElementTree

from ...base.errors import KopsError
from ..system.clock import clock_note
from ..system.proxy import opener

_THROTTLED = re.compile(
    "Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|BandwidthLimitExceeded|PriorRequestNotComplete"
)
_ATTEMPTS, _PAUSE, _LONGEST_PAUSE, _TIMEOUT = 6, 0.3, 8.0, 20
# Seconds after which nothing is tried again: callers say what they wait for only when an error reaches them.
_TRYING = 15.0
_NAMESPACE = re.compile(r"\{[^}]*\}")

Answer = TypeVar("Answer")


class ServiceError(KopsError):
    """A call that failed. status: of HTTP, 0 if nothing answered. code: the service's own, such as "AccessDenied"."""

    def __init__(self, what: str, status: int = 0, code: str = "", said: str = "") -> None:
        self.status, self.code = status, code
        super().__init__(f"{what}: {' '.join(filter(None, (str(status or ''), code, said)))}")


def post(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    """What a service answers. Raises OSError, urllib.error.HTTPError for an error of the service."""
    return send("POST", url, body, headers)


def send(method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
    """The same with another method of HTTP."""
    request = urllib.request.Request(url, body, dict(headers), method=method)  # noqa: S310
    with opener().open(request, timeout=_TIMEOUT) as answer:
        return bytes(answer.read())


def read_xml(content: bytes) -> ElementTree.Element:
    """An answer without its namespaces, whose versions differ between services. Raises KopsError."""
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - the service's own answers
    except ElementTree.ParseError as error:
        raise KopsError(f"a service answered with something that is not XML: {content[:80]!r}") from error
    for element in root.iter():
        element.tag = _NAMESPACE.sub("", element.tag)
    return root


def failure(what: str, error: urllib.error.HTTPError) -> ServiceError:
    """The error that a service answered with."""
    with error:
        content = error.read(1 << 16)
    clock = clock_note(error.headers.get("Date"))
    try:
        root = read_xml(content)
    except KopsError:
        return ServiceError(what, error.code, "", f"{error.reason}{clock}")
    code = root.findtext(".//Code") or ""
    return ServiceError(what, error.code, code, f"{root.findtext('.//Message') or error.reason}{clock}")


def retried(what: str, ask: Callable[[], Answer]) -> Answer:
    """The answer; refusals are raised at once, as they do not change by themselves."""
    pause, end = _PAUSE, time.monotonic() + _TRYING
    for number in range(1, _ATTEMPTS + 1):
        last = number == _ATTEMPTS
        try:
            return ask()
        except urllib.error.HTTPError as error:
            found = failure(what, error)
            if (
                last
                or time.monotonic() > end
                or not (error.code >= 500 or error.code == 429 or _THROTTLED.search(found.code))
            ):
                raise found from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            if last or time.monotonic() > end:
                reason = getattr(error, "reason", None) or error
                raise ServiceError(what, said=str(reason) or type(error).__name__) from error
        # Many instances that start at once do not ask again at once.
        time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311
        pause = min(pause * 2, _LONGEST_PAUSE)
    raise AssertionError
