# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime class by which pods ask for gVisor (gvisor.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ..conditions import is_enabled
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object


def _has_workers_with_it(context: AddonContext) -> bool:
    parts = [group.spec.containerd for group in context.groups_of("Node")]
    return any(part is not None and is_enabled(part.gvisor) for part in parts)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    scheduling = {"nodeSelector": {"kops.k8s.io/gvisor": "1"}}
    return [kubernetes_object("node.k8s.io/v1", "RuntimeClass", "gvisor", handler="runsc", scheduling=scheduling)]


ADDON = AddonDefinition(name="gvisor.addons.k8s.io", condition=_has_workers_with_it, build=_build, id="k8s-1.20")
