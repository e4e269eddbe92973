# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests: YAML text <-> hub objects, in the versions v1alpha2 (kops' stored one) and v1alpha3.

Reading applies the version's defaults and converts to the hub. Writing gives the same text as kops, byte for byte.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Callable, Union

from ..base.errors import FieldError, ManifestError, ValidationError
from .additional import AdditionalObject
from .cluster import Cluster
from .codec import read_into, to_plain
from .convert import path_between
from .host import Host
from .instance_group import InstanceGroup
from .keyset import Keyset
from .origin import Origin, mark
from .ssh_credential import SSHCredential
from .suggest import did_you_mean, nearest
from .v1alpha2 import conversion as v1alpha2
from .yaml.read import Document, read_documents
from .yaml.write import dump_plain

__all__ = ["ApiObject", "dump", "dump_all", "dump_plain", "from_data", "load", "to_data"]

ApiObject = Union[Cluster, InstanceGroup, Keyset, SSHCredential, Host, AdditionalObject]

GROUP = "kops.k8s.io"
DEFAULT_VERSION = "v1alpha2"
SEPARATOR = "\n---\n\n"

# Paths in kops' messages that are those of no version.
_OF_RULES = {
    "Cluster": {"spec.spec": "spec"},
    "InstanceGroup": {"spec.metadata": "metadata", "spec.networking.subnets": "spec.subnets"},
}


def _v1alpha2() -> Any:
    return v1alpha2


def _v1alpha3() -> Any:
    # Stores hold v1alpha2, so most processes never read this version.
    from .v1alpha3 import conversion

    return conversion


_VERSIONS: dict[str, Callable[[], Any]] = {"v1alpha2": _v1alpha2, "v1alpha3": _v1alpha3}
_API_VERSIONS = {f"{GROUP}/{version}": version for version in _VERSIONS} | {"kops/v1alpha2": "v1alpha2"}


def load(text: str | bytes, *, source: str = "", ignored: list[str] | None = None) -> list[ApiObject]:
    """The objects of a text with any number of YAML documents. Empty documents are skipped.

    source: for messages, such as the file's name.
    ignored: if given, unknown fields are added to it instead of being errors, as in kops. For stored objects, which may
        have fields of another version of kops.
    Raises ManifestError with all problems of all documents; or ValidationError if a document contradicts itself
    (settings of one cloud in a cluster on another one).
    """
    problems: list[str] = []
    contradictions: list[ValidationError] = []
    objects = [
        _load(document, problems, contradictions, ignored) for document in read_documents(text, source, problems)
    ]
    _raise_for(problems, contradictions)
    return objects


def from_data(data: dict[str, Any], *, where: str = "", ignored: list[str] | None = None) -> ApiObject:
    """The object from plain data with apiVersion and kind; see load."""
    problems: list[str] = []
    contradictions: list[ValidationError] = []
    found = _load(Document(where, data), problems, contradictions, ignored)
    _raise_for(problems, contradictions)
    return found


def to_data(obj: ApiObject, version: str = DEFAULT_VERSION) -> dict[str, Any]:
    """Plain data of an object in a version: apiVersion, kind, metadata, spec."""
    if isinstance(obj, AdditionalObject):
        return obj.data
    kind = type(obj).__name__
    served = _VERSIONS[version]()
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, **to_plain(served.from_hub(obj, served.KINDS[kind][0]))}


def dump(obj: ApiObject, version: str = DEFAULT_VERSION) -> str:
    """The manifest of an object as kops writes it."""
    return dump_plain(to_data(obj, version))


def dump_all(objs: Iterable[ApiObject], version: str = DEFAULT_VERSION) -> str:
    """The manifests of several objects in one text."""
    return SEPARATOR.join(dump(obj, version) for obj in objs)


def _raise_for(problems: list[str], contradictions: list[ValidationError]) -> None:
    if problems:
        raise ManifestError("\n".join(problems))
    if contradictions:
        errors = [error for contradiction in contradictions for error in contradiction.errors]
        raise ValidationError(errors, ", ".join(contradiction.subject for contradiction in contradictions))


def _load(
    document: Document, problems: list[str], contradictions: list[ValidationError], ignored: list[str] | None
) -> Any:
    data, before = document.data, len(problems)
    version, kind = _type_of(data, problems)
    if version and len(problems) == before:
        served = _VERSIONS[version]()
        own, hub = served.KINDS[kind]
        fields = {key: value for key, value in data.items() if key not in ("apiVersion", "kind")}
        unknown: list[str] | None = None if ignored is None else []
        obj = read_into(own, fields, problems, unknown)
        served.set_defaults(obj)
        errors: list[FieldError] = []
        found = served.to_hub(obj, hub, errors)
        if errors:
            contradictions.append(ValidationError(errors, document.where))
        moved = {**_OF_RULES.get(kind, {}), **served.MOVED.get(kind, {})}
        spell = functools.partial(path_between, source=hub, target=own, moved=moved)
        mark(found, Origin(document.where, document.line_of, spell))
        if ignored is not None and unknown:
            ignored.extend(f"{document.where}: {path}" for path in unknown)
    else:
        found = AdditionalObject(data)
    if document.where:
        problems[before:] = [f"{_place(document, problem)}: {problem}" for problem in problems[before:]]
    return found


def _place(document: Document, problem: str) -> str:
    """File, document, and the line of the path that the problem begins with."""
    line = document.line_of(problem.partition(": ")[0])
    return f"{document.where}, line {line}" if line else document.where


def _type_of(data: Any, problems: list[str]) -> tuple[str | None, str]:
    """Version and kind if the object is of kops' API group, (None, ...) if it is of another group."""
    if not isinstance(data, dict):
        problems.append("expected a mapping with apiVersion and kind")
        return None, ""
    for key in ("apiVersion", "kind"):
        if key not in data:
            problems.append(f"{key} is missing{did_you_mean(key, map(str, data))}")
        elif not isinstance(data[key], str) or not data[key]:
            problems.append(f"{key}: expected text")
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None, ""
    version = _API_VERSIONS.get(api_version)
    if version is None:
        group = api_version.partition("/")[0]
        if group in (GROUP, "kops") or nearest(group, [GROUP], cutoff=0.85):
            problems.append(f"apiVersion: unknown version {api_version}{did_you_mean(api_version, _API_VERSIONS)}")
        return None, kind
    kinds = _VERSIONS[version]().KINDS
    if kind and kind not in kinds:
        allowed = ", ".join(kinds)
        problems.append(f"kind: unknown kind {kind}{did_you_mean(kind, kinds)}; kinds of {api_version} are {allowed}")
    return version, kind
