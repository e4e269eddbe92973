# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pods for GPUs run."""

from __future__ import annotations

from typing import Any

from ...objects.pods import toleration

RUNTIME = "nvidia"


def on_gpu_nodes() -> dict[str, Any]:
    """The selector of nodes with GPUs, and the toleration of their taint; for pods and for the RuntimeClass."""
    return {
        "nodeSelector": {"kops.k8s.io/gpu": "1"},
        "tolerations": [toleration("nvidia.com/gpu", "NoSchedule")],
    }
