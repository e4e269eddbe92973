# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes from the node what is no longer in its NodeConfig, if it is ours. Originals are restored."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ...base.report import Step
from .. import record
from ..context import Context, Phase, copy_as_it_is
from ..system import atomic
from ..system.blocks import Block
from ..system.machine import MANIFESTS
from ..system.systemd import UnitStatus, show, state_of


def plan_stopped(context: Context) -> Phase:
    """Plan the end of static pods, then of units, that are no longer configured. They stop before others replace them.

    Must be called after all parts that claim paths, as must plan_files.
    """
    pods = [step for step in _plan_files(context) if _is_manifest(step)]
    switched = _switched_units(context)
    found = show(context.host, sorted({*_removed_units(context), *switched, *context.config.absent.units}))
    running = [name for name, unit in found.items() if unit.is_running and not _starts(switched.get(name))]
    enabled = [name for name, unit in found.items() if unit.is_enabled and not _is_enabled(switched.get(name))]
    units = [_plan_unit(name, unit, changed=name in (*running, *enabled)) for name, unit in found.items()]

    def act() -> None:
        for step in pods:
            if step.act:
                step.act()
        if running:
            context.host.check_output("systemctl", "stop", *running)
        if enabled:
            context.host.check_output("systemctl", "disable", "--no-reload", "--quiet", *enabled)

    for step in (*pods, *units):
        step.interrupts = step.changed
    return Phase([*pods, *units], act)


def plan_restored(context: Context) -> Phase:
    """Plan to enable and start units that existed before ours replaced or switched them, as they were."""
    replaced, switched = context.before.replaced, _switched_units(context)
    returning = {name: replaced[name] for name in _removed_units(context) if name in replaced} | switched
    now = show(context.host, list(switched))
    enabled = [name for name, state in returning.items() if _is_enabled(state)]
    enabled = [name for name in enabled if name not in now or not now[name].is_enabled]
    started = [name for name, state in returning.items() if _starts(state)]
    started = [name for name in started if name not in now or not now[name].is_running]

    def act() -> None:
        if enabled:
            context.host.check_output("systemctl", "enable", "--quiet", *enabled)
        if started:
            context.host.check_output("systemctl", "start", *started)

    names = [name for name in returning if name in (*enabled, *started)]
    return Phase([Step(f"unit:{name}", True, None, returning[name]) for name in names], act)


def plan_files(context: Context) -> Phase:
    """Plan the removal of files, blocks and directories of ours that are no longer configured."""
    steps = [step for step in _plan_files(context) if not _is_manifest(step)]
    steps += [_plan_block(context, path) for path in context.before.blocks if path not in context.next.blocks]
    return Phase([*steps, *_plan_directories(context)])


def remove_or_restore(context: Context, path: str) -> None:
    """Remove a file of ours, or restore its original."""
    original = context.before.files.get(path, "")
    if not original:
        atomic.remove(context.path(path))
    elif os.path.lexists(context.original(original)):
        copy_as_it_is(context.original(original), context.path(path))
        atomic.remove(context.original(original))


def _plan_files(context: Context) -> list[Step]:
    leaving = [path for path in context.before.files if path not in context.next.files]
    absent = [path for path in context.config.absent.files if path not in (*leaving, *context.next.files)]
    return [_plan_file(context, path) for path in [*leaving, *absent]]


def _plan_file(context: Context, path: str) -> Step:
    step = Step(f"file:{path}")
    original = context.before.files.get(path, "")
    # A missing backup: an earlier run has restored the original and was killed then.
    step.changed = os.path.lexists(context.original(original) if original else context.path(path))
    if step.changed and not original and stat.S_ISDIR(os.lstat(context.path(path)).st_mode):
        context.problems.append(f"{step.item} cannot be removed: it is a directory")
    if step.changed:
        step.before, step.after = "present", "as it was before" if original else None
        step.act = lambda: remove_or_restore(context, path)
    return step


def _plan_block(context: Context, path: str) -> Step:
    note = context.before.block_files.get(path, "")
    text = _read(context.path(path))
    block = Block(context.before.blocks[path])
    step = Step(f"file:{path}", block.is_in(text))
    if step.changed:
        rest = block.take(text, unended=note == record.UNENDED)
        gone = not rest and note == record.MISSING
        step.before, step.after = {"content": _shown(text)}, None if gone else {"content": _shown(rest)}
        step.act = lambda: _cut(context, path, rest, gone=gone)
    return step


def _read(path: str) -> bytes:
    """Content of a file, b"" if there is none."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def _shown(text: bytes) -> str:
    return text.decode(errors="replace")


def _cut(context: Context, path: str, rest: bytes, *, gone: bool) -> None:
    """Write what others have in a file; gone: it was not there before its block."""
    real = context.path(path)
    status = os.stat(real)
    if not gone or os.path.ismount(real):
        atomic.write(real, [rest], mode=status.st_mode, uid=status.st_uid, gid=status.st_gid)
    else:
        atomic.remove(real)


def _plan_directories(context: Context) -> list[Step]:
    """Directories that we created and that will be empty, the deepest first."""
    needed = {directory.path for directory in context.config.directories} | set(context.next.directories)
    needed |= set(_above([*context.next.files, *context.next.blocks, *needed]))
    gone = {path for path in context.before.files if path not in context.next.files} | context.wiped
    steps = []
    for path in sorted(context.before.directories, key=len, reverse=True):
        if path in needed:
            context.claim_directories([path])
            continue
        real = context.path(path)
        if path in context.wiped or not os.path.isdir(real) or os.path.islink(real):
            continue
        if all(f"{path}/{name}" in gone for name in os.listdir(real)):
            gone.add(path)
            steps.append(Step(f"directory:{path}", True, "present", None, partial(_remove_directory, real)))
        else:
            context.warnings.append(f"directory:{path} stays: it contains files that are not ours")
    return steps


def _remove_directory(path: str) -> None:
    with atomic.explained(path), contextlib.suppress(FileNotFoundError):
        os.rmdir(path)


def _above(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        while path != "/":
            path = os.path.dirname(path)
            yield path


def _removed_units(context: Context) -> list[str]:
    """Units of ours that are no longer configured."""
    wanted = {*context.next.units, *(unit.name for unit in context.config.units)}
    return [name for name in context.before.units if name not in wanted]


def _switched_units(context: Context) -> dict[str, dict[str, Any]]:
    """Original states of units of others, which we only started, stopped, enabled or disabled, and no longer do."""
    before, wanted = context.before, {unit.name for unit in context.config.units}
    return {name: state for name, state in before.replaced.items() if name not in (*wanted, *before.units)}


def _starts(state: Mapping[str, Any] | None) -> bool:
    return state is not None and state["state"] == "started"


def _is_enabled(state: Mapping[str, Any] | None) -> bool:
    return state is not None and bool(state["enabled"])


def _plan_unit(name: str, found: UnitStatus, *, changed: bool) -> Step:
    return Step(f"unit:{name}", changed, state_of(found) if changed else None)


def _is_manifest(step: Step) -> bool:
    return step.item.startswith(f"file:{MANIFESTS}/")
