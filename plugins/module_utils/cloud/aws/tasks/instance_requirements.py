# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: instance requirements."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class InstanceRequirements:
    """TODO."""

    architecture: str | None = None
    cpu_min: int | None = None
    cpu_max: int | None = None
    memory_min: int | None = None
    memory_max: int | None = None
    excluded_instance_types: list[str] | None = None
