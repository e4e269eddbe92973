# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: components as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import components as hub_components
from ..components import PDCSIDriver
from ..fields import api_type, field
from ..openstack import OpenstackSpec
from ..vsphere import VSphereSpec


@api_type
class KubeProxyConfig(hub_components.KubeProxyConfig):
    """``Cluster.spec.kubeProxy``."""

    ipvs_exclude_cidrs: list[str] = field(default_factory=list)


@api_type
class AzureSpec(hub_components.AzureSpec):
    """``Cluster.spec.cloudConfig.azure``."""

    subscription_id: str | None = field(plain=True)
    tenant_id: str | None = field(plain=True, always=True)


@api_type
class EBSCSIDriverSpec(hub_components.EBSCSIDriverSpec):
    """``Cluster.spec.cloudConfig.awsEBSCSIDriver``."""

    enabled: bool | None = None


@api_type
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
    vsphere: VSphereSpec | None = None
    aws_ebscsi_driver: EBSCSIDriverSpec | None = field(key="awsEBSCSIDriver")
    gcp_pdcsi_driver: PDCSIDriver | None = field(key="gcpPDCSIDriver")
