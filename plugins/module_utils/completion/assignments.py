# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes part of the user's own spec when a cluster is first stored, because it must not change afterwards.

Completion repeats it for specs that were written without. The functions change the cluster that they are given.
Source: upup/pkg/fi/cloudup/defaults.go of kops.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from ..api.addresses import parse_address
from ..api.clouds import AWS, AZURE, GCE, cloud_of
from ..api.cluster import Cluster
from ..api.etcd import EtcdManagerSpec
from ..api.facts import CloudFacts
from ..api.questions import dns_type
from ..api.topology import TopologySpec
from .addresses import parse_network
from .gce.ranges import assign_gce_ranges
from .problems import invalid, not_found, required
from .settings import Settings
from .subnets import assign_subnet_cidrs

_BACKUP_RETENTION_DAYS = 90
_NON_MASQUERADE_CIDR = "100.64.0.0/10"
_ALL_IPV6 = "::/0"


@runtime_checkable
class StorageAccounts(Protocol):
    """Facts of a cloud that has storage accounts (Azure)."""

    def storage_account_id(self, name: str) -> str | None:
        """The resource id of the storage account; None when there is none of that name."""


def perform_assignments(cluster: Cluster, *, facts: CloudFacts, settings: Settings) -> None:
    """Make everything explicit that is fixed once a cluster exists: networks, subnets' ranges, names, versions.

    Raises ValidationError where the spec contradicts the cloud or leaves no room.
    """
    assign_backup_retention(cluster)
    networking = cluster.spec.networking
    networking.topology = networking.topology or TopologySpec()
    cloud = cloud_of(cluster)
    if cloud is GCE:
        assign_gce_ranges(cluster, facts)
    if cloud.network.default_cidr and not networking.network_cidr:
        assign_network_cidr(cluster, facts)
    networking.non_masquerade_cidr = networking.non_masquerade_cidr or _NON_MASQUERADE_CIDR
    if dns_type(cluster) == "Public" and not cluster.spec.api.public_name and cluster.metadata.name:
        cluster.spec.api.public_name = f"api.{cluster.metadata.name}"
    if cloud.network.assigns_subnet_cidrs:
        assign_subnet_cidrs(cluster, facts)
    assign_proxy_excludes(cluster)
    assign_storage_account(cluster, facts)
    assign_kubernetes_version(cluster, settings)


def assign_backup_retention(cluster: Cluster) -> None:
    """Days that backups of etcd are kept."""
    for etcd in cluster.spec.etcd_clusters:
        etcd.manager = etcd.manager or EtcdManagerSpec()
        if etcd.manager.backup_retention_days is None:
            etcd.manager.backup_retention_days = _BACKUP_RETENTION_DAYS


def assign_network_cidr(cluster: Cluster, facts: CloudFacts) -> None:
    """The network's range (AWS, Azure): that of the network that is shared, else the cloud's default."""
    networking = cluster.spec.networking
    cloud = cloud_of(cluster)
    if networking.network_id:
        azure = cluster.spec.cloud_provider.azure
        if cloud is AZURE and not (azure and azure.resource_group_name):
            raise required("spec.cloudProvider.azure.resourceGroupName", "is needed to find spec.networking.networkID")
        network = facts.network(networking.network_id)
        if network is None:
            raise not_found("spec.networking.networkID", "no such network in the cloud", networking.network_id)
        if not network.cidr:
            raise required("spec.networking.networkCIDR", f"cannot be inferred from the network {network.id}")
        networking.network_cidr = network.cidr
    else:
        networking.network_cidr = cloud.network.default_cidr
    if cloud is AWS and networking.amazon_vpc is not None and networking.non_masquerade_cidr != _ALL_IPV6:
        networking.non_masquerade_cidr = networking.network_cidr


def assign_proxy_excludes(cluster: Cluster) -> None:
    """Where an egress proxy is used: the addresses that are reached without it."""
    networking = cluster.spec.networking
    proxy = networking.egress_proxy
    if proxy is None:
        return
    wanted = [
        "127.0.0.1",
        "localhost",
        cluster.spec.cluster_dns_domain,
        cluster.spec.api.public_name,
        cluster.metadata.name,
        _first_address(networking.non_masquerade_cidr or ""),
        networking.non_masquerade_cidr,
        *cloud_of(cluster).proxy_excludes,
        networking.network_cidr,
        *networking.additional_network_cidrs,
    ]
    given = proxy.excludes or ""
    missing = [exclude for exclude in wanted if exclude and exclude not in given]
    proxy.excludes = ",".join([*given.split(","), *missing] if given else missing)


def _first_address(cidr: str) -> str:
    path = "spec.networking.nonMasqueradeCIDR"
    network = parse_network(path, cidr)
    address = parse_address(cidr.partition("/")[0])
    if address is None or address + 1 not in network:
        raise invalid(path, "has no room for an address", cidr)
    return str(address + 1)


def assign_storage_account(cluster: Cluster, facts: CloudFacts) -> None:
    """Azure: the storage account of the state store."""
    azure = cluster.spec.cloud_provider.azure
    if azure is None or azure.storage_account_id:
        return
    store = urlsplit(cluster.spec.config_store.base or "")
    if store.scheme != AZURE.store_scheme or not store.netloc:
        raise invalid(
            "spec.configStore.base",
            "must be an azureblob:// URL, or give spec.cloudProvider.azure.storageAccountID",
            cluster.spec.config_store.base,
        )
    azure.storage_account_id = facts.storage_account_id(store.netloc) if isinstance(facts, StorageAccounts) else None
    if azure.storage_account_id is None:
        raise not_found("spec.configStore.base", "no such storage account in the cloud", store.netloc)


def assign_kubernetes_version(cluster: Cluster, settings: Settings) -> None:
    """The version that the channel has for new clusters; raises ValidationError if it has none."""
    spec = cluster.spec
    spec.kubernetes_version = spec.kubernetes_version or settings.channel.default_kubernetes_version(
        settings.kops_version
    )
    if not spec.kubernetes_version:
        raise required("spec.kubernetesVersion", f"give one, as the channel has none for kops {settings.kops_version}")
