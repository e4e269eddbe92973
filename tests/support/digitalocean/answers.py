# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean's API answers with: pages of a list, and refusals."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Sequence
from typing import Any

from ..rest_server import Call, Refusal, Reply

_PAGE, _LARGEST_PAGE = 20, 200
# What tags may have.
_TAG = re.compile(r"[A-Za-z0-9:_-]{1,255}")


def page(call: Call, key: str, found: Sequence[Any]) -> dict[str, Any]:
    """A page of a list, and where the others are."""
    size, number = int(call.value("per_page", str(_PAGE))), int(call.value("page", "1"))
    if not 1 <= size <= _LARGEST_PAGE:
        raise refusal(400, "bad_request", f"per_page must be between 1 and {_LARGEST_PAGE}")
    last = max(-(-len(found) // size), 1)

    def link(number: int) -> str:
        query = urllib.parse.urlencode({**dict(call.query), "page": number, "per_page": size})
        return f"http://{call.headers.get('Host')}{call.path}?{query}"

    pages = {}
    if number > 1:
        pages |= {"first": link(1), "prev": link(number - 1)}
    if number < last:
        pages |= {"next": link(number + 1), "last": link(last)}
    links = {"pages": pages} if pages else {}
    return {key: list(found[(number - 1) * size : number * size]), "links": links, "meta": {"total": len(found)}}


def refused(status: int, word: str, message: str) -> Reply:
    """An answer that refuses. word: its id for programs."""
    return Reply(status, {"id": word, "message": message, "request_id": "r1"})


def refusal(status: int, word: str, message: str) -> Refusal:
    """As an exception."""
    return Refusal(refused(status, word, message))


def missing() -> Refusal:
    """There is no such thing."""
    return refusal(404, "not_found", "The resource you were accessing could not be found.")


def unprocessable(message: str) -> Refusal:
    """It is understood, and cannot be done."""
    return refusal(422, "unprocessable_entity", message)


def needed(body: Any, *keys: str) -> None:
    """Refuse a body that lacks a key."""
    for key in keys:
        if not isinstance(body, dict) or body.get(key) in (None, "", []):
            raise unprocessable(f"{key} is required")


def checked_tags(tags: Any) -> list[str]:
    """Tags of a request."""
    found = [str(each) for each in tags or ()]
    for each in found:
        if not _TAG.fullmatch(each):
            raise unprocessable(f"Tag {each!r} is invalid: only letters, numbers, colons, dashes and underscores")
    return found
