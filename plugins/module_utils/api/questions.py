# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions that many rules ask of a cluster."""

from __future__ import annotations

from .addresses import parse_cidr
from .cluster import Cluster


def dns_type(cluster: Cluster) -> str:
    """DNS topology: Public (the default), Private, None, or any other value of the manifest."""
    topology = cluster.spec.networking.topology
    return (topology.dns if topology else None) or "Public"


def uses_none_dns(cluster: Cluster) -> bool:
    """Whether the cluster works without DNS records."""
    return dns_type(cluster) == "None"


def is_ipv6_only(cluster: Cluster) -> bool:
    """Whether pods have IPv6 addresses only: the non-masquerade CIDR is an IPv6 one."""
    network = parse_cidr(cluster.spec.networking.non_masquerade_cidr or "")
    return network is not None and network.version == 6


def cert_manager_enabled(cluster: Cluster) -> bool:
    """Whether the cluster runs cert-manager, which several addons need for their webhooks."""
    return bool(cluster.spec.cert_manager and cluster.spec.cert_manager.enabled)


def kube_proxy_enabled(cluster: Cluster) -> bool:
    """Whether kube-proxy is configured and not switched off."""
    proxy = cluster.spec.kube_proxy
    return proxy is not None and proxy.enabled is not False


def uses_service_account_roles(cluster: Cluster) -> bool:
    """Whether service accounts have their own IAM roles."""
    return bool(cluster.spec.iam and cluster.spec.iam.use_service_account_external_permissions)


def names_nodes_by_address(cluster: Cluster) -> bool:
    """Whether nodes of AWS have the name that EC2 makes of their address, instead of the id of their instance."""
    aws = cluster.spec.cloud_provider.aws
    return bool(aws and aws.use_ip_based_node_names)


def has_one_address_on_aws(cluster: Cluster) -> bool:
    """Whether nodes are instances of AWS that have an address of IPv4, and no other internal one."""
    aws = cluster.spec.cloud_provider.aws
    return aws is not None and not aws.node_ip_families and not is_ipv6_only(cluster)


def runs_control_plane_only(cluster: Cluster) -> bool:
    """Whether kops makes the control plane only, and Karpenter the other nodes."""
    return bool(cluster.spec.karpenter and cluster.spec.karpenter.enabled)
