# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a playbook's head that lists its variables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import (
    all_of,
    also_of,
    default_text,
    described,
    either,
    kind_text,
    plain,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import Option, Refusal

WIDTH = 120
# From this line on to the first play.
BEGINNING = "# Variables"
_PLAY = re.compile(r"^- name:", re.MULTILINE)
# A space at which no line is broken.
_UNBROKEN = "\N{NO-BREAK SPACE}"
# What a description says by itself.
_SAID = ("number", "true or false")


def with_head(playbook: str, text: str) -> str:
    """The text of a playbook, with the list of its variables. Raises ValueError without a line that begins it."""
    play = _PLAY.search(text)
    end = play.start() if play else len(text)
    beginning = text.find(f"\n{BEGINNING}", 0, end)
    if beginning < 0:
        raise ValueError(f"the head of {playbook} has no line that begins with {BEGINNING!r}")
    return text[: beginning + 1] + "".join(f"{line}\n" for line in head_of(playbook)) + text[end:]


def head_of(playbook: str) -> Iterator[str]:
    """The lines about the variables of a playbook."""
    spec = described(playbook)
    yield f"{BEGINNING} (empty means not set; docs/playbooks.md):"
    column = max((len(name) for name in spec.options), default=0) + len("#   ") + 1
    for section in spec.sections:
        if section.title:
            yield f"# {section.title}:"
        for name, option in section.options.items():
            yield from _entry(f"#   {name}".ljust(column), _text(option), column)
    for title in dict.fromkeys(also.title for also in spec.also):
        named = [f"kubeops.kops.{also.playbook}" for also in spec.also if also.title == title]
        yield from _entry("#", f"{also_of(title, spec)} {all_of(named)}.", 1)
    for refusal in spec.refusals:
        yield from _entry("#", _refusal(refusal), 1)


def _entry(beginning: str, text: str, column: int) -> list[str]:
    following = "#".ljust(column) + " "
    lines = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"{beginning} ",
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_UNBROKEN, " ") for line in lines]


def _text(option: Option) -> str:
    said, kind, default = plain(option["description"]), kind_text(option), default_text(option)
    choices = option.get("choices", ())
    if kind in _SAID or choices and all(re.search(rf"\b{re.escape(each)}\b", said) for each in choices):
        kind = ""
    notes = [
        "required" if option.get("required") else "",
        kind,
        f"default:{_UNBROKEN}{default}" if default else "",
    ]
    shown = "; ".join(filter(None, notes))
    return said + (f" ({shown})" if shown else "")


def _refusal(refusal: Refusal) -> str:
    other = f" other than {either(refusal.unless)}" if refusal.unless else ""
    return f"Refused: {', '.join(refusal.variables)}{other}, because {refusal.reason}."
