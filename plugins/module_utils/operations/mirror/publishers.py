# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of images and files: their publishers, or what the user names instead."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..download import DownloadError
from ..update.upstream_files import fetch
from .credentials import Credentials
from .files import published_checksum
from .http import answer, fetch_to
from .images import Image, read_image, top_manifest
from .references import Reference
from .registry import Descriptor, Manifest, Registries

# The kind of a file that is a channel of addons, or one of its manifests.
_CHANNEL = "channel"


@dataclass(frozen=True)
class ReadingOptions:
    """sources: beginning of a publisher's name ("registry.k8s.io", "https://dl.k8s.io") -> what is read instead.

    plain_http: registries that speak HTTP. auth_file: with registries' logins; "" for the usual places.
    all_architectures: whether images are taken for all architectures, not only for those of the cluster.
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    plain_http: Sequence[str] = ()
    auth_file: str = ""
    all_architectures: bool = True

    def registries(self) -> Registries:
        """The registries of a run."""
        return Registries(Credentials(self.auth_file), self.plain_http)


@dataclass(frozen=True)
class Publishers:
    """Reads images and files by the names that their publishers gave them."""

    registries: Registries
    sources: Mapping[str, str]
    architectures: Collection[str]

    @classmethod
    def of(cls, options: ReadingOptions, architectures: Collection[str]) -> Publishers:
        """architectures: of the cluster."""
        wanted = () if options.all_architectures else architectures
        return cls(options.registries(), options.sources, wanted)

    def reference(self, image: str) -> Reference:
        """Where an image is read."""
        return Reference.parse(self._redirected(str(Reference.parse(image))))

    def url(self, url: str) -> str:
        """Where a file is read."""
        return self._redirected(url)

    def manifest_of(self, reference: Reference) -> Callable[[str], Manifest]:
        """Function: the manifest of a tag or digest of an image's repository."""
        registry = self.registries.of(reference.registry)
        return lambda wanted: registry.manifest(reference.repository, wanted)

    def digest(self, reference: Reference) -> str:
        """The digest of what is taken of an image. Raises KopsError where there is none."""
        if self.architectures:
            return top_manifest(self.manifest_of(reference), reference, self.architectures).digest
        found = self.registries.of(reference.registry).digest(reference.repository, reference.reference)
        if not found:
            raise DownloadError(f"{reference} does not exist", may_pass=False)
        return found

    def image(self, reference: Reference) -> Image:
        """Manifests of an image, for the chosen architectures."""
        return read_image(self.manifest_of(reference), reference, self.architectures)

    def blob(self, reference: Reference, blob: Descriptor, path: Path) -> None:
        """Download a blob of an image to a file."""
        self.registries.of(reference.registry).download(reference.repository, blob, path)

    def checksum(self, file: Mapping[str, Any]) -> str:
        """The SHA-256 that a file of the list of assets must have; "" if none is published."""
        if file["kind"] == _CHANNEL:
            # Its publisher changes it under the same URL. It is small.
            return hashlib.sha256(fetch(self.url(file["canonical"]))).hexdigest()
        url = file["sha256_url"]
        return published_checksum({**file, "sha256_url": self.url(url) if url else None}, self.url(file["canonical"]))

    def file(self, url: str, path: Path, sha256: str) -> str:
        """Download a file; returns its SHA-256."""
        return fetch_to(self.url(url), path, sha256=sha256)

    def file_size(self, url: str) -> int | None:
        """Size of a file, as the server says; None if it says none."""
        with answer(self.url(url), method="HEAD") as opened:
            length = opened.headers.get("Content-Length")
        return int(length) if length else None

    def _redirected(self, name: str) -> str:
        """The longest beginning counts."""
        for beginning in sorted(self.sources, key=len, reverse=True):
            plain = beginning.rstrip("/")
            if name.startswith(f"{plain}/"):
                return self.sources[beginning].rstrip("/") + name[len(plain) :]
        return name
