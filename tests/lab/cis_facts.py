# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a host: python3 - PATTERN ... Prints what cis.py asks of it, as JSON.

programs: name -> the options of each of its processes; an option that is given without a value is "true".
files: pattern -> [path, kind ("f", "d", ...), mode, owner] of what it stands for. Patterns: see cis.yml.
"""

from __future__ import annotations

import glob
import grp
import json
import os
import pathlib
import pwd
import stat
import sys

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubelet")
KINDS = {stat.S_IFREG: "f", stat.S_IFDIR: "d"}


def programs() -> dict[str, list[dict[str, str]]]:
    """The processes of the host and of its pods."""
    found: dict[str, list[dict[str, str]]] = {name: [] for name in PROGRAMS}
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text().split("\0")
        except OSError:
            # It has ended.
            continue
        name = os.path.basename(words[0])
        if name in found:
            pairs = [word.partition("=") for word in words[1:] if word.startswith("-")]
            found[name].append({f"--{flag.lstrip('-')}": value if equals else "true" for flag, equals, value in pairs})
    return found


def paths(pattern: str, found: dict[str, list[dict[str, str]]]) -> list[str]:
    """What a pattern stands for."""
    program, colon, option = pattern.partition(":")
    if colon:
        return [options[option] for options in found[program] if option in options]
    return sorted(glob.glob(pattern, recursive=True))


def described(path: str) -> list[str]:
    """Path, kind, mode and owner."""
    status = os.lstat(path)
    owner = f"{pwd.getpwuid(status.st_uid).pw_name}:{grp.getgrgid(status.st_gid).gr_name}"
    return [path, KINDS.get(stat.S_IFMT(status.st_mode), "other"), f"{stat.S_IMODE(status.st_mode):o}", owner]


if __name__ == "__main__":
    running = programs()
    files = {
        pattern: [described(path) for path in paths(pattern, running) if os.path.lexists(path)]
        for pattern in sys.argv[1:]
    }
    print(json.dumps({"programs": running, "files": files}))
