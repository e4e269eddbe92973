# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the servers of an instance group are made from, where the cloud has no such object: a file of the state store.

So whoever replaces a server makes what was applied last. A server has a mark of it (made_from.py).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ...base.errors import KopsError
from ...engine.task import Change, Deferred, Task, internal
from ...statestore.vfs.open import open_path
from ..reads import Reads
from ..tasks._store import listed, want_listing
from ..user_data import changes_of, consequence_of
from .made_from import USER_DATA, differing, digest, mark_of, parts_of

if TYPE_CHECKING:
    from ...statestore.vfs.path import Listed

FILE = "server-template.json"
# Below the cluster's directory of the state store: all files of instance groups.
_GROUPS = "igconfig"
_USER_DATA, _USER_DATA_LENGTH = "userData", 32
_PARALLEL = 8

CloudT_contra = TypeVar("CloudT_contra", bound=Reads, contravariant=True)
TemplateT = TypeVar("TemplateT", bound="StoredTemplate[Any]")


@dataclass(eq=False, repr=False)
class StoredTemplate(Task[CloudT_contra]):
    """What servers are made from; its name is that of the instance group. A cloud adds the fields.

    base: URL of the cluster's directory in the state store. location: below it, of the file.
    user_data: "" for none. after: tasks that have to be done before a server is made.
    only_id: it was read, and is not looked at.
    words: part of a mark -> what is said where it differs; of others "another PART".
    """

    base: str = internal("")
    location: str = internal("")
    user_data: str | Deferred | None = None
    after: list[Task[Any]] = internal(default_factory=list)
    only_id: bool = internal(False)

    starts_instances: ClassVar[bool] = True
    words: ClassVar[Mapping[str, str]] = {}

    # -- what a cloud says --------------------------------------------------------------------------------------

    def stored(self) -> dict[str, Any]:
        """The fields as plain data, without user data. Raises KopsError if what it refers to is not there."""
        raise NotImplementedError(f"{self.kind}.stored")

    @classmethod
    def fields_of(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of what stored() gave. Raises KeyError, TypeError, ValueError for what is none of it."""
        raise NotImplementedError(f"{cls.__name__}.fields_of")

    def parts(self, number: int) -> dict[str, Any]:
        """What the server of a number is made from beside user data: part -> plain data."""
        raise NotImplementedError(f"{self.kind}.parts")

    # -- in the store -------------------------------------------------------------------------------------------

    @property
    def store_only(self) -> bool:
        """Always: whoever replaces servers reads it, whatever makes the first of them."""
        return True

    @property
    def made_directly(self) -> bool:
        """Always: it has ids of what Terraform makes."""
        return True

    def prepare(self, cloud: CloudT_contra) -> None:
        want_listing(cloud, self.base)

    def find(self, cloud: CloudT_contra) -> StoredTemplate[CloudT_contra] | None:
        file = listed(cloud, self.base, self.location)
        if file is None:
            return None
        try:
            return read_template(type(self), self.base, self.location, file.path.read())
        except KopsError:
            # It is written anew.
            return None

    def create(self, cloud: CloudT_contra) -> None:
        text = str(self.user_data or "")
        if text:
            # Servers that are there were started with others, which stay.
            _user_data_at(self.base, self.location, _digest(text)).write(text.encode())
        open_path(self.base).join(self.location).write(self.document())

    def update(self, cloud: CloudT_contra, actual: StoredTemplate[CloudT_contra], changes: dict[str, Change]) -> None:
        self.create(cloud)

    def consequence(self, actual: StoredTemplate[CloudT_contra], changes: dict[str, Change]) -> str:
        """Why servers that run are not what new ones will be."""
        data = str(actual.user_data or ""), str(self.user_data or "")
        return consequence_of(self.why(actual.mark(1), self.mark(1), *data))

    def document(self) -> bytes:
        """What is stored. Raises KopsError if what it refers to is not there."""
        data = _digest(str(self.user_data)) if self.user_data else ""
        return json.dumps({"group": self.name, **self.stored(), _USER_DATA: data}, indent=1, sort_keys=True).encode()

    # -- what a server is made from -----------------------------------------------------------------------------

    def mark(self, number: int) -> str:
        """What the server of a number is made from, as its mark says it."""
        data = _digest(str(self.user_data)) if self.user_data else ""
        return f"{mark_of(self.parts(number))} {USER_DATA}:{data}"

    def why(self, before: str, after: str, user_data_before: str, user_data_after: str) -> list[str]:
        """In what two marks differ, in words."""
        found = []
        for part in differing(before, after):
            if part == USER_DATA:
                found += changes_of(user_data_before, user_data_after) or ["other user data"]
            else:
                found.append(self.words.get(part, f"another {part}"))
        return found

    def why_outdated(self, number: int, mark: str) -> str:
        """Why the server of a number, which has a mark, is not what a new one would be; "" if it is."""
        wanted = self.mark(number)
        if mark == wanted:
            return ""
        data = user_data_of_mark(self.base, self.location, mark)
        return f"new servers of its group have {', '.join(self.why(mark, wanted, data, str(self.user_data or '')))}"


def read_template(kind: type[TemplateT], base: str, location: str, document: bytes) -> TemplateT:
    """A template as it is stored. Raises KopsError if it is none."""
    try:
        found: Mapping[str, Any] = json.loads(document)
        data = user_data_of_mark(base, location, f"{USER_DATA}:{found[_USER_DATA]}")
        read = kind(found["group"], base=base, location=location, user_data=data, only_id=True)
        return dataclasses.replace(read, **kind.fields_of(found))
    except (ValueError, KeyError, TypeError) as error:
        raise KopsError(f"{base}/{location} is no template of servers: update_cluster writes it anew") from error


def stored_templates(kind: type[TemplateT], store: str) -> dict[str, TemplateT]:
    """Instance group -> what its servers are made from. store: URL of the cluster's directory; "" if nobody knows."""
    if not store:
        return {}

    def read(file: Listed) -> TemplateT:
        return read_template(kind, store, f"{_GROUPS}/{file.name}", file.path.read())

    files = [each for each in open_path(store).join(_GROUPS).list_tree() if each.name.endswith(f"/{FILE}")]
    with ThreadPoolExecutor(_PARALLEL) as pool:
        return {each.name: each for each in pool.map(read, files)}


def user_data_of_mark(base: str, location: str, mark: str) -> str:
    """The user data of a server that has this mark; "" for none, or if it is not kept."""
    data = parts_of(mark).get(USER_DATA)
    if not data:
        return ""
    try:
        return str(_user_data_at(base, location, data).read().decode())
    except FileNotFoundError:
        return ""


def _user_data_at(base: str, location: str, data: str) -> Any:
    return open_path(base).join(location.rpartition("/")[0], USER_DATA, data)


def _digest(text: str) -> str:
    return digest(text, _USER_DATA_LENGTH)
