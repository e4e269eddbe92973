# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of objects that Terraform makes by one resource each, in clouds whose servers are made directly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ...base.errors import KopsError
from ...engine.targets.hcl import Literal, reference, sanitize
from ...engine.targets.imports import Import
from ...engine.task import CloudT_contra, Task

if TYPE_CHECKING:
    from ...engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class TerraformResource(Task[CloudT_contra]):
    """An object with an id.

    resource: what Terraform's provider calls the kind; "" for what servers have, which Terraform does not make.
    """

    resource: ClassVar[str] = ""

    @property
    def made_directly(self) -> bool:
        return not self.resource

    @property
    def is_lent(self) -> bool:
        """Whether it is the user's or the cloud's, and is only referred to."""
        return False

    @property
    def identifier(self) -> str | None:
        """The id by which the cloud knows it; None while it is not known to be there."""
        found = getattr(self, "id", None)
        return None if found is None else str(found)

    @property
    def terraform_name(self) -> str:
        """What Terraform calls it, before it is sanitized."""
        return self.name

    @property
    def terraform_address(self) -> Literal:
        """How other resources of the configuration name the whole of it."""
        return Literal(f"{self.resource}.{sanitize(self.terraform_name)}")

    def terraform_arguments(self) -> dict[str, Any]:
        """The arguments of its resource; None for what the cloud decides."""
        return {"name": self.name}

    def terraform_link(self, attribute: str = "id") -> Literal | str:
        """An attribute, as other resources write it; of what is lent, its id. Raises KopsError if that is not known."""
        if not self.is_lent:
            return reference(self.resource, self.terraform_name, attribute)
        if self.identifier is None:
            raise KopsError(f"{self.key} is not there")
        return self.identifier

    def terraform(self, target: TerraformTarget) -> None:
        """Add its resource."""
        if not self.is_lent:
            target.resource(self.resource, self.terraform_name, self.terraform_arguments())

    def terraform_imports(self) -> Iterator[Import]:
        """What Terraform takes over; nothing if it is not there, or never Terraform's."""
        if self.identifier is not None and not self.is_lent:
            yield Import(self.resource, self.terraform_name, self.terraform_id(self.identifier))

    def terraform_id(self, identifier: str) -> str:
        """The id as the provider wants it."""
        return identifier
