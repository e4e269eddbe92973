# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server was made from, as a mark on it: a hash of each part, so that what differs now can be named.

Clouds without groups of instances keep no template beside a server, and not all show what it was made with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# The part whose hash tells which user data a server was started with.
USER_DATA = "user-data"
# Enough to tell the parts of one group apart.
_LENGTH = 8


def mark_of(parts: Mapping[str, Any]) -> str:
    """The mark, as "flavor:3f0a91c2 image:...". parts: name, without spaces and colons -> plain data."""
    return " ".join(f"{name}:{digest(value)}" for name, value in sorted(parts.items()))


def digest(value: Any, length: int = _LENGTH) -> str:
    """The first characters of a hash of plain data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:length]


def parts_of(mark: str) -> dict[str, str]:
    """Name of a part -> its hash."""
    return dict(each.split(":", 1) for each in mark.split() if ":" in each)


def was_told(mark: str) -> bool:
    """Whether a server with this mark was started with user data."""
    return bool(parts_of(mark).get(USER_DATA))


def differing(before: str, after: str) -> list[str]:
    """The parts in which two marks differ, sorted."""
    was, is_now = parts_of(before), parts_of(after)
    return sorted(name for name in was.keys() | is_now.keys() if was.get(name) != is_now.get(name))
