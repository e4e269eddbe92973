# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in OpenStack, as far as it goes: servers are made and told nothing, and names are not kept."""

from __future__ import annotations

from typing import Any

from ...api.cluster import Cluster
from ...api.validation.entry import raise_for
from ...base.errors import KopsError
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from ..builders import STORED
from ..context import ModelContext
from . import (
    api_load_balancer,
    etcd_volumes,
    key_pair,
    network,
    offered,
    removed_servers,
    security_groups,
    server_groups,
    servers,
)

# In this order everything that a builder refers to is there.
INFRASTRUCTURE = (
    network.build,
    security_groups.build,
    key_pair.build,
    etcd_volumes.build,
    server_groups.build,
    api_load_balancer.build,
    servers.build,
)
BUILDERS = (*STORED, *INFRASTRUCTURE, removed_servers.build)
NO_NODES = "servers of OpenStack do not become nodes yet: they are made, with all that is around them, and told nothing"


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key; raises KopsError when the specification cannot be made in OpenStack."""
    raise_for(offered.missing(context), f"cluster {context.name}")
    for build_part in BUILDERS:
        build_part(context)
    context.warnings.append(NO_NODES)
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """Refused: raises KopsError."""
    raise KopsError("target terraform: objects of OpenStack are made directly only")
