# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stack of a cluster: how it is called, and found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..base.errors import KopsError
from ..cloud.provider import explaining
from ..cloud.stacks import Stack

if TYPE_CHECKING:
    from ..cloud.provider import Provider
    from ..cloud.reads import Reads
    from ..engine.resource import Resource


def stack_name(cluster: str) -> str:
    """The stack of a cluster: AWS takes letters, digits and hyphens there, and a letter first."""
    name = re.sub(r"[^A-Za-z0-9-]", "-", cluster)
    return name if name[:1].isalpha() else f"kops-{name}"


def named_stack(provider: Provider[Any], cloud: Reads, cluster: str, identifiers: Iterable[str]) -> Stack | None:
    """The stack that has made one of the objects that outlive it, else the one with the cluster's name.

    identifiers: of these objects. None if there is no such stack. Whose it is, is not asked.
    """
    stacks = provider.stacks
    if stacks is None:
        return None
    with explaining(provider):
        names = (stacks.of(cloud, each) for each in identifiers if each)
        return stacks.find(cloud, next(filter(None, names), stack_name(cluster)))


def kept_by_stacks(provider: Provider[Any], found: Iterable[Resource]) -> list[str]:
    """The ids of objects that outlive the stack that has made them. found: a cluster's objects."""
    kinds = provider.stacks.keeps if provider.stacks is not None else ()
    return [each.id for each in found if each.kind in kinds and not each.claim]


def refuse_protected(stack: Stack) -> None:
    """Raise KopsError for a stack that the cloud does not delete."""
    if stack.is_protected:
        raise KopsError(
            f"the stack {stack.name} is protected from deletion. Nothing was deleted. aws cloudformation"
            f" update-termination-protection --no-enable-termination-protection --stack-name {stack.name} allows it"
        )
