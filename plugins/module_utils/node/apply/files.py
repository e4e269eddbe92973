# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directories, links and files: their present state, and how to change it."""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...base.report import Step
from ...exchange.items import Directory, File, Link
from .. import record
from ..context import Context, Phase
from ..system import atomic
from ..system.blocks import Block
from . import cloud_init

_SHOWN = 64 * 1024
# As many links in a row as Linux follows.
_LINKS = 40


@dataclass(frozen=True)
class FileState:
    """What exists at a path. kind: "file", "link", "directory", "other". content: of files. target: of links."""

    kind: str
    mode: int
    owner: str
    group: str
    content: bytes = b""
    target: str = ""


def plan(context: Context) -> Phase:
    """Plan directories, links and files, in this order."""
    config = context.config
    steps = [_plan_directory(context, directory) for directory in config.directories]
    steps += [_plan_link(context, link) for link in config.links]
    steps += [plan_file(context, file) for file in [*config.files, *cloud_init.templates(context, config.files)]]
    return Phase(steps)


def plan_file(context: Context, file: File, label: str = "") -> Step:
    """Plan one file. label: name in the report, by default that of the file."""
    step = Step(label or file.label)
    if file.block:
        # The lines belong into the file of its owner, wherever that is.
        file = dataclasses.replace(file, path=_end_of_links(context, file.path))
    found = read_state(context, file.path)
    if file.once and found:
        context.claim(file.path, changed=False)
        return step
    wanted = _bytes(context, file, found)
    secret = file.secret or bool(file.reference)
    if file.block:
        _claim_block(context, file, found)
        wanted = Block(file.block).put(found.content if found else b"", wanted)
    if found and found.kind not in ("file", "link"):
        context.problems.append(f"{step.item}: a {found.kind} exists at this path")
        return step
    after = FileState("file", file.mode, file.owner, file.group, wanted)
    if found and file.block:
        after = dataclasses.replace(found, content=wanted)
    step.changed = found is None or not _same(context, found, after)
    if not file.block:
        context.claim(file.path, changed=step.changed)
    if step.changed:
        step.before, step.after = _differences(found, after, secret=secret)
        step.act = _writer(context, file.path, after)
    return step


def read_state(context: Context, path: str) -> FileState | None:
    """What exists at a path; None for nothing."""
    real = context.path(path)
    try:
        status = os.lstat(real)
    except (FileNotFoundError, NotADirectoryError):
        return None
    owner = context.accounts.user_name(status.st_uid)
    group = context.accounts.group_name(status.st_gid)
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return FileState("link", mode, owner, group, target=os.readlink(real))
    if stat.S_ISDIR(status.st_mode):
        return FileState("directory", mode, owner, group)
    if not stat.S_ISREG(status.st_mode):
        return FileState("other", mode, owner, group)
    with open(real, "rb") as stream:
        return FileState("file", mode, owner, group, stream.read())


def _plan_directory(context: Context, directory: Directory) -> Step:
    step = Step(directory.label)
    found = read_state(context, directory.path)
    if found and found.kind == "link" and os.path.isdir(context.path(directory.path)):
        return step  # A link to a directory: the owner of the machine keeps it elsewhere.
    if found and found.kind != "directory":
        context.problems.append(f"{directory.label}: a {found.kind} exists at this path")
        return step
    if found and directory.path not in context.before.directories:
        # Others keep files there, too: /var/log, /etc, /root, /tmp. Its mode and owner are theirs to set.
        if _open_to_all(found) and not directory.mode & stat.S_IWOTH:
            mode = f"{found.mode:04o}"
            context.warnings.append(f"{directory.label} was there before, and every user may change it (mode {mode})")
        return step
    after = FileState("directory", directory.mode, directory.owner, directory.group)
    context.claim_directories([*context.parents(directory.path), directory.path])
    step.changed = found is None or not _same(context, found, after)
    if step.changed:
        step.before, step.after = _differences(found, after)
        step.act = lambda: _make(context, directory)
    return step


def _open_to_all(found: FileState) -> bool:
    """Whether every user may replace the files in a directory."""
    return bool(found.mode & stat.S_IWOTH) and not found.mode & stat.S_ISVTX


def _plan_link(context: Context, link: Link) -> Step:
    step = Step(link.label)
    found = read_state(context, link.path)
    if found and found.kind not in ("file", "link"):
        context.problems.append(f"{link.label}: a {found.kind} exists at this path")
        return step
    step.changed = found is None or found.target != link.target
    context.claim(link.path, changed=step.changed)
    if step.changed:
        step.before = {found.kind: found.target or "(content)"} if found else None
        step.after = {"link": link.target}
        step.act = lambda: _link(context, link)
    return step


def _make(context: Context, directory: Directory) -> None:
    context.make_parents(directory.path)
    uid, gid = context.accounts.uid(directory.owner), context.accounts.gid(directory.group)
    atomic.make_directory(context.path(directory.path), mode=directory.mode, uid=uid, gid=gid)


def _link(context: Context, link: Link) -> None:
    context.make_parents(link.path)
    atomic.link(context.path(link.path), link.target)


def _writer(context: Context, path: str, state: FileState) -> Callable[[], None]:
    def write() -> None:
        context.make_parents(path)
        uid, gid = context.accounts.uid(state.owner), context.accounts.gid(state.group)
        atomic.write(context.path(path), [state.content], mode=state.mode, uid=uid, gid=gid)

    return write


def _claim_block(context: Context, file: File, found: FileState | None) -> None:
    """Record that the file has a block of ours, and how it was before, as far as the text will not tell."""
    before = context.before
    context.next.blocks[file.path] = file.block
    if file.path in before.blocks:
        note = before.block_files.get(file.path, "")
    else:
        note = record.MISSING if found is None else record.UNENDED if _is_unended(found.content) else ""
    if note:
        context.next.block_files[file.path] = note


def _is_unended(content: bytes) -> bool:
    return bool(content) and not content.endswith(b"\n")


def _end_of_links(context: Context, path: str) -> str:
    """The path that a link leads to in the end; a path that is no link itself."""
    for _link in range(_LINKS):
        if not os.path.islink(context.path(path)):
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(context.path(path))))
    return path


def _bytes(context: Context, file: File, found: FileState | None) -> bytes:
    if not file.reference:
        return (file.content or "").encode()
    if file.reference in context.secrets:
        return context.secrets[file.reference]
    if found is None or found.kind != "file":
        context.problems.append(
            f"{file.label}: the secrets have no entry {file.reference!r}, and the node does not have the file"
        )
        return b""
    return found.content


def _same(context: Context, found: FileState, wanted: FileState) -> bool:
    """Whether both states are equal. Wanted owners may be given by id, and may not exist yet."""
    return (
        found.kind == wanted.kind
        and found.content == wanted.content
        and found.mode == wanted.mode
        and found.owner == _named(wanted.owner, context.accounts.user_name)
        and found.group == _named(wanted.group, context.accounts.group_name)
    )


def _named(owner: str, name_of: Callable[[int], str]) -> str:
    return name_of(int(owner)) if owner.isdigit() else owner


def _differences(found: FileState | None, wanted: FileState, *, secret: bool = False) -> tuple[Any, Any]:
    """Before and after, without what is equal."""
    after = _shown(wanted, secret)
    if found is None:
        return None, after
    before = _shown(found, secret)
    if secret and found.content != wanted.content:
        before["content"], after["content"] = "(secret)", "(another secret)"
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: before[name] for name in names if name in before}, {n: after[n] for n in names if n in after}


def _shown(state: FileState, secret: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"mode": f"{state.mode:04o}", "owner": state.owner, "group": state.group}
    if state.kind == "file":
        shown["content"] = "(secret)" if secret else _as_text(state.content)
    elif state.kind == "link":
        shown["link"] = state.target
    return shown


def _as_text(content: bytes) -> str:
    try:
        text = content[:_SHOWN].decode()
    except UnicodeDecodeError:
        return f"({len(content)} bytes)"
    return text if len(content) <= _SHOWN else f"{text}\n({len(content)} bytes)\n"
