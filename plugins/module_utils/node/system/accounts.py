# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups of the machine, by name and by id."""

from __future__ import annotations

import contextlib
import grp
import pwd
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ...base.errors import KopsError
from .machine import Machine


class UserEntry(NamedTuple):
    """A line of /etc/passwd."""

    name: str
    uid: int
    gid: int
    home: str
    shell: str


@dataclass(frozen=True)
class Accounts:
    """The accounts at one moment. Must be read again after users or groups were created.

    users, groups: of the files in /etc. members: group -> its supplementary members. elsewhere: whether to ask the name
    service (NSS) too, which may know accounts of a directory service.
    """

    users: dict[str, UserEntry]
    groups: dict[str, int]
    members: dict[str, list[str]]
    elsewhere: bool

    def uid(self, name: str) -> int:
        """The uid of a user, given by name or uid. Raises KopsError."""
        known = {user.name: user.uid for user in self.users.values()}
        return self._number(name, known, lambda: pwd.getpwnam(name).pw_uid, "user")

    def gid(self, name: str) -> int:
        """The gid of a group, given by name or gid. Raises KopsError."""
        return self._number(name, self.groups, lambda: grp.getgrnam(name).gr_gid, "group")

    def user_name(self, uid: int) -> str:
        """Name of a user; the uid as text if there is none."""
        return next((user.name for user in self.users.values() if user.uid == uid), str(uid))

    def group_name(self, gid: int) -> str:
        """Name of a group; the gid as text if there is none."""
        return next((name for name, number in self.groups.items() if number == gid), str(gid))

    def groups_of(self, user: str) -> list[str]:
        """The supplementary groups of a user."""
        return sorted(group for group, members in self.members.items() if user in members)

    def _number(self, name: str, known: dict[str, int], ask: Callable[[], int], kind: str) -> int:
        if name in known:
            return known[name]
        if name.isdigit():
            return int(name)
        if self.elsewhere:
            with contextlib.suppress(KeyError):
                return ask()
        raise KopsError(f"{kind} {name} does not exist")


def read_accounts(machine: Machine) -> Accounts:
    """The accounts of the machine."""
    groups = _rows(machine.path("/etc/group"), 4)
    return Accounts(
        users={
            name: UserEntry(name, int(uid), int(gid), home, shell)
            for name, _password, uid, gid, _comment, home, shell in _rows(machine.path("/etc/passwd"), 7)
        },
        groups={name: int(gid) for name, _password, gid, _members in groups},
        members={name: list(filter(None, members.split(","))) for name, _password, _gid, members in groups},
        elsewhere=machine.root == "/",
    )


def _rows(path: str, width: int) -> list[list[str]]:
    with open(path, encoding="utf-8", errors="surrogateescape") as stream:
        rows = [line.rstrip("\n").split(":") for line in stream]
    return [row for row in rows if len(row) == width and row[2].isdigit()]
