# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags by which this collection knows more of a droplet than kops does: its number, its origin, its credentials.

A tag has at most 255 letters, digits, colons, dashes and underscores. It is an object of the account, which many
droplets may share; so only what a droplet has for itself is in a tag of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from . import names

# Of the group, from 1; and that it leaves its group, which has that size.
NUMBER, LEAVING = "kubeops-number", "kubeops-leaving"
# What it was made from (pools/made_from.py), and the state store of its cluster.
MADE_FROM, STORE = "kubeops-made-from", "kubeops-store"
# By which host key it was given which credentials (pools/over_ssh.py): the only tag that is one droplet's alone.
GIVEN = "kubeops-given"

_SIGN = re.compile(r"[^a-z0-9-]")
_ESCAPED = re.compile(r"_([0-9a-f]{2})", re.IGNORECASE)
# Between the parts of what a droplet was made from, whose names have dashes only.
_BETWEEN = "_"


def number_of(droplet: Mapping[str, Any]) -> int | None:
    """The number that a droplet says it has; None if it says none, as those of kops."""
    number = names.value_of(droplet, NUMBER) or ""
    return int(number) if number.isdecimal() and int(number) > 0 else None


def leaving_of(droplet: Mapping[str, Any]) -> int | None:
    """The size of the group that a droplet leaves; None if it stays."""
    size = names.value_of(droplet, LEAVING) or ""
    return int(size) if size.isdecimal() else None


def store_tag(url: str) -> str:
    """The tag that names a state store."""
    return names.tag(STORE, _SIGN.sub(lambda sign: "".join(f"_{byte:02x}" for byte in sign[0].encode()), url))


def store_of(droplet: Mapping[str, Any]) -> str:
    """The state store that a droplet names; "" for none."""
    pieces = _ESCAPED.split(names.value_of(droplet, STORE) or "")
    # Every second piece is a byte.
    found = b"".join(bytes.fromhex(each) if index % 2 else each.encode() for index, each in enumerate(pieces))
    return found.decode(errors="replace")


def made_from_tag(mark: str) -> str:
    """The tag that says what a droplet was made from."""
    return names.tag(MADE_FROM, mark.replace(" ", _BETWEEN))


def mark_of(droplet: Mapping[str, Any]) -> str:
    """What a droplet says that it was made from; "" if it says nothing, as those of kops."""
    return (names.value_of(droplet, MADE_FROM) or "").replace(_BETWEEN, " ")


def given_tag(host_key: str, credentials: str) -> str:
    """The tag of a droplet that was given credentials: the marks of both."""
    return names.tag(GIVEN, f"{host_key}:{credentials}")


def given_to(droplet: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Marks of host key and credentials; several if a run that gave others was broken off."""
    found = names.values_in(names.tags_of(droplet), GIVEN)
    return [(host_key, credentials) for host_key, _colon, credentials in (each.partition(":") for each in found)]
