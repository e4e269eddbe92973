# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels: documents of the kind Addons that name addons and their manifests (channels/pkg of kops).

As in kops, a channel may also be the manifest of an addon itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from ...api.versions import Version, VersionRange
from ...base.errors import KopsError
from ..upstream import UpstreamFile, documents_of
from .manifest import objects_of

_KIND = "Addons"
_ROLLING = ("control-plane", "workers", "all")
# kops notes what it has installed in annotations with these names.
_NAME = re.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")
_SELECTORS = ("labelSelector", "fieldSelector")


@dataclass(frozen=True)
class Entry:
    """An addon as a channel names it.

    channel, manifest: URLs; manifest is "" if the channel itself is the manifest. versions: those of Kubernetes that it
    is for; None is all. prune: kinds of objects that are deleted when they have left the manifest, as in the document.
    """

    name: str
    channel: str
    manifest: str
    id: str = ""
    manifest_hash: str = ""
    versions: VersionRange | None = None
    needs_rolling_update: str = ""
    needs_pki: bool = False
    prune: dict[str, Any] | None = None


def parse_channel(url: str, data: bytes) -> UpstreamFile:
    """A channel, or the manifest that is in its place; raises KopsError with all that is wrong with it."""
    documents = documents_of(url, data)
    if not documents:
        raise KopsError(f"{url}: is empty; it must be a document of the kind {_KIND}, or Kubernetes objects")
    # As in kops, further documents of a channel do not count.
    if _is_channel(documents[0].data):
        entries_of(UpstreamFile(url, data, [documents[0].data]))
        return UpstreamFile(url, data, [documents[0].data])
    return UpstreamFile(url, data, objects_of(url, documents))


def entries_of(channel: UpstreamFile) -> list[Entry]:
    """The addons of a channel, in its order; raises KopsError with all that is wrong with them."""
    if not channel.objects:
        return []
    if not _is_channel(channel.objects[0]):
        name = f"manifest-{hashlib.sha256(channel.url.encode()).hexdigest()[:12]}"
        return [Entry(name, channel.url, "")]
    problems: list[str] = []
    entries = _entries(channel, problems)
    if problems:
        raise KopsError("\n".join(f"{channel.url}: {problem}" for problem in problems))
    return entries


def chosen(entries: Sequence[Entry], version: Version) -> list[Entry]:
    """One entry of each name, of those that are for a version of Kubernetes.

    Of several the last one counts, unless the one before has the same id and manifestHash; the field version says
    nothing. Source: GetCurrent and replaces in channels/pkg/channels of kops.
    """
    found: dict[str, Entry] = {}
    for entry in entries:
        known = found.get(entry.name)
        same = known is not None and (known.id, known.manifest_hash) == (entry.id, entry.manifest_hash)
        if not same and (entry.versions is None or version.release in entry.versions):
            found[entry.name] = entry
    return list(found.values())


def _is_channel(data: Any) -> bool:
    return isinstance(data, dict) and data.get("kind") == _KIND and not data.get("apiVersion")


def _entries(channel: UpstreamFile, problems: list[str]) -> list[Entry]:
    document = channel.objects[0]
    reader = _Reader(problems)
    default = reader.text(reader.mapping(document, "metadata", ""), "name", "metadata")
    addons = reader.items(reader.mapping(document, "spec", ""), "addons", "spec")
    return [
        reader.entry(addon, f"spec.addons[{index}]", channel.url, default)
        for index, addon in enumerate(addons)
        if reader.is_mapping(addon, f"spec.addons[{index}]")
    ]


class _Reader:
    """Reads fields of plain data. Fields of another type are problems, and count as empty."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems

    def entry(self, data: dict[str, Any], path: str, channel: str, default: str) -> Entry:
        name = self.text(data, "name", path) or default
        if not _NAME.fullmatch(name):
            self.problems.append(f"{path}.name: {name!r} is no name; letters, digits, '-', '_' and '.' are, 63 at most")
        rolling = self.text(data, "needsRollingUpdate", path)
        if rolling and rolling not in _ROLLING:
            self.problems.append(f"{path}.needsRollingUpdate: must be one of {', '.join(_ROLLING)}, not {rolling!r}")
        return Entry(
            name,
            channel,
            self._location(data, path, channel),
            self.text(data, "id", path),
            self.text(data, "manifestHash", path),
            self._versions(data, path),
            rolling,
            bool(self._field(data, "needsPKI", path, bool, False)),
            self._prune(data, path),
        )

    def _location(self, data: dict[str, Any], path: str, channel: str) -> str:
        manifest = self.text(data, "manifest", path)
        if not manifest:
            self.problems.append(f"{path}.manifest: must say where the addon's objects are")
            return ""
        url = resolve(channel, manifest)
        allowed = ("http", "https", scheme_of(channel))
        if scheme_of(url) not in allowed:
            # Who publishes a channel does not choose what is read of the controller and of its stores.
            self.problems.append(f"{path}.manifest: {url} must be of one of these: {', '.join(dict.fromkeys(allowed))}")
        return url

    def _versions(self, data: dict[str, Any], path: str) -> VersionRange | None:
        text = self.text(data, "kubernetesVersion", path)
        try:
            return VersionRange.parse(text) if text else None
        except KopsError as error:
            self.problems.append(f"{path}.kubernetesVersion: {error}")
            return None

    def _prune(self, data: dict[str, Any], path: str) -> dict[str, Any] | None:
        if data.get("prune") is None:
            return None
        path = f"{path}.prune"
        kinds = []
        for index, kind in enumerate(self.items(self._field(data, "prune", path, dict, {}), "kinds", path)):
            where = f"{path}.kinds[{index}]"
            if not self.is_mapping(kind, where):
                continue
            found: dict[str, Any] = {name: self.text(kind, name, where) for name in ("group", "kind", *_SELECTORS)}
            if not found["kind"]:
                self.problems.append(f"{where}.kind: is missing")
            found["namespaces"] = self.items(kind, "namespaces", where)
            if not all(isinstance(each, str) for each in found["namespaces"]):
                self.problems.append(f"{where}.namespaces: must be texts")
            kinds.append({name: value for name, value in found.items() if value})
        return {"kinds": kinds}

    def text(self, data: dict[str, Any], name: str, path: str) -> str:
        return str(self._field(data, name, path, str, ""))

    def items(self, data: dict[str, Any], name: str, path: str) -> list[Any]:
        return list(self._field(data, name, path, list, []))

    def mapping(self, data: dict[str, Any], name: str, path: str) -> dict[str, Any]:
        return dict(self._field(data, name, path, dict, {}))

    def is_mapping(self, value: Any, path: str) -> bool:
        if not isinstance(value, dict):
            self.problems.append(f"{path}: must be a mapping")
        return isinstance(value, dict)

    def _field(self, data: dict[str, Any], name: str, path: str, kind: type, default: Any) -> Any:
        value = data.get(name)
        if value is None or isinstance(value, kind):
            return default if value is None else value
        words = {str: "text", list: "a list", dict: "a mapping", bool: "true or false"}
        self.problems.append(f"{path}.{name}".lstrip(".") + f": must be {words[kind]}")
        return default


def scheme_of(url: str) -> str:
    """What is before the colon, in small letters."""
    return url.partition(":")[0].lower()


def resolve(channel: str, manifest: str) -> str:
    """The URL of a manifest: relative to the channel's unless it has a scheme itself."""
    if _SCHEME.match(manifest):
        return manifest
    # urljoin knows the paths of few schemes.
    scheme, _colon, rest = channel.partition(":")
    return scheme + urljoin(f"http:{rest}", manifest)[len("http") :]
