# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that a rolling update has detached: they run on, and their group has started one more for each.

A managed group has no such thing: an instance that is abandoned takes its place in the group with it. So a detached one
stays in its group, with a label that holds how many instances the group wants for itself, and the group gets one more.
When the instance is deleted by its group, the target size falls with it, in one step. From the label a later run knows
what the size has to be, wherever a former one broke off.
"""

from __future__ import annotations

from collections.abc import Iterable

from .instances import Described

LABEL = "kubeops-kops-detached-from"


def is_marked(instance: Described) -> bool:
    """Whether an instance was detached, or was about to be."""
    return _size(instance) is not None


def are_replaced(manager: Described, members: Iterable[Described]) -> bool:
    """Whether a group has as many more instances as it has detached ones. members: the group's, that have not ended."""
    sizes = [size for each in members if (size := _size(each)) is not None]
    return not sizes or int(manager.get("targetSize") or 0) >= min(sizes) + len(sizes)


def own_size(manager: Described, members: Iterable[Described]) -> int:
    """How many instances a group wants beside the detached ones."""
    sizes = [size for each in members if (size := _size(each)) is not None]
    return min(sizes, default=int(manager.get("targetSize") or 0))


def _size(instance: Described) -> int | None:
    text = (instance.get("labels") or {}).get(LABEL, "")
    return int(text) if text.isdigit() else None
