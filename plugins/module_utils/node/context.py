# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of one run of the converger."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..base.errors import KopsError
from ..base.report import Step
from ..exchange.items import Certificate, Config
from . import record
from .config import names
from .record import Record
from .redaction import Redactor
from .system import atomic
from .system.accounts import Accounts, read_accounts
from .system.fetch import Fetch, RetryPolicy
from .system.machine import Machine

# References of what is trusted: the certificates of a keyset, or its public keys.
_PUBLIC = ("authority/", "public/")
ORIGINALS = f"{record.DIRECTORY}/originals"


@dataclass
class Phase:
    """The planned steps of one part of a run. act: applies them all; by default each step that is due applies itself.

    separable: act leaves out what is deferred. Without it, all steps are deferred if one of them is.
    """

    steps: list[Step] = field(default_factory=list)
    act: Callable[[], None] | None = None
    separable: bool = False

    @property
    def due(self) -> bool:
        """Whether this run changes something by it."""
        return any(step.due for step in self.steps)

    def apply(self) -> None:
        """Make the changes. Raises KopsError."""
        if self.act is not None:
            self.act()
            return
        for step in self.steps:
            if step.due and step.act is not None:
                step.act()


class Context:
    """A run. First all parts plan: they add to problems, warnings, fetches and next. Only then the node is changed.

    before: the record of the last run. next: the record after this run.
    steps: of the parts planned so far. fetches: files to download. fetched: checksum -> downloaded file.
    reloaded: unit files that an already planned daemon-reload covers.
    wiped: directories that the wipe removes with all their content.
    deferring: some changes are left to a later run, so the record must not name the new NodeConfig.
    then: unit -> what begins as soon as this run has started it.
    restarted: units that this run started or restarted. steady: unit -> its number of restarts, and since when.
    """

    def __init__(
        self,
        machine: Machine,
        config: Config,
        secrets: dict[str, bytes],
        before: Record,
        retry: RetryPolicy = RetryPolicy(),  # noqa: B008 - it is immutable
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
            authorities={each.path: each.reference for each in config.files if each.reference.startswith(_PUBLIC)},
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
        self.deferring = False
        self.then: dict[str, Callable[[], None]] = {}
        self.restarted: set[str] = set()
        self.reloaded: set[str] = set()
        self.wiped: set[str] = set()
        self.steady: dict[str, tuple[int, float]] = {}
        self._recording = threading.Lock()
        # Of the record as it is on the disk: save() writes one that names no NodeConfig.
        self._written = before.text()

    def path(self, path: str) -> str:
        """The path in this process' view (tests have another root)."""
        return self.machine.path(path)

    def read_text(self, path: str) -> str:
        """Content of a text file, "" if it cannot be read."""
        return self.machine.read_text(path)

    def changes(self, reasons: Iterable[str], more: Iterable[Step] = ()) -> list[str]:
        """Labels of changed items that match one of the reasons (entries of restartOn).

        more: steps that are not in self.steps yet.
        """
        changed = [step.item for step in [*self.steps, *more] if step.changed]
        return [label for label in changed if any(names(reason, label) for reason in reasons)]

    def parents(self, path: str) -> list[str]:
        """The missing parent directories of a path, from the top."""
        missing: list[str] = []
        directory = os.path.dirname(path)
        while not os.path.lexists(self.path(directory)):
            missing.insert(0, directory)
            directory = os.path.dirname(directory)
        return missing

    def make_parents(self, path: str) -> None:
        """Create the missing parent directories of a path."""
        uid, gid = self.accounts.uid("root"), self.accounts.gid("root")
        for directory in self.parents(path):
            atomic.make_directory(self.path(directory), mode=0o755, uid=uid, gid=gid)

    def claim(self, path: str, *, changed: bool) -> None:
        """Record that a file or link is ours from now on. Not if it existed before with the wanted content."""
        if path in self.before.files:
            self.next.files[path] = self.before.files[path]
        elif changed:
            self.next.files[path] = original_name(path) if os.path.lexists(self.path(path)) else ""
        if path in self.next.files:
            self.claim_directories(self.parents(path))

    def claim_directories(self, directories: Iterable[str]) -> None:
        """Record that we created these directories."""
        self.next.directories += [each for each in directories if each not in self.next.directories]

    def save(self) -> None:
        """Write the record with all that is ours or will be, after backups of the originals of files were made."""
        with self._recording:
            # Other threads may claim more files meanwhile.
            for path, original in list(self.next.files.items()):
                if original and path not in self.before.files:
                    self._put_aside(path, original)
            self._write(self._unfinished())

    def finish(self) -> None:
        """Write the record of the completed run, if it changed."""
        done = self._unfinished() if self.deferring else self.next
        if done.text() != self._written:
            self._write(done)

    def _unfinished(self) -> Record:
        """The record while the node is between two states. What is deferred leaves it in the one that it had."""
        both = self.next.joined(self.before)
        if self.deferring:
            both.config, both.instance_group = self.before.config, self.before.instance_group
        return both

    def _write(self, written: Record) -> None:
        self.make_parents(record.PATH)
        uid, gid = self.accounts.uid("root"), self.accounts.gid("root")
        record.save(self.path(record.PATH), written.text(), uid=uid, gid=gid)
        self._written = written.text()

    def _put_aside(self, path: str, original: str) -> None:
        source, copy = self.path(path), self.path(f"{ORIGINALS}/{original}")
        if os.path.lexists(copy) or not os.path.lexists(source):
            return
        self.make_parents(f"{ORIGINALS}/{original}")
        copy_as_it_is(source, copy)

    def original(self, name: str) -> str:
        """Path of the backup of an original."""
        return self.path(f"{ORIGINALS}/{name}")


def _place(certificate: Certificate) -> dict[str, str]:
    return {"path": certificate.path, "key": certificate.key, "kind": certificate.kind}


def original_name(path: str) -> str:
    """File name of the backup of a path's original."""
    return path.lstrip("/").replace("%", "%25").replace("/", "%2F")


def copy_as_it_is(source: str, target: str) -> None:
    """Copy a file or link with its owner and mode."""
    status = os.lstat(source)
    if stat.S_ISLNK(status.st_mode):
        atomic.link(target, os.readlink(source))
    elif stat.S_ISREG(status.st_mode):
        with open(source, "rb") as stream:
            chunks = atomic.chunks_of(stream)
            atomic.write(target, chunks, mode=status.st_mode, uid=status.st_uid, gid=status.st_gid)
    else:
        raise KopsError(f"{source} is neither a file nor a link; move it away and run again")
