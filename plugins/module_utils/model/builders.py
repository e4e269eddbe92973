# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rest of the collection asks of a cloud's model. Each cloud answers in its own builders.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..engine.targets.terraform import TerraformProvider, TerraformTarget
from . import bootstrap_script, config, encryption, etcd, issuer_discovery, node_configs, pki
from .context import ModelContext

if TYPE_CHECKING:
    from ..api.cluster import Cluster
    from ..engine.task import Task

Build = Callable[[ModelContext], None]

# What the state store keeps of a cluster, whatever its cloud is. A cloud adds its addons, which may name objects of it.
STORED: tuple[Build, ...] = (pki.build, encryption.build, issuer_discovery.build, etcd.build, config.build)
# What instances are made of. It comes after all that user data names, such as addresses of load balancers.
NODES: tuple[Build, ...] = (node_configs.build, bootstrap_script.build)


class Builders(Protocol):
    """The functions of a cloud's builders.py: the module itself is what operations use.

    The builders.py of a cloud that starts nodes imports cloud.py and load.py of node/<cloud>/ as well, for types only:
    so these sources are wherever Ansible runs a module.
    """

    def build(self, context: ModelContext) -> dict[str, Task[Any]]:
        """The tasks of a completed cluster; raises KopsError when the specification cannot be made in the cloud."""

    def terraform_target(self, cluster: Cluster, region: str) -> TerraformTarget:
        """An empty Terraform target for the cluster; raises KopsError when Terraform has nothing to do with it."""


def target_of(provider: TerraformProvider, arguments: Mapping[str, str], cluster: Cluster) -> TerraformTarget:
    """A target for a provider of Terraform and the arguments of its block, with what spec.target.terraform adds."""
    terraform = cluster.spec.target.terraform if cluster.spec.target else None
    if terraform is None:
        return TerraformTarget(provider, arguments)
    return TerraformTarget(
        provider, {**arguments, **terraform.provider_extra_config}, terraform.files_provider_extra_config
    )
