# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloaded files, and files from downloaded archives.

The record keeps size, times and inode of each installed file, so that an unchanged file is not read again.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import posixpath
import stat
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from ...base.errors import KopsError
from ...base.report import Step
from ...exchange.items import Download, Unpack
from ..context import Context, Phase
from ..system import atomic
from ..system.fetch import Fetch, checksum
from .removed import remove_or_restore

_PARALLEL = 2
# What the record has of a file that may be there or not.
_UNKNOWN: dict[str, Any] = {"sha256": "", "seen": []}


def plan(context: Context) -> Phase:
    """Compare the installed files with the configuration."""
    steps = [_plan_download(context, download) for download in context.config.downloads]

    def act() -> None:
        due = [(download, step.act) for download, step in zip(context.config.downloads, steps) if step.act]
        # What takes longest is begun first: unpacking, and of large files.
        due.sort(key=lambda each: (bool(each[0].dest), -os.path.getsize(context.fetched[each[0].sha256])))
        with ThreadPoolExecutor(_PARALLEL) as pool:
            for done in [pool.submit(place) for _download, place in due]:
                done.result()
        context.save()

    return Phase(steps, act)


def _plan_download(context: Context, download: Download) -> Step:
    step = Step(download.label)
    known = context.before.downloads.get(download.name)
    placed = _as_placed(context, download, known)
    step.changed = placed is None
    if placed is not None:
        context.next.downloads[download.name] = placed
    for path in _destinations(download, known):
        context.claim(path, changed=step.changed)
    if step.changed:
        if known and known["sha256"]:
            step.before = {"version": known["version"], "sha256": known["sha256"]}
        step.after = {"version": download.version, "sha256": download.sha256}
        step.act = lambda: _place(context, download, known)
        context.fetches.append(Fetch(download.label, download.urls, download.sha256, download.size))
    return step


def _as_placed(context: Context, download: Download, known: dict[str, Any] | None) -> dict[str, Any] | None:
    """The record's entry for an installed download; None if it must be installed."""
    if known is None and download.dest:
        # An existing file may be the right one. Files from an archive cannot be recognized without their record.
        known = _entry(download, {download.dest: {"sha256": download.sha256, "seen": []}})
    if known is None or known["sha256"] != download.sha256 or known["rules"] != _rules(download):
        return None
    files = {}
    for path, file in known["files"].items():
        seen = _seen(context.path(path))
        untouched = seen and seen == file["seen"]
        if not untouched and not _is_right(context, path, file["sha256"], _mode_of(download, path)):
            return None
        files[path] = {"sha256": file["sha256"], "seen": seen}
    return _entry(download, files)


def _is_right(context: Context, path: str, sha256: str, mode: int) -> bool:
    real = context.path(path)
    try:
        status = os.lstat(real)
    except FileNotFoundError:
        return False
    return (
        stat.S_ISREG(status.st_mode)
        and stat.S_IMODE(status.st_mode) == mode
        and status.st_uid == context.accounts.uid("root")
        and checksum(real) == sha256
    )


def _place(context: Context, download: Download, known: dict[str, Any] | None) -> None:
    """Install a download, and remove files of its earlier version that the new one does not have."""
    archive = context.fetched[download.sha256]
    if download.dest:
        with open(archive, "rb") as stream:
            files = {download.dest: _put(context, download.dest, stream, download.mode)}
    else:
        files = _unpack(context, download, archive)
    for path in known["files"] if known else ():
        if path not in files and path in _destinations(download, known):
            remove_or_restore(context, path)
            context.next.files.pop(path, None)
    context.next.downloads[download.name] = _entry(download, files)


def _unpack(context: Context, download: Download, archive: str) -> dict[str, dict[str, Any]]:
    try:
        with tarfile.open(archive) as tar:
            files, found = {}, set()
            # In one go: to look at the members first would mean to decompress all of them twice.
            for member, rule, path in _members(tar, download):
                stream = tar.extractfile(member)
                if stream is not None:
                    if rule.is_pattern:
                        _announce(context, download, path)
                    files[path] = _put(context, path, stream, rule.mode)
                    found.add(rule.member)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise KopsError(f"{download.label} cannot be unpacked: {error}") from error
    missing = [rule.member for rule in download.unpack if rule.member not in found]
    if missing:
        raise KopsError(f"{download.label}: the archive has no {', '.join(missing)}")
    return files


def _announce(context: Context, download: Download, path: str) -> None:
    """Record a path before it is written, if it was not known when the run was planned."""
    context.claim(path, changed=True)
    announced = context.next.downloads.get(download.name) or context.before.downloads.get(download.name, {"files": {}})
    # Another thread may be writing the record down: what it has is replaced, and not changed.
    files = {**dict.fromkeys(announced["files"], _UNKNOWN), path: _UNKNOWN}
    context.next.downloads[download.name] = {**_entry(download, files), "sha256": ""}
    context.save()


def _members(tar: tarfile.TarFile, download: Download) -> Iterator[tuple[tarfile.TarInfo, Unpack, str]]:
    """Each member to unpack, its rule, and its destination."""
    for member in tar:
        name = posixpath.normpath(member.name).lstrip("/")
        for rule in download.unpack:
            if not member.isdir() and fnmatch.fnmatchcase(name, posixpath.normpath(rule.member)):
                folder = rule.dest.endswith("/")
                yield member, rule, rule.dest + posixpath.basename(name) if folder else rule.dest


def _put(context: Context, path: str, stream: IO[bytes], mode: int) -> dict[str, Any]:
    """Write a file. Returns its entry for the record."""
    digest = hashlib.sha256()

    def counted() -> Iterator[bytes]:
        for chunk in atomic.chunks_of(stream):
            digest.update(chunk)
            yield chunk

    context.make_parents(path)
    real = context.path(path)
    uid, gid = context.accounts.uid("root"), context.accounts.gid("root")
    atomic.write(real, counted(), mode=mode, uid=uid, gid=gid)
    return {"sha256": digest.hexdigest(), "seen": _seen(real)}


def _destinations(download: Download, known: dict[str, Any] | None) -> list[str]:
    """The paths of a download, as far as they are known before it is unpacked.

    For patterns: the paths of the last run.
    """
    if download.dest:
        return [download.dest]
    plain = [
        rule.dest + posixpath.basename(rule.member) if rule.dest.endswith("/") else rule.dest
        for rule in download.unpack
        if not rule.is_pattern
    ]
    folders = {rule.dest for rule in download.unpack if rule.is_pattern}
    earlier = [path for path in known["files"] if posixpath.dirname(path) + "/" in folders] if known else []
    return list(dict.fromkeys([*plain, *earlier]))


def _mode_of(download: Download, path: str) -> int:
    for rule in download.unpack:
        if path == rule.dest or (rule.dest.endswith("/") and posixpath.dirname(path) + "/" == rule.dest):
            return rule.mode
    return download.mode


def _entry(download: Download, files: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"sha256": download.sha256, "version": download.version, "rules": _rules(download), "files": files}


def _rules(download: Download) -> list[list[Any]]:
    """The rules of unpacking, in the form of the record's JSON."""
    if download.dest:
        return [["", download.dest, download.mode]]
    return [[rule.member, rule.dest, rule.mode] for rule in download.unpack]


def _seen(path: str) -> list[int]:
    """Metadata of a file that any change of it changes."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return []
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
