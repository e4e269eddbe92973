# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements by which an autoscaling group chooses instance types, instead of their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._ec2 import given


@dataclass
class InstanceRequirements:
    """Bounds: numbers of CPUs, memory in MiB. The architecture follows from the image."""

    architecture: str | None = None
    cpu_min: int | None = None
    cpu_max: int | None = None
    memory_min: int | None = None
    memory_max: int | None = None
    excluded_instance_types: list[str] | None = None

    def override(self) -> dict[str, Any]:
        """The entry of a mixed instances policy."""
        requirements = given(
            VCpuCount=given(Min=self.cpu_min, Max=self.cpu_max),
            MemoryMiB=given(Min=self.memory_min, Max=self.memory_max),
            BurstablePerformance="included",
            ExcludedInstanceTypes=self.excluded_instance_types or None,
        )
        return {"InstanceRequirements": requirements}

    @classmethod
    def found(cls, overrides: list[dict[str, Any]]) -> InstanceRequirements | None:
        """The requirements among the entries of a mixed instances policy, if there are any."""
        for override in overrides:
            requirements = override.get("InstanceRequirements")
            if requirements:
                cpus, memory = requirements.get("VCpuCount") or {}, requirements.get("MemoryMiB") or {}
                return cls(
                    cpu_min=cpus.get("Min"),
                    cpu_max=cpus.get("Max"),
                    memory_min=memory.get("Min"),
                    memory_max=memory.get("Max"),
                    excluded_instance_types=requirements.get("ExcludedInstanceTypes") or None,
                )
        return None
