# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a configuration, for users who want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import (
    CONFIGURATION,
    TerraformTarget,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.variables import (
    IMAGE,
    MAX_SIZE,
    has_variables,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task

DECLARED = """variable "1-a_image" {
  default     = "a$${b}"
  description = "Instance group 1.a: the image of new instances"
  type        = string
}

variable "1-a_max_size" {
  default     = 0
  description = "Instance group 1.a: the most instances"
  type        = number
}
"""


@dataclass(eq=False, repr=False)
class Shelf(Task[Any]):
    """A kind with properties of an instance group."""

    group: str | None = "1.a"
    size: int | None = 0

    def terraform(self, target: TerraformTarget) -> None:
        image = target.variable(self.group, IMAGE, "a${b}")
        size = target.variable(self.group, MAX_SIZE, self.size)
        target.resource("aws_shelf", self.name, {"image": image, "size": size})


def rendered(*tasks: Task[Any], wanted: bool = True) -> str:
    target = TerraformTarget(PROVIDERS[AWS], {})
    target.has_variables = wanted
    return target.render(tasks)[CONFIGURATION].decode()


def test_values_are_the_defaults_of_variables() -> None:
    text = rendered(Shelf("a"))
    declared = DECLARED.replace('"1-a', '"prefix_1-a')
    assert text.startswith(declared)
    assert "  image = var.prefix_1-a_image\n  size  = var.prefix_1-a_max_size\n" in text
    plain = rendered(Shelf("a"), wanted=False)
    assert text[len(declared) :].lstrip() == plain.replace('"a$${b}"', "var.prefix_1-a_image").replace(
        "= 0\n", "= var.prefix_1-a_max_size\n"
    )
    assert has_variables(text.encode())
    assert not has_variables(plain.encode())


def test_what_no_group_has_or_nothing_says_is_no_variable() -> None:
    assert rendered(Shelf("a", group=None)) == rendered(Shelf("a", group=None), wanted=False)
    assert "max_size" not in rendered(Shelf("a", size=None))


def test_a_variable_has_one_meaning() -> None:
    with pytest.raises(KopsError, match="two objects both give the Terraform variable prefix_1-a_image"):
        rendered(Shelf("a"), Shelf("b", group="1-a"))
