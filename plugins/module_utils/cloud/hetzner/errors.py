# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of Hetzner Cloud as sentences: what is wrong, and what the user can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import KopsError
from ...engine.task import TryAgainLater
from ..errors import AccessDenied, CloudError, Exists, Missing, NoLogin, as_sentence

TOKEN = "HCLOUD_TOKEN"  # noqa: S105 (the name of a variable)
NOT_FOUND, TOO_MANY = 404, 429
# The cloud may have done what it was asked for, or not.
UNKNOWN = frozenset({408, 500, 502, 503, 504})
# Codes of the API -> what to do. Others speak for themselves.
CODES = {
    "unauthorized": f"Hetzner Cloud does not accept the token: check {TOKEN}",
    "forbidden": "the token lacks the permission",
    "token_readonly": f"the token may only read: give {TOKEN} one that may read and write",
    "resource_limit_exceeded": "a limit of the project is used up: ask Hetzner for more",
    "protected": "the object is protected: remove its protection, and run again",
    "resource_unavailable": "the location has none of it at the moment: take another type or location, or wait",
    "placement_error": "no host of the location can take it at the moment: wait, or take another type or location",
}
_DENIED = frozenset({"forbidden", "token_readonly"})
# It is being worked on, or used by what is on its way out.
_PASSING = frozenset({"locked", "conflict", "resource_in_use", "server_not_stopped", "rate_limit_exceeded"})
# Said before anything is done, with a status that says otherwise.
_NOT_DONE = frozenset({"maintenance", "robot_unavailable"})
# What is to be made, added or attached is so already.
_THERE = frozenset(
    {
        "uniqueness_error",
        "source_port_already_used",
        "target_already_defined",
        "firewall_already_applied",
        "server_already_added",
        "server_already_attached",
        "load_balancer_already_attached",
        "volume_already_attached",
    }
)
_ANOTHER = "what answers is not the API of Hetzner Cloud: check proxies and HCLOUD_ENDPOINT"
# Exceptions of requests, by class name (so that this file needs no library) -> what to do.
LIBRARY_ERRORS = {
    # The library's, of an answer that is no JSON and says that all is well.
    "APIException": _ANOTHER,
    "NotTheAPI": _ANOTHER,
    "SSLError": "the connection to Hetzner Cloud is not trusted: check proxies and HCLOUD_ENDPOINT",
    "Timeout": "Hetzner Cloud did not answer: check the network and proxies",
    "SentBefore": "Hetzner Cloud did not answer: check the network and proxies",
    "ConnectionError": "Hetzner Cloud cannot be reached: check the network, proxies and HCLOUD_ENDPOINT",
}


def is_unknown(status: int, code: str) -> bool:
    """Whether an answer leaves open if what was asked for is done."""
    return status in UNKNOWN and code not in _NOT_DONE


def refused(status: int, answer: Any, doing: str) -> KopsError:
    """An error for an answer of the API.

    status: of HTTP. answer: its body, read. doing: what was asked for ("make network demo").
    TryAgainLater for what passes by itself, AccessDenied, Missing, Exists, and else CloudError.
    """
    code, message = code_of(answer), message_of(answer) or f"HTTP {status}"
    if code in _PASSING | _NOT_DONE:
        return TryAgainLater(f"cannot {doing} yet: {message}")
    if status == NOT_FOUND:
        return Missing(f"cannot {doing}: {message}")
    kind = AccessDenied if code in _DENIED else Exists if code in _THERE else CloudError
    advice = CODES.get(code)
    return kind(f"cannot {doing}: {advice} ({message})" if advice else f"cannot {doing}: {message}")


def failed(action: Mapping[str, Any], doing: str) -> KopsError:
    """An error for an action that the cloud has begun and not brought to its end."""
    error = action.get("error") or {}
    advice = CODES.get(str(error.get("code")))
    message = str(error.get("message") or f"action {action.get('id')} has failed")
    return CloudError(f"cannot {doing}: {advice} ({message})" if advice else f"cannot {doing}: {message}")


def code_of(answer: Any) -> str:
    """The code of an error; "" if the answer has none."""
    error = answer.get("error") if isinstance(answer, dict) else None
    return str(error.get("code") or "") if isinstance(error, dict) else ""


def message_of(answer: Any) -> str:
    """What the body of an error says, with the fields that it finds wrong."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return ""
    details = error.get("details")
    fields = details.get("fields") if isinstance(details, dict) else None
    named = "; ".join(f"{each.get('name')}: {', '.join(map(str, each.get('messages') or ()))}" for each in fields or ())
    message = str(error.get("message") or error.get("code") or "")
    return f"{message} ({named})" if named else message


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("reading each network"). Nothing of the token is ever in the text.
    """
    if isinstance(error, ImportError):
        return NoLogin(f"the Python library {error.name} is missing: install it with 'pip install hcloud'")
    return as_sentence(error, where, LIBRARY_ERRORS)
