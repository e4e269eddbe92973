# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: components as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..components import PDCSIDriver
from ..fields import field
from ..openstack import OpenstackSpec
from ..scalars import Duration, Quantity


@dataclass
class KubeProxyConfig:
    """``Cluster.spec.kubeProxy``."""

    image: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None
    log_level: int | None = field(plain=True)
    cluster_cidr: str | None = field(key="clusterCIDR")
    hostname_override: str | None = field(plain=True)
    bind_address: str | None = field(plain=True)
    master: str | None = field(plain=True)
    metrics_bind_address: str | None = None
    enabled: bool | None = None
    proxy_mode: str | None = field(plain=True)
    ipvs_exclude_cidrs: list[str] = field(default_factory=list)
    ipvs_min_sync_period: Duration | None = None
    ipvs_scheduler: str | None = None
    ipvs_sync_period: Duration | None = None
    feature_gates: dict[str, str] = field(default_factory=dict)
    conntrack_max_per_core: int | None = None
    conntrack_min: int | None = None


@dataclass
class AzureSpec:
    """``Cluster.spec.cloudConfig.azure``."""

    subscription_id: str | None = field(plain=True)
    storage_account_id: str | None = field(key="storageAccountID", plain=True)
    tenant_id: str | None = field(plain=True, always=True)
    resource_group_name: str | None = field(plain=True)
    route_table_name: str | None = field(plain=True)
    admin_user: str | None = field(plain=True)


@dataclass
class EBSCSIDriverSpec:
    """``Cluster.spec.cloudConfig.awsEBSCSIDriver``."""

    enabled: bool | None = None
    managed: bool | None = None
    version: str | None = None
    kube_api_qps: Quantity | None = field(key="kubeAPIQPS")
    kube_api_burst: int | None = field(key="kubeAPIBurst")
    host_network: bool | None = field(plain=True)
    volume_attach_limit: int | None = None
    pod_annotations: dict[str, str] = field(default_factory=dict)


@dataclass
class CloudConfiguration:
    """``Cluster.spec.cloudConfig``."""

    manage_storage_classes: bool | None = None
    multizone: bool | None = None
    node_tags: str | None = None
    node_instance_prefix: str | None = None
    node_ip_families: list[str] = field(default_factory=list, key="nodeIPFamilies")
    gce_service_account: str | None = field(plain=True)
    gce_use_startup_script: bool | None = None
    disable_security_group_ingress: bool | None = None
    elb_security_group: str | None = None
    nlb_security_group_mode: str | None = None
    use_ip_based_node_names: bool | None = field(key="useIPBasedNodeNames")
    v_sphere_username: str | None = None
    v_sphere_password: str | None = None
    v_sphere_server: str | None = None
    v_sphere_datacenter: str | None = None
    v_sphere_resource_pool: str | None = None
    v_sphere_datastore: str | None = None
    v_sphere_core_dns_server: str | None = field(key="vSphereCoreDNSServer")
    spotinst_product: str | None = None
    spotinst_orientation: str | None = None
    openstack: OpenstackSpec | None = None
    azure: AzureSpec | None = None
    aws_ebscsi_driver: EBSCSIDriverSpec | None = field(key="awsEBSCSIDriver")
    gcp_pdcsi_driver: PDCSIDriver | None = field(key="gcpPDCSIDriver")
