# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a kubelet that depend on others, which a group and its cluster may have given."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.kubelet_values import validate_kubelet_whole

HIGH, LOW = "imageGCHighThresholdPercent", "imageGCLowThresholdPercent"


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({}, []),
        ({"image_gc_high_threshold_percent": 81}, []),
        ({"image_gc_high_threshold_percent": 80}, [HIGH]),
        ({"image_gc_high_threshold_percent": 70, "image_gc_low_threshold_percent": 60}, []),
        ({"image_gc_low_threshold_percent": 84}, []),
        ({"image_gc_low_threshold_percent": 85}, [LOW]),
        ({"cpu_manager_policy": "static"}, ["cpuManagerPolicy"]),
        ({"cpu_manager_policy": "static", "kube_reserved": {"cpu": "100m"}}, []),
    ],
)
def test_thresholds_and_policies(given: dict[str, Any], paths: list[str]) -> None:
    """The kubelet's own thresholds are 80 and 85; it does not start if the lower one is not lower."""
    found = validate_kubelet_whole(KubeletConfigSpec(**given), "spec.kubelet")
    assert [each.path for each in found] == [f"spec.kubelet.{path}" for path in paths]
