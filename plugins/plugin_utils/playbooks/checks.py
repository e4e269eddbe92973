# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the variables of a run are those that its playbook takes, with the types and choices that they have."""

from __future__ import annotations

import functools
import pathlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.errors import ArgumentValueError, ElementError
from ansible.module_utils.parsing.convert_bool import BOOLEANS_FALSE
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import separated
from ansible_collections.kubeops.kops.plugins.module_utils.api.suggest import nearest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import (
    Option,
    environment_variables,
    known_variables,
    playbooks,
    refusals_of,
    results,
    spec_of,
    taken_variables,
    variables_of,
)

PREFIX = "kops_"
_COLLECTION = pathlib.Path(__file__).resolve().parents[3]
_VARIABLE = re.compile(r"\bkops_\w+")
# How alike two names are, one of which is the other with letters left out, added or exchanged; or may be.
_MISSPELLED = 0.85
_MAYBE = 0.66
# What a message shows of a value; and of the hosts and playbooks that it is about.
_SHOWN_CHARACTERS = 60
_SHOWN_NAMES = 4
_SHAPES = {
    "bool": "true or false",
    "dict": "a mapping",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "path": "a path",
    "str": "a text",
}

Variables = Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """Variables of a run; their names begin with the prefix, except the ones in unprefixed.

    extra: those that are meant for this playbook: of the command line, and of the import by a user's own playbook.
    inventory: further ones of localhost, hosts: the ones of each host.
    others: the other playbooks of the collection in the same run; None if there may be any.
    unprefixed: other variables of the command line, if nothing but playbooks of the collection can read them.
    """

    extra: Variables
    inventory: Variables = field(default_factory=dict)
    hosts: Mapping[str, Variables] = field(default_factory=dict)
    others: Collection[str] | None = ()
    unprefixed: Variables = field(default_factory=dict)


def problems_of(playbook: str, given: Given) -> list[str]:
    """Problems of the variables of a run, a line for each variable, sorted."""
    values = {**given.inventory, **given.extra}
    lines = [*_unknown(given), *_of_others(playbook, given), *_refused(playbook, values)]
    lines += _without_prefix(playbook, values, given)
    for name, option in variables_of(playbook).items():
        if is_set(values.get(name)):
            lines += [f"{name}: {problem}" for problem in value_problems(option, values[name])]
        elif name in spec_of(playbook).options and option.get("required"):
            lines.append(f"{name}: must be set: {_first_sentence(option)}")
    return sorted([*lines, *_of_hosts(playbook, values, given)])


def is_set(value: Any) -> bool:
    """Whether a variable has a value. Forms such as AWX' surveys send empty texts for what is not filled in."""
    return value is not None and value != ""


def _unknown(given: Given) -> Iterator[str]:
    """Names that no playbook has. An inventory may have variables of its own: there, only misspelled ones are wrong."""
    for name in sorted(given.extra.keys() - known_variables()):
        meant = _nearest(name, cutoff=_MAYBE)
        yield f"{name}: no playbook has this variable" + (f"; did you mean {meant}?" if meant else "")
    holders: dict[str, list[str]] = defaultdict(list)
    for host, variables in {"": given.inventory, **given.hosts}.items():
        for name in variables.keys() - given.extra.keys() - known_variables():
            holders[name].append(host)
    for name in sorted(holders):
        meant = _nearest(name, cutoff=_MISSPELLED)
        if meant and name not in _mentioned_variables():
            yield f"{name}{_at(holders[name])}: no playbook has this variable; did you mean {meant}?"


def _without_prefix(playbook: str, values: Variables, given: Given) -> Iterator[str]:
    """Names of options where the variable is meant: without effect, delete_cluster would delete another cluster.

    An inventory may read them: there is no problem if the variable itself is set.
    """
    for name in sorted(given.unprefixed):
        meant = PREFIX + name.lower().replace("-", "_").removeprefix(PREFIX)
        if meant in variables_of(playbook) and is_set(given.unprefixed[name]) and not is_set(values.get(meant)):
            yield f"{name}: no playbook has this variable; did you mean {meant}?"


def _of_others(playbook: str, given: Given) -> Iterator[str]:
    """Extra variables that would have no effect, because other playbooks have them."""
    if given.others is None:
        return
    taken = {*environment_variables(), *results()}.union(*map(variables_of, {playbook, *given.others}))
    refused = {name for each in refusals_of(playbook) for name in each.variables}
    for name in sorted((given.extra.keys() & known_variables()) - taken - refused):
        if is_set(given.extra[name]):
            having = [each for each in playbooks() if name in variables_of(each)]
            yield f"{name}: {playbook} has no such variable; {_some(having)} {'has' if len(having) == 1 else 'have'} it"


def _refused(playbook: str, values: Variables) -> Iterator[str]:
    for refusal in refusals_of(playbook):
        found = [name for name in refusal.variables if _counts(values.get(name)) and values[name] not in refusal.unless]
        if found:
            yield f"{', '.join(found)}: {refusal.reason}"


def _counts(value: Any) -> bool:
    """Whether a variable asks for anything; false and 0 do not, nor does an empty list."""
    return bool(value) and (not isinstance(value, str) or value.lower() not in BOOLEANS_FALSE)


def _of_hosts(playbook: str, values: Variables, given: Given) -> Iterator[str]:
    """Wrong values of hosts' own variables. A template is not looked at: it may need what is only known later."""
    holders: dict[str, list[str]] = defaultdict(list)
    options = variables_of(playbook)
    for host, variables in given.hosts.items():
        for name in options.keys() & variables.keys() - given.extra.keys():
            value = variables[name]
            if is_set(value) and value != values.get(name) and not (isinstance(value, str) and "{" in value):
                for problem in value_problems(options[name], value):
                    holders[f"{name}\n{problem}"].append(host)
    for line, hosts in holders.items():
        name, _newline, problem = line.partition("\n")
        yield f"{name}{_at(hosts)}: {problem}"


def value_problems(option: Option, value: Any) -> list[str]:
    """Problems of the value of a variable that is set. A secret is not shown."""
    spec = {key: option[key] for key in ("type", "elements", "choices") if key in option}
    checked = ArgumentSpecValidator({"value": spec}).validate({"value": separated(spec, value)})
    # Ansible's own words are about modules, and name classes of Python.
    return [_problem(option, error, value) for error in checked.errors]


def _problem(option: Option, error: Exception, value: Any) -> str:
    shown = "" if option.get("no_log") else f", not {_shortened(value)}"
    if isinstance(error, ArgumentValueError):
        choices = ", ".join(map(str, option["choices"]))
        return f"must be {'of' if option.get('type') == 'list' else 'one of'} {choices}{shown}"
    if isinstance(error, ElementError):
        return f"each element must be {_SHAPES[option['elements']]}{shown}"
    return f"must be {_SHAPES[option.get('type', 'str')]}{shown}"


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _first_sentence(option: Option) -> str:
    return str(option.get("description", "")).partition("; ")[0]


def _at(hosts: Sequence[str]) -> str:
    """Where a variable is, if it is not one of all hosts."""
    return "" if "" in hosts else f" of {_some(sorted(hosts))}"


def _some(names: Sequence[str]) -> str:
    if len(names) <= _SHOWN_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: _SHOWN_NAMES - 1])} and {len(names) - _SHOWN_NAMES + 1} more"


def _nearest(name: str, cutoff: float) -> str:
    """The known name, which is compared without the common prefix."""
    known = [each.removeprefix(PREFIX) for each in sorted(taken_variables())]
    found = nearest(name.removeprefix(PREFIX), known, cutoff=cutoff)
    return f"{PREFIX}{found}" if found else ""


@functools.cache
def _mentioned_variables() -> frozenset[str]:
    """All names in the collection's playbooks and inventory plugins.

    What playbooks register and set is seen by the playbooks after them, and what the inventory plugins set by all.
    """
    files = [*(_COLLECTION / "playbooks").rglob("*.yml"), *(_COLLECTION / "plugins" / "inventory").glob("*.py")]
    return frozenset(name for file in files for name in _VARIABLE.findall(file.read_text(encoding="utf-8")))
