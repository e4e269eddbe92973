# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of the API as options of a command line, as kops writes them.

Source: pkg/flagbuilder of kops.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .flag_table import ALWAYS, DEFAULTS, FLAGS, REPEATED
from .scalars import Quantity


def options(config: Any) -> list[str]:
    """The options of a component, sorted: ``--name=value``. config: an object of one of the classes in FLAGS.

    Unset fields are left out, and so are empty texts, lists and mappings. A mapping becomes ``key=value`` pairs,
    sorted. Fields that hold a class of FLAGS themselves (leaderElection) add theirs.
    """
    return sorted(_options(config))


def option_text(config: Any) -> str:
    """The options in one line, for an environment file; what has a double quote in it is quoted."""
    return " ".join(map(_quoted, options(config)))


def _quoted(option: str) -> str:
    name, _separator, value = option.partition("=")
    return f"{name}={json.dumps(value)}" if '"' in value else option


def _options(config: Any) -> list[str]:
    owner = type(config).__name__
    flags = FLAGS[owner]
    found = []
    for declared in dataclasses.fields(config):
        value = getattr(config, declared.name)
        if type(value).__name__ in FLAGS:
            found += _options(value)
        elif declared.name in flags:
            always = (owner, declared.name) in ALWAYS
            for text in _texts(declared.name, 0 if value is None and always else value):
                if always or text != DEFAULTS.get(declared.name):
                    found.append(f"--{flags[declared.name]}={text}")
    return found


def _texts(name: str, value: Any) -> list[str]:
    """The value of each option that a field becomes."""
    if value is None or value == "" or value == [] or value == {}:
        return []
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, Quantity):
        return [_number(value)]
    if isinstance(value, dict):
        return [",".join(sorted(f"{key}={text}" for key, text in value.items()))]
    if isinstance(value, list):
        return list(value) if name in REPEATED else [",".join(value)]
    return [str(value)]


def _number(quantity: Quantity) -> str:
    """3140m as 3.14: components take numbers, not quantities."""
    text = format(quantity.value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
