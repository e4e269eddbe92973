# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads an offline bundle into a mirror, after all of it was verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ...api.cluster import AssetsSpec
from ...base.errors import KopsError
from ...base.outcome import Outcome
from ...completion.assets import remap_image
from ...statestore.vfs.open import open_path
from ..progress import Progress, silent
from .archive import Archive, blob_path
from .files import FileRepository, path_of
from .images import Image, read_image
from .publishers import ReadingOptions
from .references import Reference
from .registry import Descriptor, Manifest
from .target import Mirror


@dataclass(frozen=True)
class _Packed:
    """An archive as a source. images: publisher's name as a reference -> its entry in the index."""

    archive: Archive
    images: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, archive: Archive) -> _Packed:
        return cls(archive, {str(Reference.parse(image["name"])): image for image in archive.index["images"]})

    def reference(self, image: str) -> Reference:
        return Reference.parse(image)

    def digest(self, reference: Reference) -> str:
        digest: str = self.images[str(reference)]["digest"]
        return digest

    def image(self, reference: Reference) -> Image:
        entry = self.images[str(reference)]

        def manifest_of(wanted: str) -> Manifest:
            digest = entry["digest"] if wanted == reference.reference else wanted
            media_type = entry["media_type"] if digest == entry["digest"] else ""
            return Manifest(self.archive.read(blob_path(digest)), media_type)

        return read_image(manifest_of, reference, ())

    @contextmanager
    def opened_blob(self, _reference: Reference, blob: Descriptor) -> Iterator[IO[bytes]]:
        with self.archive.opened(blob_path(blob.digest)) as stream:
            yield stream

    def checksum(self, file: Mapping[str, Any]) -> str:
        sha256: str = file["sha256"]
        return sha256

    @contextmanager
    def opened_file(self, url: str, sha256: str) -> Iterator[tuple[IO[bytes], str]]:
        (path,) = [file["path"] for file in self.archive.index["files"] if file["url"] == url]
        with self.archive.opened(path) as stream:
            yield stream, sha256

    def verify(self) -> None:
        """Raises KopsError where a part of an image is missing, or is not as its manifest says."""
        contents = self.archive.index["contents"]
        problems = []
        for name in self.images:
            reference = Reference.parse(name)
            try:
                image = self.image(reference)
                parts = [*image.blobs, *(each.descriptor for each in (image.manifest, *image.parts))]
                lacking = [
                    part.digest
                    for part in parts
                    if contents.get(blob_path(part.digest)) != {"sha256": part.sha256, "size": part.size}
                ]
                problems += [f"{name}: {digest} is missing" for digest in lacking]
            except KopsError as error:
                problems.append(f"{name}: {error}")
        for file in self.archive.index["files"]:
            if contents.get(file["path"], {}).get("sha256") != file["sha256"]:
                problems.append(f"{file['url']}: {file['path']} is missing")
        if problems:
            raise KopsError("\n".join([f"{self.archive.path}: is damaged:", *(f"- {each}" for each in problems)]))


def load_bundle(
    path: str,
    *,
    sha256: str = "",
    file_repository: str = "",
    container_registry: str = "",
    container_proxy: str = "",
    options: ReadingOptions,
    check: bool = False,
    progress: Progress = silent,
) -> Outcome:
    """Write the files of a bundle to a file repository, and its images to a registry, under the names that clusters
    with these fields of spec.assets ask for.

    sha256: of the archive; "" if it is not known. file_repository: an address that can be written.
    Raises KopsError if the archive is not whole, before anything is written; and if nothing says where to write.
    """
    if not (file_repository or container_registry or container_proxy):
        raise KopsError("there is nowhere to load to: set file_repository, and container_registry or container_proxy")
    archive = Archive.open(Path(path).expanduser().absolute())
    found = archive.sha256() if sha256 else ""
    if found != sha256.lower():
        raise KopsError(f"{archive.path}: its SHA-256 is {found}, but {sha256} is expected")
    archive.verify()
    packed = _Packed.of(archive)
    packed.verify()
    redirection = AssetsSpec(container_registry=container_registry or None, container_proxy=container_proxy or None)
    named = [image["name"] for image in archive.index["images"]] if container_registry or container_proxy else []
    images = [{"canonical": name, "download": remap_image(name, redirection)} for name in named]
    repository = FileRepository(open_path(file_repository), public=True) if file_repository else None
    files = [
        {**file, "canonical": file["url"], "download": str(repository.root.join(path_of(file["url"])))}
        for file in archive.index["files"]
        if repository
    ]
    mirror = Mirror(options.registries(), repository)
    outcome = mirror.fill(packed, images, files, check=check, progress=progress)
    values = {key: archive.index.get(key) for key in ("kubernetes_version", "architectures", "name")}
    return Outcome(
        changed=outcome.changed,
        values={**outcome.values, **values},
        differences=outcome.differences,
        failure=outcome.failure,
    )
