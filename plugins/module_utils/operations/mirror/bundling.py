# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes an offline bundle: one archive with all images and files of a cluster.

What is downloaded is kept beside the archive, in <archive>.work, until the archive is complete: a run that was
interrupted goes on there (work.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...base.errors import KopsError
from ...base.outcome import Difference, Outcome
from ..assets import read_assets
from ..progress import Progress, silent
from .archive import FORMAT, Archive, blob_path, file_path, layout, write
from .images import Image
from .jobs import Job, distinct, run_jobs
from .publishers import Publishers, ReadingOptions
from .references import Reference
from .work import Work, working


def bundle_assets(
    state_store: str,
    name: str,
    path: str,
    *,
    architectures: Sequence[str] = (),
    options: ReadingOptions,
    check: bool = False,
    progress: Progress = silent,
) -> Outcome:
    """Write the bundle of a stored cluster to a file, unless that has it already.

    Raises KopsError where an image or file cannot be had, after all others were downloaded, while another run writes to
    the file; and what read_assets does.
    """
    assets = read_assets(state_store, name, architectures)
    publishers = Publishers.of(options, assets["architectures"])
    target = Path(path).expanduser().absolute()
    files = list({file["canonical"]: file for file in assets["files"]}.values())
    distinct((file["canonical"], file_path(file["canonical"])) for file in files)
    names = [image["canonical"] for image in assets["images"]]
    jobs = [
        *(Job(image, lambda image=image: _wanted_image(publishers, image)) for image in names),  # type: ignore[misc]
        *(Job(file["canonical"], lambda file=file: _wanted_file(publishers, file)) for file in files),  # type: ignore[misc]
    ]
    wanted = run_jobs(jobs, silent, lambda row: "")
    if wanted.problems:
        raise KopsError(wanted.failure(len(jobs), "found"))
    head = {key: assets[key] for key in ("name", "kubernetes_version", "architectures")}
    old = _present(target)
    if old and _is_same(old, head, wanted.rows):
        return Outcome(values=_values(old), warnings=assets["warnings"])
    if not check:
        with working(target) as directory:
            # Another run may have replaced the archive since.
            work = Work(directory, _present(target))
            _make(publishers, target, work, head, wanted.rows, progress)
    before = _lines(old.index["images"], old.index["files"]) if old else []
    rows = wanted.rows
    after = _lines([row for row in rows if "digest" in row], [row for row in rows if "url" in row])
    return Outcome(
        changed=True,
        values={"path": str(target)} if check else _values(Archive.open(target)),
        differences=[Difference.of_lines(str(target), before, after)],
        warnings=assets["warnings"],
    )


def _present(target: Path) -> Archive | None:
    return Archive.open(target) if target.exists() and target.stat().st_size else None


def _values(archive: Archive) -> dict[str, Any]:
    values = {key: archive.index[key] for key in ("images", "files")}
    return {**values, "path": str(archive.path), "size": archive.path.stat().st_size, "sha256": archive.sha256()}


def _lines(images: Sequence[Mapping[str, Any]], files: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        *(f"{image['name']} {image['digest']}" for image in images),
        *(f"{file['url']} {file['sha256']}".rstrip() for file in files),
    ]


def _wanted_image(publishers: Publishers, image: str) -> dict[str, Any]:
    return {"name": image, "digest": publishers.digest(publishers.reference(image))}


def _wanted_file(publishers: Publishers, file: Mapping[str, Any]) -> dict[str, Any]:
    row = {"kind": file["kind"], "architecture": file["architecture"], "url": file["canonical"]}
    return {**row, "sha256": publishers.checksum(file)}


def _is_same(old: Archive, head: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an archive has what is wanted. A file whose checksum nobody publishes is as it was."""
    images = {image["name"]: image["digest"] for image in old.index["images"]}
    files = {file["url"]: file["sha256"] for file in old.index["files"]}
    return (
        {key: old.index.get(key) for key in head} == dict(head)
        and images == {row["name"]: row["digest"] for row in rows if "digest" in row}
        and files == {row["url"]: row["sha256"] or files.get(row["url"]) for row in rows if "url" in row}
    )


def _make(
    publishers: Publishers,
    target: Path,
    work: Work,
    head: Mapping[str, Any],
    wanted: Sequence[Mapping[str, Any]],
    progress: Progress,
) -> None:
    contents: dict[str, bytes | Path] = {}

    def image(row: Mapping[str, Any]) -> dict[str, Any]:
        reference = publishers.reference(row["name"])
        found = publishers.image(reference)
        if found.manifest.digest != row["digest"]:
            raise KopsError(f"it was changed meanwhile: {row['digest']} became {found.manifest.digest}")
        _keep_image(publishers, work, reference, found)
        for part in (found.manifest, *found.parts):
            contents[blob_path(part.digest)] = part.data
        contents.update({blob_path(blob.digest): work.path(blob.sha256) for blob in found.blobs})
        manifest = found.manifest
        return {**row, "media_type": manifest.media_type, "size": len(manifest.data)}

    def file(row: Mapping[str, Any]) -> dict[str, Any]:
        sha256 = _keep_file(publishers, work, row["url"], row["sha256"])
        path = file_path(row["url"])
        contents[path] = work.path(sha256)
        return {**row, "sha256": sha256, "path": path}

    jobs = [
        Job(row.get("name") or row["url"], lambda row=row: image(row) if "digest" in row else file(row))  # type: ignore[misc]
        for row in wanted
    ]
    done = run_jobs(jobs, progress, lambda row: f"{row.get('name') or row['url']}: read")
    if done.problems:
        raise KopsError(done.failure(len(jobs), "read"))
    images = [row for row in done.rows if "digest" in row]
    contents.update(layout(images))
    index = {
        "format": FORMAT,
        **head,
        "images": images,
        "files": [row for row in done.rows if "url" in row],
        "contents": {name: _described(content) for name, content in contents.items()},
    }
    write(target, index, contents)


def _described(content: bytes | Path) -> dict[str, Any]:
    if isinstance(content, bytes):
        return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    return {"sha256": content.name, "size": content.stat().st_size}


def _keep_image(publishers: Publishers, work: Work, reference: Reference, image: Image) -> None:
    for blob in image.blobs:
        with work.locked(blob.sha256):
            if not work.has(blob.sha256):
                publishers.blob(reference, blob, work.partial(blob.sha256))
                work.partial(blob.sha256).rename(work.path(blob.sha256))


def _keep_file(publishers: Publishers, work: Work, url: str, sha256: str) -> str:
    if sha256:
        with work.locked(sha256):
            if not work.has(sha256):
                publishers.file(url, work.partial(sha256), sha256)
                work.partial(sha256).rename(work.path(sha256))
        return sha256
    # Nothing says whether the beginning that an interrupted run left is that of the same file.
    partial = work.partial(hashlib.sha256(url.encode()).hexdigest())
    partial.unlink(missing_ok=True)
    found = publishers.file(url, partial, "")
    partial.rename(work.path(found))
    return found
