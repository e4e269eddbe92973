# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of SELinux for what the node program writes.

A new file gets the label of its directory, which is not always that of the policy: programs below /opt would not be
programs, and containerd would run in the domain of any other program. restorecon gives what the policy says.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..context import Context, Phase
from ..system.host import NOT_FOUND, failed

# Exists where the kernel enforces a policy, or reports what it would refuse.
ENABLED = "/sys/fs/selinux/enforce"
_COMMAND = ("restorecon", "-i")
_DOWNLOAD = "download"
_PATHS = ("file", "directory", "link")


def relabel(context: Context, phase: Phase) -> None:
    """Label what a phase has just written; nothing without SELinux. Failures are warnings: the policy may still fit."""
    if not os.path.exists(context.path(ENABLED)):
        return
    paths = sorted(dict.fromkeys(_written(context, phase)))
    if not paths:
        return
    command = (*_COMMAND, *paths)
    outcome = context.host.run(*command)
    if outcome.code == NOT_FOUND:
        warning = "SELinux is on, but there is no restorecon (package policycoreutils): new files keep wrong labels"
    elif outcome.code != 0:
        warning = str(failed(command, outcome))
    else:
        return
    if warning not in context.warnings:
        context.warnings.append(warning)


def _written(context: Context, phase: Phase) -> Iterator[str]:
    """Paths that a phase has written, as this process sees them, and the directories that were made for them."""
    known = set(context.before.directories)
    for step in phase.steps:
        kind, _colon, name = step.item.partition(":")
        if not step.due:
            continue
        if kind == _DOWNLOAD:
            written = list(context.next.downloads.get(name, {"files": {}})["files"])
        elif kind in _PATHS and name.startswith("/"):
            written = [name]
        else:
            continue
        for path in written:
            yield context.path(path)
            yield from (
                context.path(each) for each in context.next.directories if each not in known and _above(each, path)
            )


def _above(directory: str, path: str) -> bool:
    return path.startswith(directory.rstrip("/") + "/")
