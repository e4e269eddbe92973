# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is there already, for Terraform to take over: blocks that import it into the state with the first apply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..task import Task
from .hcl import Literal, block, sanitize

# Beside the configuration. A user may have an imports.tf.
IMPORTS = "kubernetes-imports.tf"
# A method of kinds of tasks, which gives an Import for each of their resources that is there.
METHOD = "terraform_imports"
# The first with such blocks.
_REQUIRED_VERSION = ">= 1.5.0"
_TO = re.compile(r"^ *to += ([\w.-]+)$", re.MULTILINE)


@dataclass(frozen=True, order=True)
class Import:
    """An object that is there. resource, name: of the configuration. id: as the provider documents it for imports.

    kept: arguments that only an object has that was made directly, and that Terraform would not leave as they are.
    """

    resource: str
    name: str
    id: str
    kept: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def address(self) -> str:
        """Of the resource, as Terraform writes it."""
        return f"{self.resource}.{sanitize(self.name)}"


def imports_of(tasks: Iterable[Task[Any]]) -> list[Import]:
    """What is there of tasks that were looked at, sorted. Kinds without the method are in no import."""
    methods = (getattr(task, METHOD, None) for task in tasks if not task.is_ignored)
    return sorted(found for method in methods if method is not None for found in method())


def imports_file(imports: Iterable[Import]) -> bytes:
    """The file with a block for each."""
    blocks = [block("import", {"id": each.id, "to": Literal(each.address)}) for each in imports]
    return "\n".join([*blocks, block("terraform", {"required_version": _REQUIRED_VERSION})]).encode()


def named_in(file: bytes, imports: Iterable[Import]) -> list[Import]:
    """Those that a file has blocks for: Terraform refuses blocks for what is not there, or not asked for, any more."""
    named = set(_TO.findall(file.decode("utf-8", "replace")))
    return [each for each in imports if each.address in named]
