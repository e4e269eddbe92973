# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a configuration: what of an instance group people change between two runs, where they want to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .hcl import Literal, block, sanitize

_VARIABLE = re.compile(r'^variable "', re.MULTILINE)


@dataclass(frozen=True)
class Property:
    """A property of an instance group. name: as the field of its specification. description: what it is for it."""

    name: str
    description: str

    def variable(self, group: str) -> str:
        """The name of its variable."""
        return f"{sanitize(group)}_{self.name}"


MIN_SIZE = Property("min_size", "the fewest instances")
MAX_SIZE = Property("max_size", "the most instances")
MACHINE_TYPE = Property("machine_type", "the machine type of new instances")
IMAGE = Property("image", "the image of new instances")
ROOT_VOLUME_SIZE = Property("root_volume_size", "the size in GiB of the root volume of new instances")


@dataclass(frozen=True)
class Variable:
    """A property that is a variable. value: what the specification says, which counts unless the user says another."""

    group: str
    of: Property
    value: int | str

    @property
    def block(self) -> str:
        """It as Terraform declares it."""
        arguments = {
            "default": self.value,
            "description": f"Instance group {self.group}: {self.of.description}",
            "type": Literal("string" if isinstance(self.value, str) else "number"),
        }
        return block(f'variable "{self.of.variable(self.group)}"', arguments)


def has_variables(configuration: bytes) -> bool:
    """Whether a configuration declares variables."""
    return _VARIABLE.search(configuration.decode("utf-8", "replace")) is not None
