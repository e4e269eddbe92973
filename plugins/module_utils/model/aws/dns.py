# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosted zone and the records in it (pkg/model/awsmodel/dns.go and upup/pkg/fi/cloudup/dns.go of kops)."""

from __future__ import annotations

from collections.abc import Sequence

from ...api import questions
from ...base.dns_placeholders import PLACEHOLDERS
from ...cloud.aws.tasks.dns_name import DNSName
from ...cloud.aws.tasks.dns_placeholder import DNSPlaceholder
from ...cloud.aws.tasks.dns_zone import DNSZone
from ...cloud.aws.tasks.network_load_balancer import NetworkLoadBalancer
from ...cloud.aws.tasks.vpc import VPC
from .. import dns_names
from ..context import ModelContext
from . import api_load_balancer, names


def build(context: ModelContext) -> None:
    """The zone when the cluster publishes records, and the records of the control plane.

    They lead to the load balancer where it serves; elsewhere they are placeholders for what the cluster will write.
    """
    if not context.publishes_dns_records:
        return
    zone(context)
    if served := dns_names.served(context):
        balancer = context.get(NetworkLoadBalancer, names.load_balancer(api_load_balancer.PREFIX, context.name))
        for name in served:
            add_records(context, name, balancer)
    for name, types in dns_names.to_servers(context).items():
        _add_placeholders(context, name, types)


def _add_placeholders(context: ModelContext, name: str, types: Sequence[str]) -> None:
    """Placeholders; external-dns, where it writes the records later, touches only those that say that they are its.

    The name by which nodes join is none of them: no pod asks external-dns for it.
    """
    external_dns = context.cluster.spec.external_dns
    owner = f'"heritage=external-dns,external-dns/owner=kops-{context.name}"'
    for record_type in types:
        _placeholder(context, name, record_type, PLACEHOLDERS[record_type])
        is_joining = name == dns_names.joining_name(context)
        if external_dns is not None and external_dns.provider == "external-dns" and not is_joining:
            _placeholder(context, f"aaaa-{name}" if record_type == "AAAA" else name, "TXT", owner)


def _placeholder(context: ModelContext, name: str, record_type: str, value: str) -> None:
    context.add(
        DNSPlaceholder(
            f"{name}-{record_type}",
            context.layers.cluster,
            zone=zone(context),
            resource_name=name,
            resource_type=record_type,
            value=value,
        )
    )


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
