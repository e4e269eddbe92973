# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A group of instances in the cloud that the cluster autoscaler resizes."""

from __future__ import annotations

from dataclasses import dataclass

from ....api.instance_group import InstanceGroup


@dataclass(frozen=True)
class Scaled:
    """Its sizes, and its name as the autoscaler's part for the cloud takes it."""

    fewest: int
    most: int
    name: str

    @classmethod
    def of(cls, group: InstanceGroup, name: str) -> Scaled:
        """All of an instance group."""
        return cls(group.spec.min_size or 0, group.spec.max_size or 0, name)

    def __str__(self) -> str:
        return f"{self.fewest}:{self.most}:{self.name}"
