# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in Google Cloud: every object that a completed specification asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...api.clouds import GCE
from ...api.cluster import Cluster
from ...api.terraform_providers import PROVIDERS
from ...api.validation.entry import raise_for
from ...cloud.gce.provider import GCEProvider
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import addons, bootstrap_script, controllers
from ..builders import STORED, target_of
from ..context import ModelContext
from . import (
    bucket_access,
    etcd_disks,
    external_access,
    firewall,
    instance_groups,
    internal_load_balancer,
    limits,
    network,
    public_load_balancer,
    removed_instance_groups,
    service_accounts,
    workers,
)

if TYPE_CHECKING:
    # What instances run. Ansible sends with a module what it imports, late or early: so model/node/ finds the sources.
    from ...node.gce import cloud, load  # noqa: F401

# In this order everything that a builder refers to is there.
BUILDERS = (
    *STORED,
    addons.build,
    workers.build_node_configs,
    bootstrap_script.build,
    controllers.build,
    etcd_disks.build,
    network.build,
    firewall.build,
    external_access.build,
    service_accounts.build,
    bucket_access.build,
    public_load_balancer.build,
    # Whoever hands out user data is after what instances are told of.
    internal_load_balancer.build_addresses,
    instance_groups.build,
    internal_load_balancer.build,
    removed_instance_groups.build,
)


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key; raises KopsError when the specification cannot be made in Google Cloud."""
    for build_part in BUILDERS:
        build_part(context)
    raise_for(limits.refused_objects(context.tasks.values()), f"cluster {context.name}")
    context.warnings += limits.labels_left_out(context.cluster, context.groups)
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """A target for Google's provider of Terraform; the project is an output too."""
    project = GCEProvider().place(cluster).project
    target = target_of(PROVIDERS[GCE], {"project": project, "region": region}, cluster)
    target.output("project", project)
    return target
