# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin by which pods ask for Nvidia GPUs, and the exporter of their metrics (nvidia.addons.k8s.io of kops)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....api.instance_group import InstanceGroup
from ....iam.policy import Policy
from ...conditions import is_enabled
from ...context import AddonContext
from ...definition import AddonDefinition
from .dcgm_exporter import dcgm_exporter
from .device_plugin import device_plugin


def _has_gpus(context: AddonContext, groups: Iterable[InstanceGroup]) -> bool:
    parts = [context.cluster.spec.containerd, *(group.spec.containerd for group in groups)]
    return any(part is not None and is_enabled(part.nvidia_gpu) for part in parts)


def _read_instance_types(context: AddonContext, policy: Policy, role: str) -> None:
    """Instances look up whether their type has a GPU. The role is one for all its groups."""
    if _has_gpus(context, context.groups_of(role)):
        policy.anywhere.add("ec2:DescribeInstanceTypes")


def _build(context: AddonContext) -> list[dict[str, Any]]:
    containerd = context.cluster.spec.containerd
    gpu = containerd.nvidia_gpu if containerd else None
    exports = gpu is not None and is_enabled(gpu.dcgm_exporter)
    return [*device_plugin(context), *(dcgm_exporter(context.cluster) if exports else ())]


ADDON = AddonDefinition(
    name="nvidia.addons.k8s.io",
    condition=lambda context: _has_gpus(context, context.groups),
    build=_build,
    id="k8s-1.16",
    instance_permissions=_read_instance_types,
)
