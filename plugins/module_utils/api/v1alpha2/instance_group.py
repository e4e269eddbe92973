# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: instance group as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from ..common import FileAssetSpec, RollingUpdate, WarmPoolSpec
from ..containerd import ContainerdConfig
from ..fields import api_type, field
from ..instance_group import (
    AcceleratorConfig,
    IAMProfileSpec,
    InstanceMetadataOptions,
    MixedInstancesPolicySpec,
    UserData,
    VolumeMountSpec,
    VolumeSpec,
)
from ..meta import ObjectMeta
from ..scalars import Duration, Int16, Int32
from .common import HookSpec
from .kubelet import KubeletConfigSpec


@api_type
class LoadBalancerSpec:
    """``InstanceGroup.spec.externalLoadBalancers[]``."""

    load_balancer_name: str | None = None
    target_group_arn: str | None = None


@api_type
class InstanceGroupSpec:
    """``InstanceGroup.spec``."""

    manager: str | None = field(plain=True)
    role: str | None = field(plain=True)
    image: str | None = field(plain=True)
    min_size: Int32 | None = None
    max_size: Int32 | None = None
    autoscale: bool | None = None
    autoscale_priority: Int16 | None = field(plain=True)
    machine_type: str | None = field(plain=True)
    root_volume_size: Int32 | None = None
    root_volume_type: str | None = None
    root_volume_iops: Int32 | None = None
    root_volume_throughput: Int32 | None = None
    root_volume_optimization: bool | None = None
    root_volume_delete_on_termination: bool | None = None
    root_volume_encryption: bool | None = None
    root_volume_encryption_key: str | None = None
    volumes: list[VolumeSpec] = field(default_factory=list)
    volume_mounts: list[VolumeMountSpec] = field(default_factory=list)
    subnets: list[str] = field(default_factory=list)
    zones: list[str] = field(default_factory=list)
    hooks: list[HookSpec] = field(default_factory=list)
    max_price: str | None = None
    spot_duration_in_minutes: int | None = None
    cpu_credits: str | None = None
    associate_public_ip: bool | None = None
    additional_security_groups: list[str] = field(default_factory=list)
    cloud_labels: dict[str, str] = field(default_factory=dict)
    node_labels: dict[str, str] = field(default_factory=dict)
    file_assets: list[FileAssetSpec] = field(default_factory=list)
    tenancy: str | None = field(plain=True)
    kubelet: KubeletConfigSpec | None = None
    taints: list[str] = field(default_factory=list)
    mixed_instances_policy: MixedInstancesPolicySpec | None = None
    capacity_rebalance: bool | None = None
    additional_user_data: list[UserData] = field(default_factory=list)
    suspend_processes: list[str] = field(default_factory=list)
    external_load_balancers: list[LoadBalancerSpec] = field(default_factory=list)
    detailed_instance_monitoring: bool | None = None
    iam: IAMProfileSpec | None = None
    security_group_override: str | None = None
    instance_protection: bool | None = None
    sysctl_parameters: list[str] = field(default_factory=list)
    rolling_update: RollingUpdate | None = None
    instance_interruption_behavior: str | None = None
    compress_user_data: bool | None = None
    instance_metadata: InstanceMetadataOptions | None = None
    update_policy: str | None = None
    warm_pool: WarmPoolSpec | None = None
    containerd: ContainerdConfig | None = None
    packages: list[str] = field(default_factory=list)
    guest_accelerators: list[AcceleratorConfig] = field(default_factory=list)
    max_instance_lifetime: Duration | None = None
    gcp_provisioning_model: str | None = None


@api_type
class InstanceGroup:
    """``InstanceGroup``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: InstanceGroupSpec = field(default_factory=InstanceGroupSpec)
