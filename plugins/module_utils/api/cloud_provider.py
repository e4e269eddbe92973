# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: cloud provider (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from dataclasses import dataclass

from .common import WarmPoolSpec
from .components import AzureSpec, EBSCSIDriverSpec, LoadBalancerControllerSpec, NodeTerminationHandlerSpec, PDCSIDriver
from .fields import field
from .openstack import OpenstackSpec


@dataclass
class PodIdentityWebhookSpec:
    """``Cluster.spec.cloudProvider.aws.podIdentityWebhook``."""

    enabled: bool | None = field(plain=True)
    replicas: int | None = field(plain=True)


@dataclass
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


@dataclass
class DOSpec:
    """``Cluster.spec.cloudProvider.do``."""


@dataclass
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


@dataclass
class HetznerSpec:
    """``Cluster.spec.cloudProvider.hetzner``."""


@dataclass
class ScalewaySpec:
    """``Cluster.spec.cloudProvider.scaleway``."""


@dataclass
class LinodeSpec:
    """``Cluster.spec.cloudProvider.linode``."""


@dataclass
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
