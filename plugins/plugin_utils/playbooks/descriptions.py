# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of the playbooks' variables for readers: in heads of playbooks, on a page of docs, in surveys.

Descriptions and defaults that stand in the documentation of a module are taken from there.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import PREFIX
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import Option, PlaybookSpec, Section, spec_of

_COLLECTION = "kubeops.kops"
_PLUGINS = f"ansible_collections.{_COLLECTION}.plugins"
# O(zones), V(aws), C(kops create cluster) ...: Ansible's marks for what a text is about.
_MARK = re.compile(r"\b(O|RV|V|C|E|M)\(([^)]*)\)")
# Names that a text has without marks: variables, those of the environment, playbooks and modules.
_NAME = re.compile(r"(?<![\w`])(kops_\w+|KOPS_\w+|KUBECONFIG|kubeops\.kops\.\w+)(?![\w`])")
_KINDS = {"bool": "true or false", "dict": "mapping", "float": "number", "int": "number", "list": "list"}
# The option of a module whose variable has another name.
_RENAMED = {"name": "cluster_name"}


@functools.cache
def described(playbook: str) -> PlaybookSpec:
    """The variables of a playbook, each with its description."""
    spec = spec_of(playbook)
    return dataclasses.replace(spec, sections=tuple(_described(section) for section in spec.sections))


def _described(section: Section) -> Section:
    if not section.module:
        return section
    told = options_of(section.module)
    options = {}
    for name, own in section.options.items():
        option = told[name.removeprefix(PREFIX)]
        texts = option["description"] if isinstance(option["description"], list) else [option["description"]]
        found = {"description": " ".join(texts).removesuffix(".")}
        if option.get("default") not in (None, False, "", []):
            found["default"] = option["default"]
        options[name] = {**found, **own}
    return dataclasses.replace(section, options=options)


@functools.cache
def options_of(module: str) -> Mapping[str, Any]:
    """The options that a module documents by itself, and by fragments of this collection."""
    document: str = importlib.import_module(f"{_PLUGINS}.modules.{module}").DOCUMENTATION
    told = yaml.safe_load(document)
    options: dict[str, Any] = {}
    for name in told.get("extends_documentation_fragment", ()):
        fragment, _dot, section = name.removeprefix(f"{_COLLECTION}.").partition(".")
        if name.startswith(f"{_COLLECTION}."):
            texts = importlib.import_module(f"{_PLUGINS}.doc_fragments.{fragment}").ModuleDocFragment
            options |= yaml.safe_load(getattr(texts, section.upper() or "DOCUMENTATION")).get("options", {})
    return {**options, **told.get("options", {})}


def plain(text: str) -> str:
    """A description without marks."""
    return _MARK.sub(lambda found: _unmarked(found[1], found[2]), text)


def markdown(text: str) -> str:
    """A description for a page of docs, in the cell of a table: what it names is set as code."""
    marked = _MARK.sub(lambda found: f"`{_unmarked(found[1], found[2])}`", text)
    parts = _NAME.sub(r"`\1`", marked).split("`")
    # Every second part is code, in which only the bar has a meaning.
    escaped = [part if index % 2 else part.replace("<", "&lt;").replace("*", r"\*") for index, part in enumerate(parts)]
    return "`".join(escaped).replace("|", r"\|")


def _unmarked(kind: str, text: str) -> str:
    return f"{PREFIX}{_RENAMED.get(text, text)}" if kind == "O" else text


def default_text(option: Option) -> str:
    """The default of a variable, as a user writes it; "" if it has none of its own."""
    value = option.get("default")
    return "" if value is None else value_text(value)


def value_text(value: Any) -> str:
    """A value as a user writes it on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def kind_text(option: Option) -> str:
    """Kind of values that a variable takes: its choices, or its type; "" for any text."""
    kind, choices = option["type"], option.get("choices", ())
    if choices:
        return f"list of {either(choices)}" if kind == "list" else either(choices)
    return _KINDS.get(kind, "")


def also_of(title: str, spec: PlaybookSpec) -> str:
    """The beginning of a sentence that names other playbooks, whose variables a playbook takes, too. title: when."""
    if title:
        return f"{title}, also those of"
    return "Also those of" if spec.options else "All of"


def either(names: Sequence[str]) -> str:
    """Join names of alternatives, as "a, b or c"."""
    return _listed(names, "or")


def all_of(names: Sequence[str]) -> str:
    """Names that are all meant."""
    return _listed(names, "and")


def _listed(names: Sequence[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), names[-1])))
