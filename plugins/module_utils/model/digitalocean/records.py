# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of a cluster in a domain of the account (upup/pkg/fi/cloudup/dns.go of kops)."""

from __future__ import annotations

import functools

from ...cloud.digitalocean.tasks.load_balancer import LoadBalancer
from ...cloud.digitalocean.tasks.record import Record
from ...cloud.dns_names import is_own
from .. import controllers, dns_names
from ..context import ModelContext
from . import api_load_balancer


def build(context: ModelContext) -> None:
    """Those that lead to the load balancer, and placeholders for what control planes will write."""
    if not context.publishes_dns_records:
        return
    add = functools.partial(_add, context, str(context.cluster.spec.dns_zone).rstrip("."))
    for name in dns_names.served(context):
        add(name, "A", api_load_balancer.balancer_of(context))
    for wanted in controllers.records(context):
        add(wanted.name, wanted.type)


def _add(context: ModelContext, domain: str, name: str, of_type: str, leads_to: LoadBalancer | None = None) -> None:
    if f".{name}".endswith(f".{domain}"):
        context.add(
            Record(
                f"{name} {of_type}",
                context.layers.cluster,
                domain=domain,
                title=name,
                type=of_type,
                leads_to=leads_to,
                marked=not is_own(context.name, name, of_type),
            )
        )
