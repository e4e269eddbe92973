# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers in the namespace default that ask for no CPU get a little (limit-range.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ..conditions import always
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object


def _build(context: AddonContext) -> list[dict[str, Any]]:
    spec = {"limits": [{"type": "Container", "defaultRequest": {"cpu": "100m"}}]}
    return [kubernetes_object("v1", "LimitRange", "limits", namespace="default", spec=spec)]


ADDON = AddonDefinition(name="limit-range.addons.k8s.io", condition=always, build=_build, file="v1.5.0.yaml")
