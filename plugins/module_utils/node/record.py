# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record: what earlier runs created on the node, so that it can be removed again, and what they did not complete.

It is written before the first change (with all that will be created) and after the last one. So nothing is lost if a
run is killed in between.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import KopsError
from .system import atomic

DIRECTORY = "/var/lib/kops"
PATH = f"{DIRECTORY}/state.json"
SCHEMA = 1
MISSING, UNENDED = "missing", "unended"


@dataclass
class Record:
    """The record.

    config: hash of the NodeConfig of the last complete run, "" before the first one is complete.
    cluster, instance_group: what the node belongs to, from the first change on.
    certificates: name -> paths of the certificate and its key, as in the NodeConfig.
    authorities: path of each file of trusted certificates or public keys -> the reference of its content.
    facts: given facts, by name. They are used until others are given.
    files: path of each file and link of ours -> name of the backup of its original, "" if there was none.
    blocks: path of each file that contains a block of ours -> the word in the block's comments.
    block_files: path of such a file -> what it was before, if its text does not tell: MISSING, or UNENDED, without a
        newline at its end.
    directories, units, users, groups: created by us. held: packages that we hold.
    accounts: user or group that we changed ("user:NAME") -> the command that makes it what it was.
    sysctls: sysctl -> its original value.
    downloads: name -> sha256, version, and files (path -> sha256 and file metadata; if the metadata is unchanged, the
        file need not be read again).
    pods: static pod -> number of restarts because of restartOn.
    images: name -> sha256 of the imported archive.
    started: units that we started (a oneshot unit does not show otherwise that it ran).
    restarts: units that must still be restarted, because a file that they read changed or is about to change.
    replaced: unit that was there before, and that we replaced or switched -> its original state, as systemd.state_of
        returns it.
    found: kind -> what existed before us and looks like something that a wipe removes; a wipe leaves it (wipe.py).
    """

    config: str = ""
    cluster: str = ""
    instance_group: str = ""
    certificates: dict[str, dict[str, str]] = field(default_factory=dict)
    authorities: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    block_files: dict[str, str] = field(default_factory=dict)
    directories: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    accounts: dict[str, list[str]] = field(default_factory=dict)
    sysctls: dict[str, str] = field(default_factory=dict)
    downloads: dict[str, dict[str, Any]] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    restarts: list[str] = field(default_factory=list)
    replaced: dict[str, dict[str, Any]] = field(default_factory=dict)
    found: dict[str, list[str]] = field(default_factory=dict)

    def text(self) -> str:
        """The record as stored."""
        data = {name: sorted(each) if isinstance(each, list) else each for name, each in vars(self).items()}
        return json.dumps({"schema": SCHEMA, **data}, indent=1, sort_keys=True) + "\n"

    def joined(self, other: Record) -> Record:
        """The union of both records; this one wins. Its config is empty, since the node is between two states."""
        both: dict[str, Any] = {}
        for each in dataclasses.fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, dict):
                both[each.name] = {**theirs, **mine}
            elif isinstance(mine, list):
                both[each.name] = sorted({*mine, *theirs})
            elif each.name != "config":
                both[each.name] = mine or theirs
        return Record(**both)


def load(path: str) -> Record:
    """Read the record; an empty one if the file does not exist. Raises KopsError."""
    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError) as error:
        raise KopsError(
            f"the record {path} cannot be read ({error}); repair it, or move it away to start again"
        ) from error
    if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
        raise KopsError(f"the record {path} was written by another version of the collection; use that version")
    return Record(**data)


def save(path: str, text: str, *, uid: int, gid: int) -> None:
    """Write a record. Its directory must exist."""
    atomic.write(path, [text.encode()], mode=0o600, uid=uid, gid=gid)
