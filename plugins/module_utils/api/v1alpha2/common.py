# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: common as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import common as hub_common
from ..fields import api_type, field


@api_type
class HookSpec(hub_common.HookSpec):
    """``Cluster.spec.hooks[]``, ``InstanceGroup.spec.hooks[]``."""

    enabled: bool | None = field(key="disabled")
