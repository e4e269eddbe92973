# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Policy documents and event patterns: compared by what they mean, kept as the text that was written."""

from __future__ import annotations

import json
from typing import Any

# Sets in all but their notation: order means nothing, and AWS writes a single member without its list.
SET_KEYS = frozenset(
    {
        "Action",
        "NotAction",
        "Resource",
        "NotResource",
        "AWS",
        "Service",
        "Federated",
        "CanonicalUser",
        "CanonicalUserID",
    }
)


def same_document(one: Any, other: Any) -> bool:
    """Whether two JSON documents (text, or already parsed) mean the same."""
    left, right = parse(one), parse(other)
    return left is not None and _normal(left) == _normal(right)


def as_found(actual: Any, wanted: str | None) -> str:
    """The text of a document that exists: the wanted text when both mean the same, so that they compare equal."""
    if wanted is not None and same_document(actual, wanted):
        return wanted
    return actual if isinstance(actual, str) else json.dumps(actual, indent=2)


def parse(document: Any) -> Any:
    """A document as plain data; None for text that is no JSON."""
    if not isinstance(document, str):
        return document
    try:
        return json.loads(document)
    except ValueError:
        return None


def _normal(value: Any, key: str = "") -> Any:
    if key in SET_KEYS and isinstance(value, (str, list)):
        return sorted({str(member) for member in ([value] if isinstance(value, str) else value)})
    if isinstance(value, dict):
        return {name: _normal(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [_normal(member) for member in value]
    return value
