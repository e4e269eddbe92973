# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain values become the options of a new cluster: read, completed and checked in one place, once.

What follows relies on them: nothing behind this door looks at an environment variable, or checks an option again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...api.validation.entry import raise_for
from ...api.validation.problems import Problems, invalid
from ...base.errors import FieldError
from .checks import check_options
from .defaults import with_defaults
from .option import Option
from .options import OPTIONS, CreateOptions
from .texts import parse_feature_gate, parse_labels


def read_options(
    values: Mapping[str, Any], feature_flags: Collection[str], environment: Mapping[str, str] | None = None
) -> CreateOptions:
    """Options from plain values (module arguments); what is missing, None or empty takes the default.

    feature_flags: the kops feature flags that are on. environment: the environment variables; None is the process's.
    Raises ValidationError with every problem of every option; paths are option names.
    """
    environment = os.environ if environment is None else environment
    problems: Problems = []
    given = {name: _given(option, values.get(name), environment) for name, option in OPTIONS.items()}
    typed = {name: _typed(OPTIONS[name], value, problems) for name, value in given.items() if value not in _EMPTY}
    options = with_defaults(CreateOptions(**typed), environment)
    raise_for([*problems, *check_options(options, feature_flags)], "create_cluster")
    return options


_EMPTY: tuple[Any, ...] = (None, "", [])


def _given(option: Option, value: Any, environment: Mapping[str, str]) -> Any:
    """A value without its empty items; where none is left, what the environment says."""
    if isinstance(value, list):
        value = [item for item in value if item != ""]
    if value in _EMPTY:
        value = next((environment[name] for name in option.rules.environment if environment.get(name)), value)
    return value


def _typed(option: Option, value: Any, problems: Problems) -> Any:
    """A value as the option holds it. What cannot be read is appended to problems."""
    if option.rules.any_case:
        return next((choice for choice in option.rules.choices if choice.lower() == value.lower()), value)
    read = _READERS.get(option.type)
    return read(option.name, value, problems) if read else value


def _labels(name: str, value: Any, problems: Problems) -> dict[str, str]:
    try:
        return parse_labels(value)
    except ValueError as error:
        problems.append(FieldError("Invalid", name, str(error)))
        return {}


def _feature_gates(name: str, value: Any, problems: Problems) -> dict[str, bool]:
    gates = {}
    for text in value:
        try:
            gate, enabled = parse_feature_gate(text)
            gates[gate] = enabled
        except ValueError as error:
            problems.append(invalid(name, text, str(error)))
    return gates


# Type of an option -> what reads its values, given the option's name.
_READERS: dict[str, Callable[[str, Any, Problems], Any]] = {
    "dict[str, str]": _labels,
    "dict[str, bool]": _feature_gates,
}
