# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements as users write them."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.type_selection import Span
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.type_requirements import (
    mebibytes,
    requirements_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4gb", 4096), ("4", 4096), ("1.5 GiB", 1536), ("512mb", 512), ("2.0m", 2), ("1t", 1024 * 1024), ("0.5g", 512)],
)
def test_mebibytes(text: str, expected: int) -> None:
    assert mebibytes(text) == expected


@pytest.mark.parametrize("text", ["", "gb", "4 kb", "1.5mb", "-1gb", "4gbs"])
def test_what_is_no_memory(text: str) -> None:
    with pytest.raises(ValueError, match="quantity of memory|whole MiB"):
        mebibytes(text)


def test_spans() -> None:
    wanted = requirements_of({"vcpus": 2, "memory_min": "2", "gpus_max": 0, "cpu_architecture": "x86_64"})
    assert (wanted.vcpus, wanted.memory_mib, wanted.gpus) == (Span(2, 2), Span(2048, None), Span(0, 0))
    assert (wanted.architecture, wanted.usage_class, wanted.ratio) == ("amd64", "on-demand", None)
    assert requirements_of({"vcpus": "", "vcpus_to_memory_ratio": "2:8"}).ratio == 4
