# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in vSphere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...api.clouds import VSPHERE
from ...api.cluster import Cluster
from ...api.validation.entry import raise_for
from ...base.errors import KopsError
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import addons, controllers
from ..builders import NODES, STORED
from ..context import ModelContext
from . import access, etcd_disks, offered, places, removed_vms, user_data, vm_templates, vms

if TYPE_CHECKING:
    # What machines run. Ansible sends with a module what it imports, late or early: so model/node/ finds the sources.
    from ...node.vsphere import cloud, load, store_key  # noqa: F401

# In this order everything that a builder refers to is there.
INFRASTRUCTURE = (places.build, etcd_disks.build, vm_templates.build, vms.build)
BUILDERS = (
    *STORED,
    access.build,
    addons.build,
    *INFRASTRUCTURE,
    *NODES,
    controllers.build,
    user_data.build,
    removed_vms.build,
)


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key; raises KopsError when the specification cannot be made in vSphere."""
    raise_for(offered.missing(context), f"cluster {context.name}")
    for build_part in BUILDERS:
        build_part(context)
    return context.tasks


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """Raises KopsError: Terraform's provider takes no ids for tags, and by its tag's id a cluster is known."""
    del region
    raise KopsError(
        f"cluster {cluster.metadata.name}: clusters on {VSPHERE.title} are not rendered for Terraform, whose provider"
        " cannot give the cluster's tag its id; update_cluster without a target makes them"
    )
