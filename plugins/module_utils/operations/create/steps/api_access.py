# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the Kubernetes API of a new cluster: by a load balancer, or by DNS."""

from __future__ import annotations

from ....api.clouds import AWS
from ....api.cluster import DNSAccessSpec, LoadBalancerAccessSpec
from ..draft import Draft


def add_api_access(draft: Draft) -> None:
    """Write how the Kubernetes API is reached: a load balancer, or DNS alone where records are published and nodes
    are public, or control planes hold its address.
    """
    options, api = draft.options, draft.cluster.spec.api
    topology = draft.cluster.spec.networking.topology
    api.public_name = options.api_public_name or None
    asked = options.api_loadbalancer_type or options.api_ssl_certificate
    is_by_name = options.topology == "public" and topology and topology.dns != "None"
    if not asked and (is_by_name or draft.cloud.shares_api_address):
        api.dns = DNSAccessSpec()
        return
    api.load_balancer = LoadBalancerAccessSpec(
        type="Internal" if options.api_loadbalancer_type == "internal" else "Public",
        class_="Network" if draft.cloud is AWS else None,
        ssl_certificate=options.api_ssl_certificate or None,
    )
