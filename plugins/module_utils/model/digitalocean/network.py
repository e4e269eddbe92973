# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VPC (pkg/model/domodel/network.go of kops): one of the cluster's own, one that is given, or the region's own."""

from __future__ import annotations

from ...cloud.digitalocean import names
from ...cloud.digitalocean.tasks.vpc import VPC
from ..context import ModelContext


def build(context: ModelContext) -> None:
    """With a range, a VPC is made. Without one, droplets are in the region's default VPC, which others use as well."""
    networking = context.cluster.spec.networking
    if networking.network_id:
        context.add(VPC(str(networking.network_id), context.layers.network, given=True))
    elif networking.network_cidr:
        context.add(
            VPC(
                names.vpc(context.name),
                context.layers.network,
                region=context.region,
                ip_range=str(networking.network_cidr),
            )
        )


def vpc_of(context: ModelContext) -> VPC | None:
    """The VPC, once it is built; None for the region's own."""
    return next((task for task in context.tasks.values() if isinstance(task, VPC)), None)
