# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of create_cluster: how one is declared with its name, type, default and rules."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

ANYWHERE: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionRules:
    """Rules of one option, besides its name, type and default.

    flags: kops' command line flags that set it, the deprecated ones last.
    fields: the names of the same option in kops' Go code, which its test cases use.
    clouds: the clouds that have it; empty means all.
    choices: the values that are allowed; with any_case, written in any case.
    required: there is no cluster without it, on the clouds that have it.
    environment: environment variables that may name it as well, the first that is set.
    sets: the field that the option sets, where kops' error is about the field and not about the option.
    feature: the kops feature flag without which the option is refused.
    aliases: further names of the module argument.
    """

    flags: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    clouds: tuple[str, ...] = ANYWHERE
    choices: tuple[str, ...] = ()
    any_case: bool = False
    required: bool = False
    environment: tuple[str, ...] = ()
    sets: str = ""
    feature: str = ""
    aliases: tuple[str, ...] = ()


# The function below is called in the body of a dataclass, which is where a field may be declared.
_declare: Any = functools.partial(dataclasses.field)


def option(default: Any, flags: str, fields: str, **rules: Any) -> Any:
    """Declare an option. flags, fields: as in OptionRules, separated by spaces. rules: the others of OptionRules."""
    metadata = {"rules": OptionRules(flags=tuple(flags.split()), fields=tuple(fields.split()), **rules)}
    if isinstance(default, (list, dict)):
        return _declare(default_factory=lambda: type(default)(default), metadata=metadata)
    return _declare(default=default, metadata=metadata)


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "str": {"type": "str"},
    "int": {"type": "int"},
    "bool": {"type": "bool"},
    "bool | None": {"type": "bool"},
    "list[str]": {"type": "list", "elements": "str"},
    "dict[str, str]": {"type": "raw"},
    "dict[str, bool]": {"type": "list", "elements": "str"},
}


@dataclass(frozen=True)
class Option:
    """One row of the table: name is the module argument, "kops_" + name the playbook variable; type is Python's."""

    name: str
    type: str
    default: Any
    rules: OptionRules

    @property
    def variable(self) -> str:
        """The playbook variable; the name of a cluster is called kops_cluster_name there."""
        return f"kops_{self.rules.aliases[0] if self.rules.aliases else self.name}"

    @property
    def argument(self) -> dict[str, Any]:
        """The option's entry of an Ansible argument spec."""
        spec = dict(_ARGUMENTS[self.type])
        if self.default not in ("", 0, None, [], {}) or self.type == "bool":
            spec["default"] = self.default
        if self.rules.aliases:
            spec["aliases"] = list(self.rules.aliases)
        return spec
