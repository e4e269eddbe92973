# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes: a filesystem where there is none, mounted by systemd now and after every boot."""

from __future__ import annotations

import os
import re

from ...base.errors import KopsError
from ...base.report import Step
from ...exchange.items import Unit, Volume
from ..context import Context, Phase
from ..system.filesystems import filesystem_of, make_filesystem
from ..system.systemd import show
from .files import read_state
from .units import Units


def plan(context: Context) -> Phase:
    """Look at volumes that are not mounted. A device that holds anything else is never touched."""
    volumes = context.config.volumes
    if not volumes:
        return Phase()
    names = {volume.name: unit_name(volume.mount) for volume in volumes}
    mounted = show(context.host, list(names.values()))
    steps = [_plan_volume(context, each, mounted=mounted[names[each.name]].is_running) for each in volumes]
    units = Units(context, [_unit(volume, names[volume.name]) for volume in volumes])
    mounts = units.plan()

    def act() -> None:
        for step in steps:
            if step.changed and step.act:
                step.act()
        mounts.apply()

    return Phase([*steps, *mounts.steps], act)


def unit_name(mount: str) -> str:
    """Name of the unit that mounts at a path: systemd wants it to follow from the path."""
    escaped = "".join(
        each if re.match(r"[a-zA-Z0-9:_.]", each) else "-" if each == "/" else f"\\x{each.encode().hex()}"
        for each in mount.strip("/")
    )
    return (f"\\x2e{escaped[1:]}" if escaped.startswith(".") else escaped) + ".mount"


def _unit(volume: Volume, name: str) -> Unit:
    if volume.device:
        what, kind, options = volume.device, volume.filesystem, volume.options
    else:
        what, kind, options = volume.directory, "none", ",".join(filter(None, ["bind", volume.options]))
    lines = [
        "[Unit]",
        f"Description=Volume {volume.name}",
        "",
        "[Mount]",
        f"What={what}",
        f"Where={volume.mount}",
        f"Type={kind}",
        *([f"Options={options}"] if options else []),
        "",
        "[Install]",
        "WantedBy=local-fs.target",
    ]
    return Unit(name=name, content="\n".join(lines) + "\n")


def _plan_volume(context: Context, volume: Volume, *, mounted: bool) -> Step:
    """Directories, and the filesystem; mounting is the unit's business."""
    step = Step(volume.label)
    needed = [path for path in (volume.mount, volume.directory) if path]
    missing = [path for path in needed if read_state(context, path) is None]
    for path in needed:
        if path in missing or path in context.before.directories:
            context.claim_directories([*context.parents(path), path])
    formats = not mounted and bool(volume.device) and _filesystem(context, volume) == ""
    step.changed = bool(missing) or formats
    if step.changed:
        step.after = {"directories": missing, **({"filesystem": volume.filesystem} if formats else {})}
        step.act = lambda: _prepare(context, volume, missing, formats=formats)
    return step


def _filesystem(context: Context, volume: Volume) -> str:
    """The filesystem on the device, "" for none. Another one than is wanted is a problem."""
    if not os.path.exists(context.path(volume.device)):
        context.problems.append(f"{volume.label}: there is no device {volume.device}")
        return volume.filesystem
    try:
        return filesystem_of(context.host, volume)
    except KopsError as error:
        context.problems.append(str(error))
        return volume.filesystem


def _prepare(context: Context, volume: Volume, directories: list[str], *, formats: bool) -> None:
    for path in directories:
        context.make_parents(f"{path}/.")
    if formats:
        make_filesystem(context.host, volume)
