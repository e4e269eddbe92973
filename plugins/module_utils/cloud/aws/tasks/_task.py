# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of AWS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.task import Task
from ..cloud import AWSCloud

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget


class AWSTask(Task[AWSCloud]):
    """An object of AWS: it is found and written by a client of AWS.

    cloudformation_type: what CloudFormation calls its kind; "" for what is part of another resource there.
    unsaid: fields that no template can say as a direct update sets them.
    """

    cloudformation_type: ClassVar[str] = ""
    unsaid: ClassVar[frozenset[str]] = frozenset()

    @property
    def existing(self) -> str | None:
        """The id of an object that is not the cluster's; None for one that is made."""
        return str(getattr(self, "id", None)) if getattr(self, "shared", False) else None

    def cloudformation(self, target: CloudFormationTarget) -> None:
        """Add its resource; nothing for what exists, or is part of another resource."""
        if self.cloudformation_type and self.existing is None:
            target.resource(self, self.cloudformation_type, self.resource_properties(target))

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        """The properties of its resource; None for what CloudFormation decides."""
        raise NotImplementedError(f"{self.kind}.resource_properties")
