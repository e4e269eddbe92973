# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that ask for a capability which this machine's containers do not have: they get along without it.

runc refuses to start their containers. So it is called through a script that takes the capability out of what is asked.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import hosts

# Number in the kernel -> name, of those that pods ask for and the containers of a machine may lack.
_NAMES = {16: "CAP_SYS_MODULE", 24: "CAP_SYS_RESOURCE"}
RUNC = "/usr/local/sbin/lab-runc"


def missing() -> list[str]:
    """The capabilities that pods cannot have here."""
    (line,) = (each for each in pathlib.Path("/proc/self/status").read_text().splitlines() if each.startswith("CapBnd"))
    given = int(line.split()[1], 16)
    return [name for number, name in _NAMES.items() if not given >> number & 1]


def do_without(names: Iterable[str]) -> None:
    """Make the script on these hosts. Clusters call it with the fields of containerd()."""
    for name in names:
        hosts.within(name, "sh", "-c", f"cat >{RUNC} && chmod 755 {RUNC}", stdin=script())


def script(environment: Mapping[str, str] | None = None) -> str:
    """The script. environment: what every container has in its environment besides."""
    # Every name is in a list, as JSON without spaces.
    edits = [edit for name in missing() for edit in (f's/"{name}",//g', f's/,"{name}"//g', f's/\\["{name}"\\]/[]/g')]
    edits += [f's|"env":\\[|"env":["{name}={value}",|' for name, value in (environment or {}).items()]
    words = " ".join(f"-e '{edit}'" for edit in edits) or "-e ''"
    return f"""#!/bin/sh
previous=
for word in "$@"; do
  case $previous in
    --bundle) sed -i {words} "$word/config.json" ;;
    --process) sed -i {words} "$word" ;;
  esac
  previous=$word
done
exec runc "$@"
"""


def containerd() -> dict[str, Any]:
    """Fields of spec.containerd."""
    path = 'plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options.BinaryName'
    return {"configAdditions": {path: RUNC}}
