# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in OpenStack."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...api.clouds import OPENSTACK
from ...api.cluster import Cluster
from ...api.terraform_providers import PROVIDERS
from ...api.validation.entry import raise_for
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import addons, controllers
from ..builders import NODES, STORED, target_of
from ..context import ModelContext
from . import (
    access,
    api_load_balancer,
    etcd_volumes,
    key_pair,
    network,
    offered,
    records,
    removed_servers,
    security_groups,
    server_groups,
    servers,
    user_data,
)

if TYPE_CHECKING:
    # What servers run. Ansible sends with a module what it imports, late or early: so model/node/ finds the sources.
    from ...node.openstack import cloud, load, load_s3, store_key  # noqa: F401


def _addons(context: ModelContext) -> None:
    """Some of them have the credential of the cluster."""
    credentials = functools.partial(access.variables, context)
    addons.build(context, late=[access.credential_of(context)], credentials=credentials)


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
BUILDERS = (
    *STORED,
    access.build,
    _addons,
    *INFRASTRUCTURE,
    access.build_addresses,
    *NODES,
    controllers.build,
    records.build,
    user_data.build,
    removed_servers.build,
)


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key; raises KopsError when the specification cannot be made in OpenStack."""
    for build_part in BUILDERS:
        build_part(context)
    raise_for(offered.missing(context), f"cluster {context.name}")
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """A target for OpenStack's provider of Terraform, with the login of the environment. region: "" is its own."""
    return target_of(PROVIDERS[OPENSTACK], {"region": region} if region else {}, cluster)
