# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: instance group as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import instance_group as hub_instance_group
from ..fields import api_type, field
from ..meta import ObjectMeta
from .kubelet import KubeletConfigSpec


@api_type
class InstanceGroupSpec(hub_instance_group.InstanceGroupSpec):
    """``InstanceGroup.spec``."""

    kubelet: KubeletConfigSpec | None = None


@api_type
class InstanceGroup:
    """``InstanceGroup``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: InstanceGroupSpec = field(default_factory=InstanceGroupSpec)
