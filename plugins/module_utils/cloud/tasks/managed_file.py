# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task: a file that the cluster keeps in its state store, or in a store beside it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...base.errors import KopsError
from ...engine.task import Change, Deferred, Task, internal, secret
from ...statestore.vfs.open import open_path
from ..reads import Reads
from ._store import listed, want_listing
from ._terraform_files import add_file, can_write

if TYPE_CHECKING:
    from ...engine.targets.terraform import TerraformTarget
    from ...statestore.vfs.path import VFSPath


@dataclass(eq=False, repr=False)
class ManagedFile(Task[Reads]):
    """A file in a store.

    base: URL of a directory of the store. location: path below it. contents: all of it; Deferred where it depends on
    tasks. public: readable by everybody; stores do not list that, so it counts when the file is written.
    after: tasks that are done before, though the file says nothing of them.
    An unchanged cluster costs one listing: content is compared by size and checksum, and read only where it differs.
    """

    base: str | None = internal()
    location: str | None = internal()
    contents: str | bytes | Deferred | None = None
    public: bool | None = internal()
    after: list[Task[Any]] = internal(default_factory=list)

    def _place(self) -> tuple[str, str]:
        if not self.base or not self.location:
            raise KopsError(f"{self.key} has no place in a store")
        return self.base, self.location

    def _path(self) -> VFSPath:
        base, location = self._place()
        return open_path(base).join(location)

    @property
    def data(self) -> bytes:
        """The content as it is written."""
        if isinstance(self.contents, bytes):
            return self.contents
        return str(self.contents or "").encode()

    @property
    def store_only(self) -> bool:
        """Whether Terraform cannot write the file where it is, such as in a local directory."""
        return not can_write(self._path(), bool(self.public))

    def prepare(self, cloud: Reads) -> None:
        want_listing(cloud, self._place()[0])

    def find(self, cloud: Reads) -> ManagedFile | None:
        file = listed(cloud, *self._place())
        if file is None:
            return None
        if file.holds(self.data):
            return dataclasses.replace(self)
        return dataclasses.replace(self, contents=file.path.read())

    def create(self, cloud: Reads) -> None:
        self._path().write(self.data, public=bool(self.public))

    def update(self, cloud: Reads, actual: ManagedFile, changes: dict[str, Change]) -> None:
        self.create(cloud)

    def terraform(self, target: TerraformTarget) -> None:
        add_file(target, self.name, self._path(), self.data, bool(self.public))


@dataclass(eq=False, repr=False)
class ConfidentialFile(ManagedFile):
    """A file with secrets: plans say that it changes, but not what is in it."""

    contents: str | bytes | Deferred | None = secret()


@dataclass(eq=False, repr=False)
class StoreOnlyFile(ManagedFile):
    """A file that has to outlive its update, so Terraform, which deletes what is no longer wanted, does not get it."""

    @property
    def store_only(self) -> bool:
        """Always."""
        return True


@dataclass(eq=False, repr=False)
class ContentAddressedFile(StoreOnlyFile):
    """A file whose location holds the hash of its contents, so that the location says everything to a plan.

    It stays when later updates write others.
    """

    location: str | None = None
    contents: str | bytes | Deferred | None = internal()

    def find(self, cloud: Reads) -> ContentAddressedFile | None:
        """The file; None as well if something else is in its place, which is then written again."""
        file = listed(cloud, *self._place())
        return dataclasses.replace(self) if file is not None and file.holds(self.data) else None
