# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A NodeConfig as plain data: its version, its bytes and their hash, and the markers that its texts hold for facts.

The controller that makes a NodeConfig and the node that reads it both use this; what the items mean is in items.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

SCHEMA = 1
_MARKER = re.compile(r"@@([A-Z][A-Z0-9_]*)@@")

# Facts that a cloud finds out: how many pods its network has addresses for, the prefix of their addresses, and disks by
# the cloud's names for them.
MAX_PODS, POD_PREFIX = "MAX_PODS", "POD_PREFIX"
# Lines of a hosts file: where a worker finds the API server that no DNS names.
API_HOSTS = "API_HOSTS"
_DISK = "DISK_"
_DISK_NAME = re.compile(r"/dev/([a-z][a-z0-9]*)")


def render(data: Any) -> str:
    """A NodeConfig as it is stored and hashed: canonical JSON, so that reading and rendering it changes nothing."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def content_hash(content: bytes) -> str:
    """By which a NodeConfig or a program is known: SHA-256 as hexadecimal text."""
    return hashlib.sha256(content).hexdigest()


def config_hash(data: Any) -> str:
    """The hash of a rendered NodeConfig. A node compares it with the hash of its last run."""
    return content_hash(render(data).encode())


def markers(data: Any) -> set[str]:
    """The names of all facts that the texts of plain data ask for (``@@NODE_NAME@@``)."""
    return set(_MARKER.findall(render(data)))


def fill(value: Any, facts: Mapping[str, str]) -> Any:
    """The data with its markers replaced by facts. Markers without a fact stay."""
    if isinstance(value, str):
        return _MARKER.sub(lambda match: facts.get(match.group(1), match.group(0)), value)
    if isinstance(value, Mapping):
        return {key: fill(each, facts) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill(each, facts) for each in value]
    return value


def fact_of_disk(device: str) -> str:
    """The fact with the path of a disk that has this name in its cloud; "" for what no such name looks like.

    Which names are the cloud's and not the kernel's says the table of clouds, on the controller (disk_names).
    """
    match = _DISK_NAME.fullmatch(device)
    return f"{_DISK}{match.group(1).upper()}" if match else ""


def disk_of_fact(name: str) -> str:
    """The name of the disk that a fact is about; "" for other facts."""
    device = f"/dev/{name[len(_DISK) :].lower()}"
    return device if name.startswith(_DISK) and _DISK_NAME.fullmatch(device) else ""
