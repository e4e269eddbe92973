# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine types of a region, with what they can be selected by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..type_selection import OfferedType, Requirements, Span
from .cloud import FILTER_VALUES, AWSCloud
from .facts import ARCHITECTURES, as_instance_type

_OURS = {name: architecture for architecture, name in ARCHITECTURES.items()}


def read_types(cloud: AWSCloud, wanted: Requirements, names: Sequence[str] = ()) -> list[OfferedType]:
    """Machine types of the region, or only the named ones; most types that do not meet the requirements are left out.

    EC2 has filters for some of them. A page has 100 types, and a region has many hundreds.
    """
    chosen = {
        "instance-type": list(names),
        "processor-info.supported-architecture": [_OURS[wanted.architecture]] if wanted.architecture else [],
        "supported-usage-class": [wanted.usage_class] if wanted.usage_class else [],
        "vcpu-info.default-vcpus": _numbers(wanted.vcpus),
        "memory-info.size-in-mib": _numbers(wanted.memory_mib),
        "burstable-performance-supported": _switch(wanted.burstable),
        "bare-metal": _switch(wanted.bare_metal),
    }
    filters = [{"Name": name, "Values": values} for name, values in chosen.items() if values]
    return [_offered(each) for each in cloud.paged("ec2", "describe_instance_types", "InstanceTypes", Filters=filters)]


def _numbers(span: Span | None) -> list[str]:
    """Numbers of a span, as values of a filter; an empty list if the span has too many."""
    if span is None or span.highest is None or span.highest - span.lowest >= FILTER_VALUES:
        return []
    return [str(number) for number in range(span.lowest, span.highest + 1)]


def _switch(value: bool | None) -> list[str]:
    return [] if value is None else [str(value).lower()]


def _offered(entry: dict[str, Any]) -> OfferedType:
    gpu = entry.get("GpuInfo", {})
    return OfferedType(
        as_instance_type(entry),
        gpus=sum(each.get("Count", 0) for each in gpu.get("Gpus", ())),
        gpu_memory_mib=gpu.get("TotalGpuMemoryInMiB", 0),
        bare_metal=entry.get("BareMetal", False),
        fpga="FpgaInfo" in entry,
        burstable=entry.get("BurstablePerformanceSupported", False),
        ena=entry.get("NetworkInfo", {}).get("EnaSupport") in ("required", "supported"),
        placement_strategies=tuple(entry.get("PlacementGroupInfo", {}).get("SupportedStrategies", ())),
    )
