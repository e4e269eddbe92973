# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Label selectors and labels of Hetzner Cloud: their grammar, and what they choose."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Labels = Mapping[str, str]
_NAME = r"[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?"
_PREFIX = r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?"
_KEY = rf"(?:{_PREFIX}/)?{_NAME}"
_VALUE = rf"(?:{_NAME})?"
_LONGEST, _LONGEST_PREFIX = 63, 253
_TERM = re.compile(
    rf"\s*(?:(?P<absent>!\s*{_KEY})|(?P<set>{_KEY})\s+(?P<word>in|notin)\s*\((?P<among>[^()]*)\)"
    rf"|(?P<key>{_KEY})\s*(?:(?P<sign>==|!=|=)\s*(?P<value>{_VALUE}))?)\s*(?:,|$)"
)


def selected(selector: str) -> Callable[[Labels], bool]:
    """Whether labels are chosen by a selector; the empty one chooses all. Raises ValueError if it is none."""
    terms: list[Callable[[Labels], bool]] = []
    at = 0
    while at < len(selector):
        found = _TERM.match(selector, at)
        if found is None or found.end() == at:
            raise ValueError(f"invalid label selector: {selector}")
        terms.append(_term(found))
        at = found.end()
    if selector.rstrip().endswith(","):
        raise ValueError(f"invalid label selector: {selector}")
    return lambda labels: all(term(labels) for term in terms)


def _term(found: re.Match[str]) -> Callable[[Labels], bool]:
    if found["absent"]:
        absent = found["absent"].lstrip("! ")
        return lambda labels: absent not in labels
    if found["set"]:
        key, among = found["set"], {each.strip() for each in found["among"].split(",")}
        if found["word"] == "in":
            return lambda labels: labels.get(key) in among
        return lambda labels: labels.get(key) not in among
    key, sign, value = found["key"], found["sign"], found["value"]
    if sign is None:
        return lambda labels: key in labels
    if sign == "!=":
        return lambda labels: labels.get(key) != value
    return lambda labels: labels.get(key) == value


def wrong(labels: Labels) -> str:
    """What is wrong with labels; "" for nothing."""
    for key, value in labels.items():
        prefix, _slash, name = key.rpartition("/")
        if len(name) > _LONGEST or len(prefix) > _LONGEST_PREFIX or not re.fullmatch(_KEY, key):
            return f"label key {key} is not correctly formatted"
        if not isinstance(value, str) or len(value) > _LONGEST or not re.fullmatch(_VALUE, value):
            return f"label value {value} is not correctly formatted"
    return ""
