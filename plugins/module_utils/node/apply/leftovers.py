# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes modules with secrets that earlier runs left in Ansible's temporary directories on the machine.

Earlier versions let Ansible write node_converge with its arguments, which hold private keys, to a file of the
connecting user. Ansible removes it at the end of the task, unless it is killed before. Now there is no such file.
"""

from __future__ import annotations

import contextlib
import glob
import os
import pwd
from functools import partial

from ...base.report import Step
from ..context import Context, Phase
from ..system import atomic

# Where Ansible puts modules unless the user has set another directory.
_DEFAULT = "~/.ansible/tmp"
_MODULES = ("node_converge", "addons")


def plan(context: Context, remote_tmp: str = "") -> Phase:
    """Plan the removal. remote_tmp: the directory that Ansible uses now, with "~" for the connecting user's home."""
    places = sorted({place for place in (remote_tmp, _DEFAULT) if place for place in _of_users(context, place)})
    found = [path for place in places for path in _find(context, place)]
    return Phase([Step(f"file:{path}", True, "present", None, partial(_remove, context.path(path))) for path in found])


def _of_users(context: Context, place: str) -> list[str]:
    """A directory of Ansible, for each user that has one of its own: the connecting user may have changed."""
    if not place.startswith("~/"):
        return [place] if place.startswith("/") else []
    homes = {user.home for user in context.accounts.users.values()}
    # The connecting user may be one of a directory service.
    with contextlib.suppress(KeyError):
        homes.add(pwd.getpwnam(os.environ["SUDO_USER"]).pw_dir)
    return [f"{home.rstrip('/')}{place[1:]}" for home in homes if home.startswith("/")]


def _find(context: Context, place: str) -> list[str]:
    root = context.path("/").rstrip("/")
    patterns = [f"{glob.escape(context.path(place))}/ansible-tmp-*/AnsiballZ_{module}.py" for module in _MODULES]
    return sorted(path[len(root) :] for pattern in patterns for path in glob.glob(pattern))


def _remove(path: str) -> None:
    atomic.remove(path)
    # Not empty: Ansible has put something else there.
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
