# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to the API by the official library: each is sent once, and comes back as it was answered.

The library sends some of them again by itself, also those that write, and shows no headers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Seconds for an answer; the library itself waits for ever.
SECONDS = 60
_OK = 400


class SentBefore(Exception):
    """The library was about to send a request again, which it does after a time-out."""

    def __init__(self) -> None:
        super().__init__(f"no answer within {SECONDS} seconds")


class NotTheAPI(Exception):
    """Something else has answered, such as a proxy with a page of its own."""


@dataclass(eq=False)
class Answer(Exception):
    """What the API has answered, raised through the library. body: read from JSON; None if it is none."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def seconds_for_one(self) -> float:
        """After so many seconds, a token whose requests are used up has one again, as far as the headers say it."""
        try:
            limit, left = int(self.headers["RateLimit-Limit"]), int(self.headers["RateLimit-Remaining"])
            seconds = float(self.headers["RateLimit-Reset"]) - time.time()
        except (KeyError, ValueError):
            return 1.0
        return max(seconds / max(limit - left, 1), 1.0)


class _Once:
    """What requests calls before it sends something. Beside that, it keeps passwords of ~/.netrc from being sent."""

    def __init__(self) -> None:
        self._sent = False

    def __call__(self, request: Any) -> Any:
        if self._sent:
            raise SentBefore
        self._sent = True
        return request


def _refuse(response: Any, *_arguments: Any, **_options: Any) -> None:
    """Before the library reads an answer: raise those that are no success."""
    if response.status_code >= _OK:
        try:
            body = response.json()
        except ValueError:
            body = None
        raise Answer(response.status_code, body, response.headers)


def send(client: Any, method: str, path: str, **options: Any) -> dict[str, Any]:
    """The body of a successful answer. client: the library's.

    Raises Answer for another one, SentBefore after a time-out, and what requests and the library raise.
    """
    answer = client.request(method, path, auth=_Once(), hooks={"response": _refuse}, timeout=SECONDS, **options)
    if not isinstance(answer, dict):
        raise NotTheAPI(f"{method} {path}")
    return answer
