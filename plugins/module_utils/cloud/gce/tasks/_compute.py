# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of Compute Engine: where an object is, and how those of its kind are read and made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ....base.errors import KopsError
from ....engine.targets.imports import Import
from ....engine.task import Task, internal
from ..cloud import GCECloud
from ..identifiers import path_of, url_of
from ..ownership import mark, refuse_others
from ..resources.listing import GLOBAL, REGIONAL, Kind, of_kind
from ._google import GoogleTask

Described = Mapping[str, Any]
Referred = TypeVar("Referred", bound=Task[Any])


def described(cloud: GCECloud, kind: Kind) -> dict[str, Described]:
    """Path -> all objects of a kind, of whomever. One call, and its further pages."""
    return {each.path: each.described for each in of_kind(cloud, kind)}


def referred(
    urls: Iterable[str], wanted: Iterable[Referred] | None, path: Callable[[Referred], str], kind: type[Referred]
) -> list[Referred]:
    """What an object refers to: the wanted tasks where these are meant, and stand-ins for what is not wanted.

    path: of a wanted task's object. kind: of the stand-ins, whose names are paths.
    """
    known = {path(each): each for each in wanted or ()}
    paths = [path_of(url) or url for url in urls]
    return [known[each] if each in known else kind(each) for each in paths]


def refer(
    url: str | None, wanted: Referred | None, path: Callable[[Referred], str], kind: type[Referred]
) -> Referred | None:
    """As referred, of the one object that an object refers to; None for none."""
    found = referred([url] if url else [], [wanted] if wanted is not None else [], path, kind)
    return found[0] if found else None


def set_labels(cloud: GCECloud, path: str, labels: Mapping[str, str] | None) -> None:
    """Add labels to an object, and leave those of others. Reads it anew, for the fingerprint that Google asks for."""
    present = cloud.get("compute", path)
    if present is None:
        raise KopsError(f"{path} is not there any more")
    body = {
        "labelFingerprint": present["labelFingerprint"],
        "labels": {**(present.get("labels") or {}), **(labels or {})},
    }
    cloud.call(f"{path}/setLabels", body)


def labels_of(found: Described, wanted: Mapping[str, str] | None) -> dict[str, str]:
    """The labels of an object, as far as they are wanted: others may have their own."""
    labels = found.get("labels") or {}
    return {key: labels[key] for key in wanted or () if key in labels}


@dataclass(eq=False, repr=False)
class ComputeTask(GoogleTask):
    """An object of the cluster in its project; its task name is its name.

    seen: as the API described it, when it was looked at; None if it is not there, or is only referred to.
    resource: what Terraform's provider calls the kind.
    """

    seen: Described | None = internal()

    of: ClassVar[Kind]
    resource: ClassVar[str]

    def scope(self, cloud: GCECloud) -> str:
        """Where it is: "global", "regions/us-east1", "zones/us-east1-b"."""
        return f"{REGIONAL}/{cloud.region}" if self.of.scope == REGIONAL else GLOBAL

    def path(self, cloud: GCECloud) -> str:
        """Its path in the API, with the project."""
        return f"{self.collection(cloud)}/{self.name}"

    def url(self, cloud: GCECloud) -> str:
        """By which others refer to it."""
        return url_of(self.path(cloud))

    def collection(self, cloud: GCECloud) -> str:
        """The path of what it is made in."""
        return f"{cloud.project}/{self.scope(cloud)}/{self.of.collection}"

    def described(self, cloud: GCECloud) -> Described | None:
        """The object as the API describes it; None if there is none. Raises KopsError for one that is another's."""
        found = cloud.once(described, self.of).get(self.path(cloud))
        if found is not None:
            refuse_others(cloud, self.kind, found)
        self.seen = found
        return found

    def insert(self, cloud: GCECloud, **properties: Any) -> None:
        """Make it, marked as the cluster's; properties that are None are left out."""
        body = {"name": self.name, "description": mark(cloud), **given(properties)}
        cloud.insert(self.collection(cloud), body)

    def terraform_imports(self) -> Iterator[Import]:
        """What Terraform takes over. The mark stays: without it, Terraform would make most kinds anew."""
        if self.seen is not None:
            kept = {"description": self.seen.get("description") or None}
            yield Import(self.resource, self.name, f"projects/{path_of(str(self.seen['selfLink']))}", kept)


def given(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties without those that are None."""
    return {key: value for key, value in properties.items() if value is not None}


def number(value: Any) -> int | None:
    """A number of the API, which writes long ones as text; None for none."""
    return None if value is None else int(value)


def text(value: int | None) -> str | None:
    """A number as the API takes long ones."""
    return None if value is None else str(value)
