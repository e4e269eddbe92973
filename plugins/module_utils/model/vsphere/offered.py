# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter lacks of what a specification names: all of it is said at once, before anything is made."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ..context import ModelContext
from .spec import account_of, spec


def missing(context: ModelContext) -> list[FieldError]:
    """Datastores, networks and places of the cluster, and the images of its groups."""
    found = list(account_of(context).missing(spec(context)))
    return found + [problem for group in context.updated_groups for problem in _of_group(context, group)]


def _of_group(context: ModelContext, group: InstanceGroup) -> Iterator[FieldError]:
    if context.facts.image(str(group.spec.image)) is None:
        message = "vCenter has no template of that name or path, or several"
        yield FieldError("NotFound", "spec.image", message, group.spec.image, group=str(group.metadata.name))
