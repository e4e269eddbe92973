# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in AWS: every object that a completed specification asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...api.clouds import AWS
from ...api.cluster import Cluster
from ...api.terraform_providers import PROVIDERS
from ...api.validation.entry import raise_for
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import bootstrap_script
from ..builders import STORED, target_of
from ..context import ModelContext
from . import (
    api_load_balancer,
    autoscaling_group,
    bastion,
    controllers,
    dns,
    etcd_volumes,
    external_access,
    firewall,
    karpenter,
    left_rules,
    limits,
    network,
    node_termination_handler,
    oidc_provider,
    removed_instance_groups,
    ssh_key,
    warm_pools,
)
from .iam import roles as iam

if TYPE_CHECKING:
    # What instances run. Ansible sends with a module what it imports, late or early: so model/node/ finds the sources.
    from ...node.aws import cloud, load  # noqa: F401

# In this order everything that a builder refers to is there.
BUILDERS = (
    *STORED,
    warm_pools.build_node_configs,
    etcd_volumes.build,
    network.build,
    firewall.build,
    api_load_balancer.build,
    bastion.build,
    # Whoever hands out user data is after what instances are told of.
    bootstrap_script.build,
    karpenter.build_addons,
    dns.build,
    controllers.build,
    external_access.build,
    ssh_key.build,
    iam.build,
    oidc_provider.build,
    autoscaling_group.build,
    node_termination_handler.build,
    removed_instance_groups.build,
    left_rules.build,
)


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key; raises KopsError when the specification cannot be made in AWS."""
    for build_part in BUILDERS:
        build_part(context)
    raise_for(limits.refused_objects(context.tasks.values()), f"cluster {context.name}")
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """An empty target for Terraform's provider of AWS."""
    return target_of(PROVIDERS[AWS], {"region": region}, cluster)
