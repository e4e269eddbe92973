# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a bare-metal cluster: what the state store keeps. The hosts themselves come from an inventory."""

from __future__ import annotations

from typing import Any

from ...api.cluster import Cluster
from ...base.errors import KopsError
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import addons
from ..builders import STORED
from ..context import ModelContext

BUILDERS = (*STORED, addons.build)


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key: authorities and managed files."""
    for build_part in BUILDERS:
        build_part(context)
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """Refused: raises KopsError."""
    raise KopsError("target terraform is for clouds: bare metal hosts are no resources of a provider")
