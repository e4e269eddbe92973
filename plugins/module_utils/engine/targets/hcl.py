# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Terraform's configuration language, as much of it as a cluster needs: values, blocks and their canonical layout.

The layout is kops': keys sorted, the equals signs of neighbouring arguments aligned. A second rendering of the same
objects is the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, order=True)
class Literal:
    """An expression that is written as it stands: ``aws_vpc.main.id``, ``file("...")``."""

    text: str


class Block(dict[str, Any]):
    """A nested block: ``name { arguments }``. A list of blocks repeats the block; a plain dict is a map argument."""


def sanitize(name: str) -> str:
    """An object's name as a Terraform name (kops' rule, so that states move between the two)."""
    prefixed = f"prefix_{name}" if name[:1].isdigit() else name
    return prefixed.replace(".", "-").replace("/", "--").replace(":", "_")


# Of what holds data: Terraform refuses a plan that would destroy or replace it. kops does not write this.
NEVER_DESTROYED = Block({"prevent_destroy": True})


def ignoring(*arguments: str) -> Block:
    """The lifecycle of what others change, or what the provider does not read: differences there are no change."""
    return Block({"ignore_changes": [Literal(each) for each in arguments]})


def reference(resource_type: str, name: str, attribute: str = "id") -> Literal:
    """An attribute of a resource of this configuration."""
    return Literal(f"{resource_type}.{sanitize(name)}.{attribute}")


def data_reference(data_type: str, name: str, attribute: str = "id") -> Literal:
    """An attribute of a data source of this configuration."""
    return Literal(f"data.{data_type}.{sanitize(name)}.{attribute}")


def function(name: str, *arguments: Any) -> Literal:
    """A function call over values or literals."""
    return Literal(f"{name}({', '.join(expression(argument) for argument in arguments)})")


def quote(text: str) -> str:
    """A string as a quoted HCL template that means exactly that string."""
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
    return '"' + escaped.replace("${", "$${").replace("%{", "%%{") + '"'


def expression(value: Any) -> str:
    """A single value: literal, string, number, bool or list of them."""
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(expression(item) for item in value) + "]"
    return quote(str(value))


def block(header: str, arguments: Mapping[str, Any], indent: int = 0) -> str:
    """A whole block as text, closing brace and newline included. None and empty lists are left out."""
    return "".join(_block_lines(header, arguments, " " * indent))


def map_argument(key: str, members: Mapping[str, Any], indent: int = 0) -> str:
    """A map: keys quoted, sorted, aligned; nothing at all when it is empty."""
    return "".join(_map_lines(key, members, " " * indent))


def _block_lines(header: str, arguments: Mapping[str, Any], pad: str) -> Iterator[str]:
    yield f"{pad}{header} {{\n"
    inner = pad + "  "
    run: list[tuple[str, str]] = []
    for key in sorted(arguments):
        value = arguments[key]
        if value is None or (isinstance(value, (list, tuple)) and not value):
            continue
        if not isinstance(value, dict) and not (isinstance(value, (list, tuple)) and isinstance(value[0], Block)):
            run.append((key, expression(value)))
            continue
        yield from _aligned(run, inner)
        run = []
        if isinstance(value, Block):
            yield from _block_lines(key, value, inner)
        elif isinstance(value, dict):
            yield from _map_lines(key, value, inner)
        else:
            for member in value:
                yield from _block_lines(key, member, inner)
    yield from _aligned(run, inner)
    yield f"{pad}}}\n"


def _map_lines(key: str, members: Mapping[str, Any], pad: str) -> Iterator[str]:
    if not members:
        return
    yield f"{pad}{key} = {{\n"
    yield from _aligned([(quote(member), expression(members[member])) for member in sorted(members)], pad + "  ")
    yield f"{pad}}}\n"


def _aligned(run: list[tuple[str, str]], pad: str) -> Iterator[str]:
    width = max((len(key) for key, _text in run), default=0)
    for key, text in run:
        yield f"{pad}{key.ljust(width)} = {text}\n"
