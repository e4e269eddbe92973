# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""assets --copy: a cluster's images and files from their publishers to where spec.assets says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from ...base.errors import KopsError
from ...base.outcome import Outcome
from ...statestore.store import ClusterStore
from ..assets import read_assets
from ..progress import Progress, silent
from .files import FileRepository
from .images import Image
from .publishers import Publishers, ReadingOptions
from .references import Reference
from .registry import Descriptor
from .target import Mirror, temporary_path


@dataclass(frozen=True)
class _Downloaded:
    """Publishers, whose images and files are downloaded to a temporary file each."""

    publishers: Publishers

    def reference(self, image: str) -> Reference:
        return self.publishers.reference(image)

    def digest(self, reference: Reference) -> str:
        return self.publishers.digest(reference)

    def image(self, reference: Reference) -> Image:
        return self.publishers.image(reference)

    @contextmanager
    def opened_blob(self, reference: Reference, blob: Descriptor) -> Iterator[IO[bytes]]:
        with temporary_path() as path:
            self.publishers.blob(reference, blob, path)
            with open(path, "rb") as stream:
                yield stream

    def checksum(self, file: Mapping[str, Any]) -> str:
        return self.publishers.checksum(file)

    @contextmanager
    def opened_file(self, url: str, sha256: str) -> Iterator[tuple[IO[bytes], str]]:
        with temporary_path() as path:
            found = self.publishers.file(url, path, sha256)
            with open(path, "rb") as stream:
                yield stream, found


def copy_assets(
    state_store: str,
    name: str,
    *,
    architectures: Sequence[str] = (),
    file_repository: str = "",
    options: ReadingOptions,
    check: bool = False,
    progress: Progress = silent,
) -> Outcome:
    """Copy what a stored cluster needs to its mirror. file_repository: where its files are written, if not by the URL
    of spec.assets.fileRepository.

    Raises KopsError if nothing says where to copy, and what read_assets raises.
    """
    assets = read_assets(state_store, name, architectures)
    redirection = ClusterStore.open(state_store, name).read()[0].spec.assets
    images = [image for image in assets["images"] if image["canonical"] != image["download"]]
    files = [file for file in assets["files"] if file["canonical"] != file["download"]]
    if not images and not files:
        raise KopsError(
            f"{assets['name']}: there is nowhere to copy to: spec.assets has neither a fileRepository nor a"
            " containerRegistry or containerProxy"
        )
    repository = redirection.file_repository if redirection and files else None
    mirror = Mirror(options.registries(), FileRepository.open(repository, file_repository) if repository else None)
    source = _Downloaded(Publishers.of(options, assets["architectures"]))
    outcome = mirror.fill(source, images, files, check=check, progress=progress)
    return Outcome(
        changed=outcome.changed,
        values={**outcome.values, "name": assets["name"]},
        differences=outcome.differences,
        warnings=assets["warnings"],
        failure=outcome.failure,
    )
