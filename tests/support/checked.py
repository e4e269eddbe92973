# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The slow gates look only at files that have changed, or refer to something that has.

What such a gate says of a file depends on it and on all that it refers to, directly or not. So if it found nothing, the
checksum of all these together is kept in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ansible.release import __version__ as ansible_version

from . import references

# What gates read besides the files. What they use comes with the pinned requirements.
_COUNTS_FOR_ALL = (
    "galaxy.yml",
    "meta/runtime.yml",
    "tests/config.yml",
    ".ansible-lint",
    "requirements/development.lock",
)
# Checksums that are kept of each gate: those of some branches, and of some weeks.
_KEPT = 100_000


class Checked:
    """The files in which a gate has found nothing before."""

    def __init__(self, gate: str, directory: Path | None = None) -> None:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        self._file = (directory or cache / "kubeops-kops-gates") / gate
        self._known = self._file.read_text().split() if self._file.exists() else []

    def others(self, checksums: Mapping[str, str]) -> list[str]:
        """The files that were not looked at as they are now."""
        known = set(self._known)
        return sorted(name for name, checksum in checksums.items() if checksum not in known)

    def add(self, checksums: Mapping[str, str]) -> None:
        """Nothing was found in these files."""
        kept = dict.fromkeys([*self._known, *checksums.values()])
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        new.write_text("\n".join([*kept][-_KEPT:]))
        new.replace(self._file)


def look_at_new(gate: str, checksums: Mapping[str, str], look: Callable[[list[str]], None]) -> None:
    """Let a gate look at the files that it does not know as they are now. look: raises for what it finds."""
    checked = Checked(gate)
    new = checked.others(checksums)
    if new:
        look(new)
        checked.add({name: checksums[name] for name in new})


def checksums(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Of each file of the collection, the checksum of what counts for it. names: all files, below root."""
    texts = {name: (root / name).read_bytes() for name in names}
    graph = references.between(texts)
    own = own_checksums(texts)
    common = [platform.python_version(), ansible_version, *(own[name] for name in _COUNTS_FOR_ALL)]
    return {
        name: hashlib.sha256(
            "\n".join([name, *common, *sorted(own[each] for each in reached(graph, name))]).encode()
        ).hexdigest()
        for name in texts
    }


def own_checksums(texts: Mapping[str, bytes]) -> dict[str, str]:
    """Of each file, the checksum of its name and its text alone."""
    return {name: hashlib.sha256(name.encode() + b"\0" + text).hexdigest() for name, text in texts.items()}


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """A file, and all that it refers to, directly or not."""
    reached, ahead = set[str](), {start}
    while ahead:
        reached |= ahead
        ahead = {further for near in ahead for further in graph[near]} - reached
    return reached
