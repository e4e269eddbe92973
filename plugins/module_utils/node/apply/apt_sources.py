# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Additional apt repositories, each with its signing key."""

from __future__ import annotations

import os

from ...base.report import Step
from ...exchange.items import AptSource, File
from ..context import Context, Phase
from ..system import atomic
from ..system.fetch import fetch_text
from .files import plan_file

_KEYRINGS, _LISTS = "/etc/apt/keyrings", "/etc/apt/sources.list.d"


def plan(context: Context) -> Phase:
    """Plan keys and source lists. A key that exists is not downloaded again."""
    return Phase([step for source in context.config.apt_sources for step in _plan_source(context, source)])


def _plan_source(context: Context, source: AptSource) -> list[Step]:
    key = f"{_KEYRINGS}/{source.name}.asc"
    step = Step(f"file:{key}", not os.path.exists(context.path(key)))
    context.claim(key, changed=step.changed)
    if step.changed:
        step.after = {"url": source.keyring}
        step.act = lambda: _fetch_key(context, source, key)
    lines = [_signed(line.replace("$(ARCH)", context.host.architecture()), key) for line in source.sources]
    listed = File(path=f"{_LISTS}/{source.name}.list", content="".join(f"{line}\n" for line in lines))
    return [step, plan_file(context, listed)]


def _fetch_key(context: Context, source: AptSource, path: str) -> None:
    content = fetch_text(source.label, source.keyring, context.retry)
    context.make_parents(path)
    uid, gid = context.accounts.uid("root"), context.accounts.gid("root")
    atomic.write(context.path(path), [content], mode=0o644, uid=uid, gid=gid)


def _signed(line: str, key: str) -> str:
    """A line of a source list with the option signed-by. Options are in brackets after the line's first word."""
    kind, _space, rest = line.partition(" ")
    if rest.startswith("["):
        options, _bracket, rest = rest[1:].partition("]")
        return f"{kind} [{options} signed-by={key}]{rest}"
    return f"{kind} [signed-by={key}] {rest}"
