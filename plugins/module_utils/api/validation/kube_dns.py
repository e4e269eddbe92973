# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.kubeDNS, and the addresses under which kubelets look for it."""

from __future__ import annotations

from collections.abc import Collection

from ..addresses import parse_address, parse_cidr
from ..cluster import Cluster, KubeDNSConfig
from ..kubelet import KubeletConfigSpec
from .names import is_host_name
from .problems import Problems, forbidden, invalid, one_of
from .syntax import SUBDOMAIN_RULE

PROVIDERS = ("CoreDNS", "KubeDNS")
# The feature flag under which kubelets may ask another DNS server than the cluster's.
EXPERIMENTAL_CLUSTER_DNS = "ExperimentalClusterDNS"


def validate_kube_dns(
    cluster: Cluster, dns: KubeDNSConfig, feature_flags: Collection[str], path: str = "spec.kubeDNS"
) -> Problems:
    """Addresses of the cluster's DNS service, of its upstream servers and of stub domains."""
    found = one_of(f"{path}.provider", dns.provider or None, PROVIDERS)
    for at, name in ((f"{path}.domain", dns.domain), *((f"{path}.stubDomains", domain) for domain in dns.stub_domains)):
        if name and not is_host_name(name.rstrip(".")):
            found.append(invalid(at, name, f"the domain {SUBDOMAIN_RULE}"))
    if dns.server_ip:
        found += _validate_server(cluster, dns, dns.server_ip, feature_flags, path)
    found += [
        invalid(f"{path}.upstreamNameservers[{index}]", server, "must be an IP address")
        for index, server in enumerate(dns.upstream_nameservers)
        if parse_address(server) is None
    ]
    for domain, servers in dns.stub_domains.items():
        at = f"{path}.stubDomains[{domain}]"
        if not servers:
            found.append(invalid(at, domain, "the stub domain needs at least one name server"))
        found += [
            invalid(f"{at}[{index}]", server, "must be an IP address")
            for index, server in enumerate(servers)
            if parse_address(server) is None
        ]
    return found


def _validate_server(
    cluster: Cluster, dns: KubeDNSConfig, server: str, feature_flags: Collection[str], path: str
) -> Problems:
    spec = cluster.spec
    address = parse_address(server)
    found: Problems = []
    if address is None:
        found.append(invalid(f"{path}.serverIP", server, "must be an IP address"))
    else:
        services = parse_cidr(spec.networking.service_cluster_ip_range or "")
        if services is not None and address not in services:
            found.append(forbidden(f"{path}.serverIP", f"{server} is not inside serviceClusterIPRange {services}"))
        if EXPERIMENTAL_CLUSTER_DNS not in feature_flags:
            found += [
                forbidden(f"spec.{key}.clusterDNS", "must be kubeDNS.serverIP or kubeDNS.nodeLocalDNS.localIP")
                for key, kubelet in (("kubelet", spec.kubelet), ("controlPlaneKubelet", spec.control_plane_kubelet))
                if _asks_elsewhere(kubelet, dns)
            ]
    if dns.node_local_dns and dns.node_local_dns.enabled:
        if dns.provider not in ("CoreDNS", "", None):
            found.append(forbidden(f"{path}.provider", "must be CoreDNS while nodeLocalDNS is enabled"))
        found += _validate_node_local(cluster, dns.node_local_dns.local_ip or "")
    return found


def _asks_elsewhere(kubelet: KubeletConfigSpec | None, dns: KubeDNSConfig) -> bool:
    if kubelet is None or dns.node_local_dns is None:
        return False
    return (kubelet.cluster_dns or "") not in (dns.server_ip, dns.node_local_dns.local_ip or "")


def _validate_node_local(cluster: Cluster, local: str) -> Problems:
    spec = cluster.spec
    found: Problems = []
    if local and parse_address(local) is None:
        found.append(invalid("spec.spec.kubeDNS.nodeLocalDNS.localIP", local, "must be an IP address"))
    in_ipvs = spec.kube_proxy is not None and spec.kube_proxy.proxy_mode == "ipvs"
    if not in_ipvs and spec.networking.cilium is None:
        return found
    # Here the node-local server cannot take over the service's address, so kubelets have to name it.
    for key, kubelet in (("kubelet", spec.kubelet), ("controlPlaneKubelet", spec.control_plane_kubelet)):
        if kubelet is not None and kubelet.cluster_dns and kubelet.cluster_dns != local:
            found.append(
                forbidden("spec.spec.kubelet.clusterDNS", f"spec.{key}.clusterDNS must be nodeLocalDNS.localIP {local}")
            )
    return found
