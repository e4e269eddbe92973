# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: common as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..common import ExecContainerAction
from ..fields import field


@dataclass
class HookSpec:
    """``Cluster.spec.hooks[]``, ``InstanceGroup.spec.hooks[]``."""

    name: str | None = field(plain=True)
    enabled: bool | None = field(key="disabled")
    roles: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    exec_container: ExecContainerAction | None = None
    manifest: str | None = field(plain=True)
    use_raw_manifest: bool | None = field(plain=True)
