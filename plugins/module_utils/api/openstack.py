# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: openstack (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field


@api_type
class OpenstackLoadbalancerConfig:
    """``Cluster.spec.cloudProvider.openstack.loadbalancer``."""

    method: str | None = None
    provider: str | None = None
    use_octavia: bool | None = None
    floating_network: str | None = None
    floating_network_id: str | None = field(key="floatingNetworkID")
    floating_subnet: str | None = None
    subnet_id: str | None = field(key="subnetID")
    manage_security_groups: bool | None = None
    enable_ingress_hostname: bool | None = None
    ingress_hostname_suffix: str | None = None
    flavor_id: str | None = field(key="flavorID")


@api_type
class OpenstackMonitor:
    """``Cluster.spec.cloudProvider.openstack.monitor``."""

    delay: str | None = None
    timeout: str | None = None
    max_retries: int | None = None


@api_type
class OpenstackRouter:
    """``Cluster.spec.cloudProvider.openstack.router``."""

    external_network: str | None = None
    dns_servers: str | None = None
    external_subnet: str | None = None
    availability_zone_hints: list[str] = field(default_factory=list)


@api_type
class OpenstackBlockStorageConfig:
    """``Cluster.spec.cloudProvider.openstack.blockStorage``."""

    bs_version: str | None = field(key="bs-version")
    ignore_volume_az: bool | None = field(key="ignore-volume-az")
    override_volume_az: str | None = field(key="override-volume-az")
    ignore_volume_microversion: bool | None = field(key="ignore-volume-microversion")
    metrics_enabled: bool | None = None
    create_storage_class: bool | None = None
    csi_plugin_image: str | None = field(plain=True)
    csi_topology_support: bool | None = None
    cluster_name: str | None = field(plain=True)


@api_type
class OpenstackNetwork:
    """``Cluster.spec.cloudProvider.openstack.network``."""

    availability_zone_hints: list[str] = field(default_factory=list)
    ipv6_support_disabled: bool | None = None
    public_network_names: list[str] = field(default_factory=list)
    internal_network_names: list[str] = field(default_factory=list)
    address_sort_order: str | None = None


@api_type
class OpenstackMetadata:
    """``Cluster.spec.cloudProvider.openstack.metadata``."""

    config_drive: bool | None = None


@api_type
class OpenstackSpec:
    """``Cluster.spec.cloudProvider.openstack``."""

    loadbalancer: OpenstackLoadbalancerConfig | None = None
    monitor: OpenstackMonitor | None = None
    router: OpenstackRouter | None = None
    block_storage: OpenstackBlockStorageConfig | None = None
    insecure_skip_verify: bool | None = None
    network: OpenstackNetwork | None = None
    metadata: OpenstackMetadata | None = None
