# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: cloud provider (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .common import WarmPoolSpec
from .components import AzureSpec, EBSCSIDriverSpec, LoadBalancerControllerSpec, NodeTerminationHandlerSpec, PDCSIDriver
from .fields import api_type, field
from .openstack import OpenstackSpec
from .vsphere import VSphereSpec


@api_type
class PodIdentityWebhookSpec:
    """``Cluster.spec.cloudProvider.aws.podIdentityWebhook``."""

    enabled: bool | None = field(plain=True)
    replicas: int | None = field(plain=True)


@api_type
class AWSSpec:
    """``Cluster.spec.cloudProvider.aws``."""

    ebs_csi_driver: EBSCSIDriverSpec | None = field(key="ebsCSIDriver")
    node_termination_handler: NodeTerminationHandlerSpec | None = None
    load_balancer_controller: LoadBalancerControllerSpec | None = None
    pod_identity_webhook: PodIdentityWebhookSpec | None = None
    warm_pool: WarmPoolSpec | None = None
    node_ip_families: list[str] = field(default_factory=list, key="nodeIPFamilies")
    use_ip_based_node_names: bool | None = field(key="useIPBasedNodeNames")
    disable_security_group_ingress: bool | None = None
    elb_security_group: str | None = None
    nlb_security_group_mode: str | None = None
    spotinst_product: str | None = None
    spotinst_orientation: str | None = None
    binaries_location: str | None = None


@api_type
class DOSpec:
    """``Cluster.spec.cloudProvider.do``."""


@api_type
class GCESpec:
    """``Cluster.spec.cloudProvider.gce``."""

    project: str | None = field(plain=True, always=True)
    service_account: str | None = field(plain=True)
    multizone: bool | None = None
    node_tags: str | None = None
    node_instance_prefix: str | None = None
    pd_csi_driver: PDCSIDriver | None = field(key="pdCSIDriver")
    use_startup_script: bool | None = None
    binaries_location: str | None = None


@api_type
class HetznerSpec:
    """``Cluster.spec.cloudProvider.hetzner``."""


@api_type
class ScalewaySpec:
    """``Cluster.spec.cloudProvider.scaleway``."""


@api_type
class LinodeSpec:
    """``Cluster.spec.cloudProvider.linode``."""


@api_type
class CloudProviderSpec:
    """``Cluster.spec.cloudProvider``."""

    aws: AWSSpec | None = None
    azure: AzureSpec | None = None
    do: DOSpec | None = None
    gce: GCESpec | None = None
    hetzner: HetznerSpec | None = None
    openstack: OpenstackSpec | None = None
    scaleway: ScalewaySpec | None = None
    linode: LinodeSpec | None = None
    vsphere: VSphereSpec | None = None
