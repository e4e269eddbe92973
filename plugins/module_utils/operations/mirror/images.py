# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images as what they consist of: read from a registry, for all architectures or for some, and put into another one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import IO, Any

from ...base.errors import KopsError
from .references import Reference
from .registry import INDEXES, MANIFESTS, Descriptor, Manifest, Registry

# Of layers that only their publisher may distribute: those of Windows.
_NOT_DISTRIBUTED = ("foreign", "nondistributable")
# Lists of lists are allowed; nobody has this many.
_DEEPEST = 4


@dataclass(frozen=True)
class Image:
    """An image. manifest: what its name stands for. parts: the manifests that this one lists, after their own parts."""

    manifest: Manifest
    parts: tuple[Manifest, ...] = ()

    @property
    def blobs(self) -> list[Descriptor]:
        """Configurations and layers, each once. Raises KopsError for a manifest that is not understood."""
        found: dict[str, Descriptor] = {}
        for manifest in (*self.parts, self.manifest):
            if manifest.media_type in MANIFESTS:
                found.update({blob.digest: blob for blob in _blobs(manifest.content())})
        return list(found.values())

    @property
    def size(self) -> int:
        """Bytes of all of it, as registries keep it."""
        return sum(blob.size for blob in self.blobs) + sum(len(each.data) for each in (self.manifest, *self.parts))


def read_image(manifest_of: Callable[[str], Manifest], reference: Reference, architectures: Collection[str]) -> Image:
    """The image that a name stands for.

    manifest_of: the manifest of a tag or digest. architectures: those that are wanted of an image for several
    ("amd64"), on Linux; none for all of them. An image that is named by its digest is always whole.
    Raises KopsError where it is not understood, or is for none of the architectures.
    """
    manifest = top_manifest(manifest_of, reference, architectures)
    parts: dict[str, Manifest] = {}
    for part in _parts(manifest_of, manifest, 0):
        parts.setdefault(part.digest, part)
    return Image(manifest, tuple(parts.values()))


def top_manifest(
    manifest_of: Callable[[str], Manifest], reference: Reference, architectures: Collection[str]
) -> Manifest:
    """The manifest or list of manifests of an image, for these architectures."""
    found = manifest_of(reference.reference)
    content = found.content()
    kind = content.get("mediaType") or found.media_type
    if kind not in (*INDEXES, *MANIFESTS):
        raise KopsError(f"a manifest of the type {kind} is not understood")
    manifest = Manifest(found.data, kind)
    if kind not in INDEXES or not architectures or reference.is_pinned:
        return manifest
    entries = content.get("manifests") or []
    wanted = [entry for entry in entries if _fits(entry.get("platform") or {}, architectures)]
    if not wanted:
        present = sorted({str((entry.get("platform") or {}).get("architecture")) for entry in entries})
        raise KopsError(f"is not for {', '.join(sorted(architectures))}, but for {', '.join(present) or 'nothing'}")
    if len(wanted) == len(entries):
        return manifest
    # The same list gives the same bytes, and so the same digest.
    shorter = json.dumps({**content, "manifests": wanted}, separators=(",", ":"), sort_keys=True)
    return Manifest(shorter.encode(), kind)


def _fits(platform: dict[str, Any], architectures: Collection[str]) -> bool:
    return platform.get("os") == "linux" and platform.get("architecture") in architectures


def _parts(manifest_of: Callable[[str], Manifest], manifest: Manifest, depth: int) -> Iterator[Manifest]:
    if manifest.media_type not in INDEXES:
        return
    if depth >= _DEEPEST:
        raise KopsError("its lists of manifests contain each other")
    for entry in manifest.content().get("manifests") or []:
        descriptor = Descriptor.of(entry)
        found = manifest_of(descriptor.digest)
        part = Manifest(found.data, entry.get("mediaType") or found.media_type)
        yield from _parts(manifest_of, part, depth + 1)
        yield part


def _blobs(content: dict[str, Any]) -> Iterator[Descriptor]:
    for entry in [content.get("config") or {}, *(content.get("layers") or [])]:
        if not any(word in str(entry.get("mediaType")) for word in _NOT_DISTRIBUTED):
            yield Descriptor.of(entry)


@dataclass
class Pushes:
    """Puts images into registries. Threads may share it: layers that images have in common are sent once."""

    opened: Callable[[Reference, Descriptor], AbstractContextManager[IO[bytes]]]
    _places: dict[tuple[str, str], str] = field(default_factory=dict)
    _locks: dict[tuple[str, str], threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def push(self, image: Image, source: Reference, registry: Registry, target: Reference) -> int:
        """Put an image into a registry, its name last; returns how many bytes were sent."""
        sent = sum(self._blob(blob, source, registry, target.repository) for blob in image.blobs)
        for part in image.parts:
            registry.put(target.repository, part.digest, part)
        registry.put(target.repository, target.reference, image.manifest)
        return sent

    def _blob(self, blob: Descriptor, source: Reference, registry: Registry, repository: str) -> int:
        key = (registry.host, blob.digest)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            sent = 0
            if not registry.has(repository, blob):
                elsewhere = self._places.get(key, "")
                if not (elsewhere and registry.mount(repository, blob, elsewhere)):
                    with self.opened(source, blob) as stream:
                        registry.upload(repository, blob, stream)
                    sent = blob.size
            self._places[key] = repository
            return sent
