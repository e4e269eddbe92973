# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The floating address of the API's load balancer (pkg/model/openstackmodel/servergroup.go of kops)."""

from __future__ import annotations

from ...base.errors import KopsError
from ...cloud.openstack import names
from ...cloud.openstack.tasks.floating_ip import FloatingIP
from ...cloud.openstack.tasks.load_balancer import LoadBalancer
from ..context import ModelContext
from . import network
from .spec import spec

_FLOATING = "spec.cloudProvider.openstack.router.externalNetwork must be given where addresses are floating ones"


def of_balancer(context: ModelContext, balancer: LoadBalancer) -> FloatingIP:
    """That of the API's load balancer. Raises KopsError."""
    external, options = network.external_network(context), spec(context).loadbalancer
    if external is None:
        raise KopsError(_FLOATING)
    return context.add(
        FloatingIP(
            names.floating_ip(balancer.name),
            context.layers.cluster,
            network=external,
            subnet=network.of_external(context, options.floating_subnet if options else None),
            balancer=balancer,
            interfaces=network.interfaces(context),
        )
    )
