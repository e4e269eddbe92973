# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What earlier runs brought to the node, so that it can be taken away again; and what they left half done.

The record is written before the first change (with everything that is about to be brought) and after the last one, so
that a run that is killed anywhere in between has hidden nothing.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import KopsError
from . import atomic

DIRECTORY = "/var/lib/kops"
PATH = f"{DIRECTORY}/state.json"
SCHEMA = 1


@dataclass
class Record:
    """The record.

    config: hash of the NodeConfig that the node was last converged to, "" before the end of the first time.
    cluster, instance_group: what the node is of, from the first change on.
    certificates: name of each certificate -> where it and its key are, as the NodeConfig lists it.
    facts: those that were given, by name; they count until others are given.
    files: path of each file and link of ours -> name of the copy of what was there before, "" if nothing was.
    blocks: path of each file of which a part is ours -> the word in the comments around it.
    directories, units, users, groups: those that we made. held: packages that we hold.
    sysctls: setting -> its value before ours.
    downloads: name -> what was put where: sha256, version, files (path -> sha256 and the looks of the file, by which
        it is known again without reading it).
    pods: static pod -> how often it was started anew for what it reads.
    images: name -> sha256 of the archive that was imported.
    started: units that we started; of those that end by themselves nothing else tells it.
    restarts: units that have to be restarted still, since what they read has changed or is just being changed.
    replaced: unit of which ours took the place -> its state before, as systemd.state_of has it.
    found: kind -> what there was before us of all that a wipe would take, and so leaves (wipe.py).
    """

    config: str = ""
    cluster: str = ""
    instance_group: str = ""
    certificates: dict[str, dict[str, str]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    directories: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    sysctls: dict[str, str] = field(default_factory=dict)
    downloads: dict[str, dict[str, Any]] = field(default_factory=dict)
    pods: dict[str, int] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    restarts: list[str] = field(default_factory=list)
    replaced: dict[str, dict[str, Any]] = field(default_factory=dict)
    found: dict[str, list[str]] = field(default_factory=dict)

    def text(self) -> str:
        """The record as it is stored."""
        data = {name: sorted(each) if isinstance(each, list) else each for name, each in vars(self).items()}
        return json.dumps({"schema": SCHEMA, **data}, indent=1, sort_keys=True) + "\n"

    def joined(self, other: Record) -> Record:
        """Everything of both records; where they differ, this one counts. The node is then converged to nothing."""
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
    """The record at a path; an empty one if there is none. Raises KopsError."""
    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError) as error:
        raise KopsError(
            f"the record {path} cannot be read ({error}); mend it, or move it away to begin anew"
        ) from error
    if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
        raise KopsError(f"the record {path} is of another version of the collection; converge with that one")
    return Record(**data)


def save(path: str, text: str, *, uid: int, gid: int) -> None:
    """Write a record; its directory exists."""
    atomic.write(path, [text.encode()], mode=0o600, uid=uid, gid=gid)
