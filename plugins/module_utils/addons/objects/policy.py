# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pods of an addon may be away at a time."""

from __future__ import annotations

from typing import Any, Optional

from .core import Labels, kubernetes_object


def disruption_budget(
    name: str, namespace: str, selector: Labels, labels: Optional[Labels] = None, **spec: Any
) -> dict[str, Any]:
    """A PodDisruptionBudget. spec: minAvailable or maxUnavailable, and others."""
    specification = {**spec, "selector": {"matchLabels": dict(selector)}}
    return kubernetes_object(
        "policy/v1", "PodDisruptionBudget", name, namespace=namespace, labels=labels, spec=specification
    )
