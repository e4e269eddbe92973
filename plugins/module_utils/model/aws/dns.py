# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosted zone and the records in it (pkg/model/awsmodel/dns.go of kops)."""

from __future__ import annotations

from ...api.validation import questions
from ...cloud.aws.tasks.dns_name import DNSName
from ...cloud.aws.tasks.dns_zone import DNSZone
from ...cloud.aws.tasks.network_load_balancer import NetworkLoadBalancer
from ...cloud.aws.tasks.vpc import VPC
from .. import names
from ..context import ModelContext
from . import api_load_balancer


def build(context: ModelContext) -> None:
    """The zone when the cluster publishes records, and the API's records when a load balancer serves it."""
    if not context.publishes_dns_records:
        return
    zone(context)
    spec = context.cluster.spec.api
    if spec.load_balancer is None:
        return
    balancer = context.get(NetworkLoadBalancer, names.load_balancer(api_load_balancer.PREFIX, context.name))
    add_records(context, str(spec.public_name), balancer)
    if spec.load_balancer.use_for_internal_api:
        add_records(context, f"api.internal.{context.name}", balancer)


def zone(context: ModelContext) -> DNSZone:
    """The hosted zone of the cluster; spec.dnsZone is its name or its id."""
    wanted = str(context.cluster.spec.dns_zone)
    private = questions.dns_type(context.cluster) == "Private"
    is_name = "." in wanted
    known = [
        found
        for found in context.facts.dns_zones()
        if (found.name == wanted.rstrip(".") and found.private == private if is_name else found.id == wanted)
    ]
    return context.ensure(
        DNSZone(
            wanted,
            context.layers.cluster,
            dns_name=wanted if is_name else None,
            zone_id=known[0].id if len(known) == 1 else None if is_name else wanted,
            private=True if private else None,
            private_vpc=context.get(VPC, context.name) if private else None,
        )
    )


def add_records(context: ModelContext, name: str, balancer: NetworkLoadBalancer) -> None:
    """The IPv4 and the IPv6 alias of a load balancer; two services may share a name."""
    for suffix, record_type in (("", "A"), ("-AAAA", "AAAA")):
        context.ensure(
            DNSName(
                name + suffix,
                context.layers.cluster,
                zone=zone(context),
                resource_name=name,
                resource_type=record_type,
                target_load_balancer=balancer,
            )
        )
