# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of docs about all variables of the playbooks."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import (
    all_of,
    also_of,
    default_text,
    described,
    either,
    kind_text,
    markdown,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import (
    PlaybookSpec,
    Section,
    playbooks,
    shared_variables,
    taken_variables,
)

_INTRODUCTION = """\
# Variables of the playbooks

This page lists, for users, the variables of each playbook. [playbooks.md](playbooks.md#variables) says how they are
checked. An empty variable is not set. `script/playbook-docs` writes this page from the files in `playbooks/meta`.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *(line for playbook in playbooks() for line in _section_of(described(playbook)))])


def _section_of(spec: PlaybookSpec) -> Iterator[str]:
    yield from (f"## {spec.name}", "", f"{markdown(spec.short_description)}.", "")
    for section in spec.sections:
        if section.title:
            yield from (f"{section.title}:", "")
        yield from _table(section)
        yield ""
    for title in dict.fromkeys(also.title for also in spec.also):
        named = [f"[{also.playbook}](#{also.playbook})" for also in spec.also if also.title == title]
        yield from (f"{also_of(title, spec)} {all_of(named)}.", "")
    for refusal in spec.refusals:
        names = ", ".join(f"`{name}`" for name in refusal.variables)
        other = f" other than {either(refusal.unless)}" if refusal.unless else ""
        yield from (f"Refused: {names}{other}, because {markdown(refusal.reason)}.", "")
    if spec.results:
        names = ", ".join(map(_result, spec.results))
        yield from (f"To the next nodes of a workflow it passes on: {names}.", "")


def _table(section: Section) -> Iterator[str]:
    yield "| Variable | What it says | Values | Default |"
    yield "|---|---|---|---|"
    for name, option in section.options.items():
        said = markdown(option["description"])
        # Secrets belong neither into files nor on the command line.
        kind = "secret" if option.get("no_log") else kind_text(option) or "text"
        required = ", required" if option.get("required") else ""
        yield f"| `{name}` | {said} | {kind}{required} | {markdown(default_text(option))} |"


def _result(name: str) -> str:
    """What is passed on; it is described where playbooks take it, if any does."""
    return f"`{name}`" + (
        "" if name in taken_variables() else f" ({markdown(shared_variables()[name]['description'])})"
    )
