# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run of the converger knows while it plans and while it changes the node."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..base.errors import KopsError
from ..base.report import Step
from . import atomic, record
from .accounts import Accounts, read_accounts
from .config import names
from .fetch import Fetch, RetryPolicy
from .items import Certificate, Config
from .machine import Machine
from .record import Record
from .redaction import Redactor

ORIGINALS = f"{record.DIRECTORY}/originals"


@dataclass
class Phase:
    """A part of a run, looked at already. act: makes its changes; by default every changed step makes its own."""

    steps: list[Step] = field(default_factory=list)
    act: Callable[[], None] | None = None

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return any(step.changed for step in self.steps)

    def apply(self) -> None:
        """Make the changes. Raises KopsError."""
        if self.act is not None:
            self.act()
            return
        for step in self.steps:
            if step.changed and step.act is not None:
                step.act()


class Context:
    """A run. First every part looks, and adds to problems, warnings, fetches and next; only then anything is written.

    before: the record as the run found it. next: the record as it will be once the run is through.
    steps: those of the parts that have looked so far. fetches: what has to be downloaded; fetched: checksum -> file.
    reloaded: files of units that systemd reads anew by what is planned already.
    wiped: paths that go with everything in them, since a wipe takes them.
    restarted: units that this run started or restarted. steady: unit -> number of restarts, and since when it is that.
    """

    def __init__(
        self,
        machine: Machine,
        config: Config,
        secrets: dict[str, bytes],
        before: Record,
        retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - it cannot be changed
    ) -> None:
        self.machine = machine
        self.host = machine.host
        self.config = config
        self.secrets = secrets
        self.before = before
        self.retry = retry
        self.next = Record(
            config=config.hash,
            cluster=config.cluster,
            instance_group=config.instance_group,
            certificates={each.name: _place(each) for each in config.certificates},
        )
        self.redactor = Redactor(
            [*secrets.values(), *(file.content.encode() for file in config.files if file.secret and file.content)]
        )
        self.accounts: Accounts = read_accounts(machine)
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self.steps: list[Step] = []
        self.fetches: list[Fetch] = []
        self.fetched: dict[str, str] = {}
        self.restarted: set[str] = set()
        self.reloaded: set[str] = set()
        self.wiped: set[str] = set()
        self.steady: dict[str, tuple[int, float]] = {}
        self._recording = threading.Lock()

    def path(self, path: str) -> str:
        """Where a path of the machine is for this process."""
        return self.machine.path(path)

    def read_text(self, path: str) -> str:
        """A text file of the machine, "" if it cannot be read."""
        return self.machine.read_text(path)

    def changes(self, reasons: Iterable[str], more: Iterable[Step] = ()) -> list[str]:
        """The labels of the items that change and that one of the reasons (entries of restartOn) names.

        more: steps besides those of the parts that have looked already.
        """
        changed = [step.item for step in [*self.steps, *more] if step.changed]
        return [label for label in changed if any(names(reason, label) for reason in reasons)]

    def parents(self, path: str) -> list[str]:
        """The directories above a path that are not there, from the top."""
        missing: list[str] = []
        directory = os.path.dirname(path)
        while not os.path.lexists(self.path(directory)):
            missing.insert(0, directory)
            directory = os.path.dirname(directory)
        return missing

    def make_parents(self, path: str) -> None:
        """Make the directories above a path that are not there."""
        uid, gid = self.accounts.uid("root"), self.accounts.gid("root")
        for directory in self.parents(path):
            atomic.make_directory(self.path(directory), mode=0o755, uid=uid, gid=gid)

    def claim(self, path: str, *, changed: bool) -> None:
        """Note that a file or link is ours from now on; not if it was there before us, just as it is wanted."""
        if path in self.before.files:
            self.next.files[path] = self.before.files[path]
        elif changed:
            self.next.files[path] = original_name(path) if os.path.lexists(self.path(path)) else ""
        if path in self.next.files:
            self.claim_directories(self.parents(path))

    def claim_directories(self, directories: Iterable[str]) -> None:
        """Note that directories are made by us."""
        self.next.directories += [each for each in directories if each not in self.next.directories]

    def save(self) -> None:
        """Write down everything that is ours or about to be, having put aside what was there before us."""
        with self._recording:
            for path, original in self.next.files.items():
                if original and path not in self.before.files:
                    self._put_aside(path, original)
            self._write(self.next.joined(self.before))

    def finish(self) -> None:
        """Write down that the run is through, unless that is what is written already."""
        if self.next.text() != self.before.text():
            self._write(self.next)

    def _write(self, written: Record) -> None:
        self.make_parents(record.PATH)
        uid, gid = self.accounts.uid("root"), self.accounts.gid("root")
        record.save(self.path(record.PATH), written.text(), uid=uid, gid=gid)

    def _put_aside(self, path: str, original: str) -> None:
        source, copy = self.path(path), self.path(f"{ORIGINALS}/{original}")
        if os.path.lexists(copy) or not os.path.lexists(source):
            return
        self.make_parents(f"{ORIGINALS}/{original}")
        copy_as_it_is(source, copy)

    def original(self, name: str) -> str:
        """Where the copy is of what was there before us."""
        return self.path(f"{ORIGINALS}/{name}")


def _place(certificate: Certificate) -> dict[str, str]:
    return {"path": certificate.path, "key": certificate.key, "kind": certificate.kind}


def original_name(path: str) -> str:
    """Name of the copy of what was at a path before us."""
    return path.lstrip("/").replace("%", "%25").replace("/", "%2F")


def copy_as_it_is(source: str, target: str) -> None:
    """Put a copy of a file or link at another path, with its owner and permissions."""
    status = os.lstat(source)
    if stat.S_ISLNK(status.st_mode):
        atomic.link(target, os.readlink(source))
    elif stat.S_ISREG(status.st_mode):
        with open(source, "rb") as stream:
            chunks = atomic.chunks_of(stream)
            atomic.write(target, chunks, mode=status.st_mode, uid=status.st_uid, gid=status.st_gid)
    else:
        raise KopsError(f"{source} is neither a file nor a link; move it away and run again")
