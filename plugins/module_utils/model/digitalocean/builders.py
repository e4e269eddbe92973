# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in DigitalOcean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...api.clouds import DIGITALOCEAN
from ...api.cluster import Cluster
from ...api.terraform_providers import PROVIDERS
from ...api.validation.entry import raise_for
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import addons, bootstrap_script, controllers
from ..builders import STORED, target_of
from ..context import ModelContext
from . import (
    access,
    api_load_balancer,
    etcd_volumes,
    firewalls,
    network,
    offered,
    records,
    removed_droplets,
    server_templates,
    servers,
    ssh_keys,
    user_data,
    workers,
)

if TYPE_CHECKING:
    # What droplets run. Ansible sends with a module what it imports, late or early: so model/node/ finds the sources.
    from ...node.digitalocean import cloud, load  # noqa: F401

# In this order everything that a builder refers to is there.
INFRASTRUCTURE = (
    network.build,
    ssh_keys.build,
    etcd_volumes.build,
    api_load_balancer.build,
    firewalls.build,
    server_templates.build,
    servers.build,
)
BUILDERS = (
    *STORED,
    access.build,
    addons.build,
    *INFRASTRUCTURE,
    workers.build_node_configs,
    bootstrap_script.build,
    controllers.build,
    records.build,
    user_data.build,
    removed_droplets.build,
)


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key; raises KopsError when the specification cannot be made in DigitalOcean."""
    raise_for(offered.missing(context), f"cluster {context.name}")
    for build_part in BUILDERS:
        build_part(context)
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """A target for DigitalOcean's provider of Terraform, with the token of the environment. Regions are of objects."""
    del region
    return target_of(PROVIDERS[DIGITALOCEAN], {}, cluster)
