# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How clients find the API server: through a load balancer, or by names alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..api.clouds import AWS, OPENSTACK, cloud_of
from ..api.cluster import Cluster, DNSAccessSpec, ExternalDNSConfig, LoadBalancerAccessSpec
from ..api.facts import CloudFacts
from ..api.instance_group import InstanceGroup
from ..api.questions import uses_none_dns
from .filling import fill
from .hosted_zone import find_hosted_zone


def complete_access(cluster: Cluster, groups: Sequence[InstanceGroup], facts: CloudFacts) -> None:
    """spec.api, spec.dnsZone and spec.externalDNS. Changes the cluster."""
    api = cluster.spec.api
    if cloud_of(cluster) is not OPENSTACK:
        if api.dns is None and api.load_balancer is None:
            _choose_access(cluster, groups)
        if api.load_balancer is not None:
            fill(api.load_balancer, type="Public")
    if api.load_balancer is not None and cloud_of(cluster) is AWS:
        # What kops takes for granted, and then refuses: the class is to be given.
        fill(api.load_balancer, class_="Classic")
    if not uses_none_dns(cluster):
        _complete_names(cluster, facts)


def _choose_access(cluster: Cluster, groups: Sequence[InstanceGroup]) -> None:
    """A load balancer if any API server is in a private subnet, names alone if all are in public ones."""
    api = cluster.spec.api
    types = {subnet.name: subnet.type for subnet in cluster.spec.networking.subnets}
    separate = any(group.spec.role == "APIServer" for group in groups)
    serving = "APIServer" if separate else "ControlPlane"
    used = {types.get(name) for group in groups if group.spec.role == serving for name in group.spec.subnets}
    if "Private" in used:
        api.load_balancer = LoadBalancerAccessSpec()
    elif "Public" in used:
        api.dns = DNSAccessSpec()


def _complete_names(cluster: Cluster, facts: CloudFacts) -> None:
    spec = cluster.spec
    if not spec.dns_zone:
        spec.dns_zone = find_hosted_zone(cluster, facts)
    if spec.dns_zone:
        fill(spec.api, public_name=f"api.{cluster.metadata.name}")
    spec.external_dns = spec.external_dns or ExternalDNSConfig()
    fill(spec.external_dns, provider="dns-controller")
