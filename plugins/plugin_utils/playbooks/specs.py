# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of the playbooks, as playbooks/meta describes them in the form of Ansible's argument specs.

``playbooks/meta/<playbook>.yml`` lists what a playbook takes. A variable of one playbook is described there; one that
several have, in ``playbooks/meta/variables/<subject>.yml``, and a playbook says only what differs in it. The variables
of ``variables/environment.yml`` say where a user's clusters are: every playbook accepts them.
"""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_META = pathlib.Path(__file__).resolve().parents[3] / "playbooks" / "meta"
_ENVIRONMENT = "environment"
# libyaml reads all specs in 30 ms; without it, it takes ten times as long.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# type, choices, default, description ... of one variable
Option = Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """Variables that belong together. title: when they count, such as "In a cloud"; "" if always.

    module: the module whose documentation has the descriptions and defaults, for its options without ``kops_``.
    of_hosts: whether they are set for single hosts, in an inventory.
    """

    title: str
    options: Mapping[str, Option]
    module: str = ""
    of_hosts: bool = False


@dataclass(frozen=True)
class Also:
    """A playbook that another one continues with, so that it takes its variables, too. title: as of a section."""

    playbook: str
    title: str = ""


@dataclass(frozen=True)
class Refusal:
    """Variables that must not be set, unless to one of these values; for this reason."""

    variables: tuple[str, ...]
    reason: str
    unless: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlaybookSpec:
    """The variables of a playbook. results: variables for the next nodes of a workflow.

    description: what it does, in a phrase with links, as the table of playbooks in the docs has it.
    """

    name: str
    short_description: str
    sections: tuple[Section, ...]
    also: tuple[Also, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    results: tuple[str, ...] = ()
    description: str = ""

    @property
    def options(self) -> dict[str, Option]:
        """The variables that are listed for this playbook itself."""
        return {name: option for section in self.sections for name, option in section.options.items()}


@functools.cache
def playbooks() -> tuple[str, ...]:
    """The names of all playbooks."""
    return tuple(sorted(path.stem for path in _META.glob("*.yml")))


@functools.cache
def shared_variables() -> dict[str, Option]:
    """The variables that several playbooks have, without what differs in some of them."""
    files = sorted((_META / "variables").glob("*.yml"))
    return {name: option for path in files for name, option in _read(path)["options"].items()}


@functools.cache
def environment_variables() -> frozenset[str]:
    """The variables that every playbook accepts, because they are about a user's environment and not about one run."""
    return frozenset(_read(_META / "variables" / f"{_ENVIRONMENT}.yml")["options"])


@functools.cache
def spec_of(playbook: str) -> PlaybookSpec:
    """The variables of a playbook, with all that is said of them."""
    document = _read(_META / f"{playbook}.yml")
    return PlaybookSpec(
        playbook,
        document["short_description"],
        tuple(_section(each) for each in document.get("sections", ())),
        tuple(Also(**each) for each in document.get("also", ())),
        tuple(
            Refusal(tuple(each["variables"]), each["reason"], tuple(each.get("unless", ())))
            for each in document.get("refused", ())
        ),
        tuple(document.get("results", ())),
        document.get("description", ""),
    )


def _section(given: Mapping[str, Any]) -> Section:
    options = {name: _option(name, own or {}) for name, own in given["options"].items()}
    return Section(given.get("title", ""), options, given.get("module", ""), given.get("of_hosts", False))


def _option(name: str, own: Option) -> Option:
    """A variable's entry: what this playbook says of it, then what all playbooks say."""
    shared = dict(shared_variables().get(name, {}))
    if "type" in own:
        # They belong to the other type.
        for key in ("elements", "choices", "default"):
            shared.pop(key, None)
    return {**shared, **own}


@functools.cache
def refusals_of(playbook: str) -> tuple[Refusal, ...]:
    """Refusals of a playbook and of its parts, without variables that the playbook takes itself."""
    spec = spec_of(playbook)
    found = list(spec.refusals)
    for also in spec.also:
        for each in refusals_of(also.playbook):
            left = tuple(name for name in each.variables if name not in spec.options)
            if left:
                found.append(Refusal(left, each.reason, each.unless))
    return tuple(found)


@functools.cache
def variables_of(playbook: str) -> dict[str, Option]:
    """Variables that a playbook takes, with the ones of playbooks that it continues with."""
    spec = spec_of(playbook)
    found: dict[str, Option] = {}
    for also in spec.also:
        found = {**variables_of(also.playbook), **found}
    # Those that may have one value only are still taken.
    refused = {name for each in refusals_of(playbook) if not each.unless for name in each.variables}
    return {name: option for name, option in {**found, **spec.options}.items() if name not in refused}


@functools.cache
def results() -> frozenset[str]:
    """Variables that playbooks pass to the next nodes of a workflow, where AWX makes them extra variables."""
    return frozenset(name for playbook in playbooks() for name in spec_of(playbook).results)


@functools.cache
def taken_variables() -> frozenset[str]:
    """The variables that any playbook takes."""
    return environment_variables().union(*(variables_of(playbook) for playbook in playbooks()))


@functools.cache
def known_variables() -> frozenset[str]:
    """Variables that playbooks take or pass on."""
    return taken_variables() | results()


def _read(path: pathlib.Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        found: dict[str, Any] = yaml.load(file, Loader=_Loader)  # noqa: S506 -- it is the safe loader
    return found
