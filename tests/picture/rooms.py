# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the picture of the architecture shows: the parts of the code as they import each other, and what they reach."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.test_rooms import imports

# Room, subject: the first two columns of the table in docs/architecture.md.
_SUBJECT = re.compile(r"^\| `(\w+)/` \| ([^|]*?) \|", re.MULTILINE)
# What users have in their hands, above the rooms: name, what it says, what it uses.
_ENTRIES = (
    ("playbooks, roles", "what a user runs", "modules, plugins"),
    ("modules, plugins", "what Ansible calls", "ansible"),
)
# Rooms that reach something outside -> what.
_OUTSIDE = {
    "cloud": "APIs of clouds",
    "kubernetes": "API of the cluster",
    "node": "hosts and instances",
    "statestore": "S3, files",
}


@dataclass(frozen=True)
class Part:
    """A box. outside: what it reaches besides the parts that it uses; "" for nothing."""

    name: str
    subject: str
    uses: tuple[str, ...]
    outside: str = ""


def parts() -> list[Part]:
    """All parts. A part is not said to use what it also reaches through another that it uses."""
    direct: dict[str, set[str]] = {}
    for _place, module, target in imports():
        direct.setdefault(module[0], set())
        direct.setdefault(target[0], set())
        if module[0] != target[0]:
            direct[module[0]].add(target[0])
    subjects = _subjects()
    entries = [Part(name, subject, (used,)) for name, subject, used in _ENTRIES]
    rooms = [Part(name, subjects[name], _nearest(name, direct), _OUTSIDE.get(name, "")) for name in sorted(direct)]
    return [*entries, *rooms]


def _subjects() -> dict[str, str]:
    """What each room is about, without what the table adds in brackets or after a comma."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    short = {room: re.sub(r" \(.*\)|,.*", "", subject) for room, subject in _SUBJECT.findall(text)}
    return {room: subject.replace("->", "→") for room, subject in short.items()}


def _nearest(room: str, direct: dict[str, set[str]]) -> tuple[str, ...]:
    further = {beyond for used in direct[room] for beyond in _reached(used, direct)}
    return tuple(sorted(direct[room] - further))


def _reached(room: str, direct: dict[str, set[str]]) -> set[str]:
    return direct[room].union(*(_reached(used, direct) for used in direct[room]))
