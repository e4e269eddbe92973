# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between two texts of user data, for readers of a plan. model/bootstrap_script.py writes user data."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from typing import Any

_BOOT = re.compile(r"^(cat|base64) [^\n]*<< '__EOF_BOOT'[^\n]*\n(.*?)^__EOF_BOOT", re.DOTALL | re.MULTILINE)
# Keys of boot.json, and what it means that they differ.
_MEANINGS = {
    "program": "another node program",
    "nodeConfigs": "another NodeConfig",
    "servers": "other bootstrap servers or authorities",
    "store": "another state store",
    "environment": "other environment variables",
    "certificates": "other certificates",
    "keysets": "other key pairs",
    "secrets": "another key of encryption at rest",
}


def changes_of(before: str, after: str) -> list[str]:
    """What differs, in words; empty if nothing does."""
    if before == after:
        return []
    was, is_now = boot_of(before), boot_of(after)
    if was is None or is_now is None:
        return ["other user data"]
    differing = [key for key in {**was, **is_now} if was.get(key) != is_now.get(key)]
    found = [meaning for key, meaning in _MEANINGS.items() if key in differing]
    if set(differing) - _MEANINGS.keys() or _BOOT.sub("", before) != _BOOT.sub("", after):
        found.append("another boot script")
    return found


def consequence_of(changes: Sequence[str]) -> str:
    """Consequences of a changed template for running instances; "" for none."""
    return f"instances that run get it only when they are replaced: {', '.join(changes)}" if changes else ""


def boot_of(text: str) -> dict[str, Any] | None:
    """boot.json of user data; None if it has none, like user data of kops."""
    found = _BOOT.search(text.replace("\r\n", "\n"))
    if not found:
        return None
    try:
        content = found[2] if found[1] == "cat" else gzip.decompress(base64.b64decode(found[2])).decode()
        boot = json.loads(content)
    except (ValueError, OSError, EOFError):
        return None
    return boot if isinstance(boot, dict) else None
