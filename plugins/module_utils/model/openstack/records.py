# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of a cluster in Designate (upup/pkg/fi/cloudup/dns.go of kops).

kops leaves the names of the API to the user where a load balancer serves it; here that is so for a public name that is
in no zone of the project.
"""

from __future__ import annotations

import functools

from ...api.facts import CloudDNSZone
from ...cloud.openstack import names
from ...cloud.openstack.tasks.floating_ip import FloatingIP
from ...cloud.openstack.tasks.load_balancer import LoadBalancer
from ...cloud.openstack.tasks.record_set import RecordSet
from .. import controllers, dns_names
from ..context import ModelContext
from . import api_load_balancer
from .spec import api_name, spec


def build(context: ModelContext) -> None:
    """Those that lead to the load balancer, and placeholders for what control planes will write."""
    zone = zone_of(context) if context.publishes_dns_records else None
    if zone is None:
        return
    add = functools.partial(_add, context, zone)
    if spec(context).loadbalancer is not None:
        balancer = context.get(LoadBalancer, api_name(context))
        for name in dns_names.served(context):
            add(name, "A", _outside(context, balancer) if name == context.cluster.spec.api.public_name else balancer)
    for wanted in controllers.records(context):
        add(wanted.name, wanted.type)


def zone_of(context: ModelContext) -> CloudDNSZone | None:
    """The zone: spec.dnsZone is its id or its name. None if the project has no such zone."""
    wanted = str(context.cluster.spec.dns_zone).rstrip(".")
    return next((each for each in context.facts.dns_zones() if wanted in (each.id, each.name)), None)


def _outside(context: ModelContext, balancer: LoadBalancer) -> FloatingIP | LoadBalancer:
    """What users reach it by."""
    if api_load_balancer.is_internal(context):
        return balancer
    return context.get(FloatingIP, names.floating_ip(balancer.name))


def _add(
    context: ModelContext,
    zone: CloudDNSZone,
    name: str,
    of_type: str,
    leads_to: FloatingIP | LoadBalancer | None = None,
) -> None:
    if f".{name}".endswith(f".{zone.name}"):
        made = RecordSet(
            f"{name} {of_type}", context.layers.cluster, zone=zone.id, title=name, type=of_type, leads_to=leads_to
        )
        context.add(made)
