# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates by which a stack takes in what is there already, and lets go of what it has.

Source: the user guide of CloudFormation (resource import; DeletionPolicy).
"""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .cloudformation import empty_like, refs
from .template_parts import STACK

# So many resources one change set takes in.
MOST_IMPORTS = 200
# What a resource that is taken in must say, and means the same as nothing.
_AS_WITHOUT = {"DeletionPolicy": "Delete"}
# CloudFormation changes no policy of a resource of which nothing else changes.
_STAYS = "Retain"
_LEAVING = {"DeletionPolicy": _STAYS, "UpdateReplacePolicy": _STAYS, "Metadata": {"Stays": True}}

Template = Mapping[str, Any]


def with_imports(
    held: Template, template: Template, names: Collection[str], size: int = MOST_IMPORTS
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """What a stack takes in, in steps: the ids of resources, and the template with these and all before them.

    held: the template of the stack; {} for a new one. names: ids of resources in template. Nothing else changes, so a
    new stack has no outputs yet. What refers to others comes after them.
    """
    wanted = template["Resources"]
    # Those that stay as they are come first, in the order of their template.
    resources = dict(held.get("Resources") or {})
    ordered = [name for name in _ordered(wanted) if name in names]
    base = dict(held) or empty_like(template)
    for start in range(0, len(ordered), size):
        step = ordered[start : start + size]
        there = {*resources, *step}
        resources |= {name: _taken_in(wanted[name], there) for name in step}
        yield step, {**base, "Resources": dict(resources)}


def letting_go(template: Template) -> dict[str, Any]:
    """A template whose stack keeps everything when it is deleted, but for nested stacks."""
    resources = template["Resources"]
    kept = {name: {**each, **_LEAVING} for name, each in resources.items() if each["Type"] != STACK}
    return {**template, "Resources": {**resources, **kept}}


def not_kept(template: Template) -> list[str]:
    """The ids of resources that go when the stack of a template is deleted, but for nested stacks."""
    resources = (template.get("Resources") or {}).items()
    return [name for name, each in resources if each["Type"] != STACK and each.get("DeletionPolicy") != _STAYS]


def _taken_in(resource: Mapping[str, Any], there: Collection[str]) -> dict[str, Any]:
    found = {**_AS_WITHOUT, **resource}
    after = [name for name in found.pop("DependsOn", ()) if name in there]
    return {**found, "DependsOn": after} if after else found


def _ordered(resources: Mapping[str, Any]) -> list[str]:
    """The ids of resources, each after those that it refers to."""
    needed = {
        name: sorted({*refs(each.get("Properties")), *each.get("DependsOn", ())} & resources.keys())
        for name, each in resources.items()
    }
    return [*graphlib.TopologicalSorter(needed).static_order()]
