# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cluster's DNS and of its cache on each node."""

from __future__ import annotations

from ...api.clouds import cloud_of
from ...api.cluster import Cluster, KubeDNSConfig, NodeLocalDNSConfig
from ...api.questions import is_ipv6_only
from ..addresses import service_address
from ..context import Context
from ..filling import fill, fill_quantities

_NODE_CACHE_IMAGE = "registry.k8s.io/dns/k8s-dns-node-cache:1.26.0"


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubeDNS and its nodeLocalDNS."""
    spec = cluster.spec
    dns = spec.kube_dns = spec.kube_dns or KubeDNSConfig()
    fill(dns, cache_max_size=1000, cache_max_concurrent=150, domain=spec.cluster_dns_domain)
    if not dns.server_ip:
        dns.server_ip = service_address(spec, 10)
    fill_quantities(dns, memory_request="70Mi", cpu_request="100m", memory_limit="170Mi")
    resolver = cloud_of(cluster).ipv6_resolver
    if is_ipv6_only(cluster) and resolver:
        fill(dns, upstream_nameservers=[resolver])

    cache = dns.node_local_dns = dns.node_local_dns or NodeLocalDNSConfig()
    fill(cache, enabled=False, image=_NODE_CACHE_IMAGE)
    if cache.enabled:
        local_address = "fd00:90de:d95::1" if is_ipv6_only(cluster) else "169.254.20.10"
        fill(cache, local_ip=local_address, forward_to_kube_dns=False)
    fill_quantities(cache, memory_request="5Mi", cpu_request="25m")
