# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror that is filled: images into a registry, files into a file repository, but what is there already."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from ...base.outcome import Difference, Outcome
from ..progress import Progress
from .files import FileRepository, path_of
from .images import Image, Pushes
from .jobs import Job, distinct, run_jobs
from .references import Reference
from .registry import Descriptor, Registries

COPIED, PRESENT = "copied", "present"


class Source(Protocol):
    """Source from which a mirror is filled."""

    def reference(self, image: str) -> Reference:
        """Where an image is read, by its publisher's name."""

    def digest(self, reference: Reference) -> str:
        """The digest of an image."""

    def image(self, reference: Reference) -> Image:
        """An image's manifests."""

    def opened_blob(self, reference: Reference, blob: Descriptor) -> AbstractContextManager[IO[bytes]]:
        """A blob of an image, its checksum checked."""

    def checksum(self, file: Mapping[str, Any]) -> str:
        """The SHA-256 of a file; "" if none is known before it is read."""

    def opened_file(self, url: str, sha256: str) -> AbstractContextManager[tuple[IO[bytes], str]]:
        """A file by its publisher's URL, its checksum checked, and the checksum that it has."""


@dataclass(frozen=True)
class Mirror:
    """registries: targets of images. files: the file repository; None if no file is written."""

    registries: Registries
    files: FileRepository | None

    def fill(
        self,
        source: Source,
        images: Sequence[Mapping[str, str]],
        files: Sequence[Mapping[str, Any]],
        *,
        check: bool,
        progress: Progress,
    ) -> Outcome:
        """Copy what the mirror does not have. images: canonical and download; files: as the list of assets has them.

        All are tried; those that fail are named in the outcome's failure. Raises KopsError if two have the same place.
        """
        distinct((image["canonical"], image["download"]) for image in images)
        files = list({file["canonical"]: file for file in files}.values())
        distinct((file["canonical"], path_of(file["canonical"])) for file in files)
        pushes = Pushes(source.opened_blob)
        jobs = [
            *(Job(image["download"], self._image(source, pushes, image, check)) for image in images),
            *(Job(file["download"], self._file(source, file, check)) for file in files),
        ]
        verb = "would be copied" if check else "copied"
        done = run_jobs(jobs, progress, lambda row: f"{row['download']}: {verb}" if row["state"] == COPIED else "")
        copied = [row for row in done.rows if row["state"] == COPIED]
        after = [f"{row['download']} {row.get('digest') or row.get('sha256') or ''}".rstrip() for row in copied]
        return Outcome(
            changed=bool(copied),
            values={
                "images": [row for row in done.rows if "digest" in row],
                "files": [row for row in done.rows if "sha256" in row],
            },
            differences=[Difference.of_lines("images and files of the mirror", after=after)] if copied else [],
            failure=done.failure(len(jobs), "copied"),
        )

    def _image(
        self, source: Source, pushes: Pushes, image: Mapping[str, str], check: bool
    ) -> Callable[[], dict[str, Any]]:
        def run() -> dict[str, Any]:
            origin, target = source.reference(image["canonical"]), Reference.parse(image["download"])
            registry = self.registries.of(target.registry)
            digest = source.digest(origin)
            row = {"canonical": image["canonical"], "download": image["download"], "digest": digest}
            if registry.digest(target.repository, target.reference) == digest:
                return {**row, "state": PRESENT}
            if not check:
                pushes.push(source.image(origin), origin, registry, target)
            return {**row, "state": COPIED}

        return run

    def _file(self, source: Source, file: Mapping[str, Any], check: bool) -> Callable[[], dict[str, Any]]:
        repository = self.files
        if repository is None:
            raise AssertionError("files are copied to a file repository")

        def run() -> dict[str, Any]:
            url, path = file["canonical"], path_of(file["canonical"])
            sha256 = source.checksum(file)
            row = {"canonical": url, "download": file["download"], "sha256": sha256 or None}
            if repository.has(path, sha256):
                return {**row, "state": PRESENT}
            if not check:
                with source.opened_file(url, sha256) as (stream, found):
                    repository.put(path, stream, found)
                    row["sha256"] = found
            return {**row, "state": COPIED}

        return run


@contextmanager
def temporary_path() -> Iterator[Path]:
    """A name for a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="kops-assets-") as directory:
        yield Path(directory, "content")
