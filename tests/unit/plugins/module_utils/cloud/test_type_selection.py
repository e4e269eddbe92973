# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machine types meet requirements."""

from __future__ import annotations

import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import InstanceType
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.type_selection import (
    OfferedType,
    Requirements,
    Span,
    flexible,
    like_base,
    matching,
)

SMALL = OfferedType(InstanceType("t3.small", vcpus=2, memory_mib=2048, max_network_interfaces=3), burstable=True)
LARGE = OfferedType(InstanceType("c5.xlarge", vcpus=4, memory_mib=7629), ena=True, placement_strategies=("spread",))
METAL = OfferedType(InstanceType("c5.metal", vcpus=4, memory_mib=8192), bare_metal=True, fpga=True)
GPUS = OfferedType(InstanceType("g5.xlarge", ("arm64",), 4, 16384), gpus=2, gpu_memory_mib=24576)
ALL = (METAL, LARGE, SMALL, GPUS)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Requirements(), ["c5.metal", "c5.xlarge", "g5.xlarge", "t3.small"]),
        (Requirements(vcpus=Span(0, 3)), ["t3.small"]),
        (Requirements(memory_mib=Span(8192)), ["c5.metal", "g5.xlarge"]),
        # Of memory that is not whole GiB, the ratio is rounded up.
        (Requirements(ratio=2.0), ["c5.metal", "c5.xlarge"]),
        (Requirements(gpus=Span(0, 0), bare_metal=False), ["c5.xlarge", "t3.small"]),
        (Requirements(gpu_memory_mib=Span(1)), ["g5.xlarge"]),
        (Requirements(network_interfaces=Span(3)), ["t3.small"]),
        (Requirements(architecture="arm64"), ["g5.xlarge"]),
        (Requirements(placement_strategy="spread"), ["c5.xlarge"]),
        (Requirements(ena=True), ["c5.xlarge"]),
        (Requirements(burstable=True), ["t3.small"]),
        (Requirements(fpga=True), ["c5.metal"]),
        (Requirements(allowed=re.compile("^[cg]"), denied=re.compile("metal$")), ["c5.xlarge", "g5.xlarge"]),
    ],
)
def test_matching(wanted: Requirements, expected: list[str]) -> None:
    assert matching(ALL, wanted) == expected


def test_like_base_and_flexible() -> None:
    wanted = like_base(Requirements(vcpus=Span(1, 1)), GPUS)
    assert (wanted.vcpus, wanted.memory_mib, wanted.gpus) == (Span(1, 1), Span(14745, 19660), Span(2, 2))
    assert matching(ALL, flexible(Requirements())) == ["c5.xlarge"]
    assert flexible(Requirements(memory_mib=Span(2048, 2048))).vcpus is None
