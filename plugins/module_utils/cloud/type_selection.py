# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selection of machine types by requirements, with the rules of kops toolbox instance-selector.

Source: amazon-ec2-instance-selector v3, pkg/selector.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..api.facts import InstanceType

# What a flexible selection is limited to, where nothing else is allowed: general, compute and memory families.
FLEXIBLE_FAMILIES = re.compile(r"^[cmr][3-9][agi]?\..*$|^t[2-9][gi]?\..*$")
FLEXIBLE_VCPUS = 4
# GiB of memory for each virtual CPU of the first group, where no ratio is given.
FIRST_RATIO = 2.0
# How far from those of a base type memory and virtual CPUs may be.
BASE_LOWEST, BASE_HIGHEST = 0.9, 1.2


@dataclass(frozen=True)
class Span:
    """Numbers from lowest to highest, both included. highest: None for no limit."""

    lowest: int = 0
    highest: int | None = None

    def __contains__(self, number: int) -> bool:
        return self.lowest <= number and (self.highest is None or number <= self.highest)


@dataclass(frozen=True)
class OfferedType:
    """A machine type that a cloud offers, with all properties for a selection. gpu_memory_mib: of all its GPUs."""

    described: InstanceType
    gpus: int = 0
    gpu_memory_mib: int = 0
    bare_metal: bool = False
    fpga: bool = False
    burstable: bool = False
    ena: bool = False
    placement_strategies: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Such as m5.large."""
        return self.described.name

    @property
    def ratio(self) -> int:
        """GiB of memory for each virtual CPU, rounded up."""
        return math.ceil(self.described.memory_mib / (self.described.vcpus * 1024)) if self.described.vcpus else 0


@dataclass(frozen=True)
class Requirements:
    """What a machine type must have; None for what does not matter.

    architecture: Kubernetes' name. usage_class: on-demand or spot. ratio: GiB of memory for each virtual CPU.
    allowed, denied: patterns that are searched for in the name.
    """

    architecture: str | None = None
    usage_class: str | None = None
    vcpus: Span | None = None
    memory_mib: Span | None = None
    ratio: float | None = None
    gpus: Span | None = None
    gpu_memory_mib: Span | None = None
    network_interfaces: Span | None = None
    placement_strategy: str | None = None
    ena: bool | None = None
    burstable: bool | None = None
    bare_metal: bool | None = None
    fpga: bool | None = None
    allowed: re.Pattern[str] | None = None
    denied: re.Pattern[str] | None = None


def like_base(wanted: Requirements, base: OfferedType) -> Requirements:
    """What is not required otherwise is about as in the base type."""
    about: dict[str, Any] = {
        "vcpus": Span(int(base.described.vcpus * BASE_LOWEST), int(base.described.vcpus * BASE_HIGHEST)),
        "memory_mib": Span(int(base.described.memory_mib * BASE_LOWEST), int(base.described.memory_mib * BASE_HIGHEST)),
        "gpus": Span(base.gpus, base.gpus),
        "bare_metal": base.bare_metal,
        "fpga": base.fpga,
    }
    return replace(wanted, **{name: value for name, value in about.items() if getattr(wanted, name) is None})


def flexible(wanted: Requirements) -> Requirements:
    """Add usual requirements where none are given: virtual machines of common families, with four virtual CPUs."""
    made = replace(
        wanted,
        bare_metal=bool(wanted.bare_metal),
        fpga=bool(wanted.fpga),
        allowed=wanted.allowed or FLEXIBLE_FAMILIES,
    )
    if made.vcpus is None and made.memory_mib is None:
        return replace(made, vcpus=Span(FLEXIBLE_VCPUS, FLEXIBLE_VCPUS))
    return made


def matching(types: Iterable[OfferedType], wanted: Requirements) -> list[str]:
    """Names of the types that meet all requirements but the usage class, sorted."""
    return sorted(each.name for each in types if _meets(each, wanted))


def _meets(found: OfferedType, wanted: Requirements) -> bool:
    described = found.described
    spans = (
        (wanted.vcpus, described.vcpus),
        (wanted.memory_mib, described.memory_mib),
        (wanted.gpus, found.gpus),
        (wanted.gpu_memory_mib, found.gpu_memory_mib),
        (wanted.network_interfaces, described.max_network_interfaces),
    )
    switches = (
        (wanted.ena, found.ena),
        (wanted.burstable, found.burstable),
        (wanted.bare_metal, found.bare_metal),
        (wanted.fpga, found.fpga),
        (wanted.ratio, found.ratio),
    )
    return (
        all(span is None or number in span for span, number in spans)
        and all(value is None or value == has for value, has in switches)
        and wanted.architecture in (None, *described.architectures)
        and wanted.placement_strategy in (None, *found.placement_strategies)
        and not (wanted.denied and wanted.denied.search(found.name))
        and not (wanted.allowed and not wanted.allowed.search(found.name))
    )
