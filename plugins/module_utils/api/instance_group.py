# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: instance group (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .common import FileAssetSpec, HookSpec, RollingUpdate, WarmPoolSpec
from .containerd import ContainerdConfig
from .fields import api_type, field
from .kubelet import KubeletConfigSpec
from .meta import ObjectMeta
from .scalars import Duration, FileText, Int16, Int32, Quantity

ROLES = ("ControlPlane", "Node", "APIServer", "Bastion")
# The name of ControlPlane in v1alpha2. File assets keep it in all versions.
MASTER = "Master"


@api_type
class InstanceRootVolumeSpec:
    """``InstanceGroup.spec.rootVolume``."""

    size: Int32 | None = None
    type: str | None = None
    iops: Int32 | None = None
    throughput: Int32 | None = None
    optimization: bool | None = None
    encryption: bool | None = None
    encryption_key: str | None = None


@api_type
class VolumeSpec:
    """``InstanceGroup.spec.volumes[]``."""

    delete_on_termination: bool | None = None
    device: str | None = field(plain=True)
    encrypted: bool | None = None
    iops: int | None = None
    throughput: int | None = None
    key: str | None = None
    size: int | None = field(plain=True)
    type: str | None = field(plain=True)


@api_type
class VolumeMountSpec:
    """``InstanceGroup.spec.volumeMounts[]``."""

    device: str | None = field(plain=True)
    filesystem: str | None = field(plain=True)
    format_options: list[str] = field(default_factory=list)
    mount_options: list[str] = field(default_factory=list)
    path: str | None = field(plain=True)


@api_type
class MinMaxSpec:
    """``cpu`` and ``memory`` of ``InstanceGroup.spec.mixedInstancesPolicy.instanceRequirements``."""

    max: Quantity | None = None
    min: Quantity | None = None


@api_type
class InstanceRequirementsSpec:
    """``InstanceGroup.spec.mixedInstancesPolicy.instanceRequirements``."""

    cpu: MinMaxSpec | None = None
    memory: MinMaxSpec | None = None
    excluded_instance_types: list[str] = field(default_factory=list)


@api_type
class MixedInstancesPolicySpec:
    """``InstanceGroup.spec.mixedInstancesPolicy``."""

    instances: list[str] = field(default_factory=list)
    instance_requirements: InstanceRequirementsSpec | None = None
    on_demand_allocation_strategy: str | None = None
    on_demand_base: int | None = None
    on_demand_above_base: int | None = None
    spot_allocation_strategy: str | None = None
    spot_instance_pools: int | None = None


@api_type
class UserData:
    """``InstanceGroup.spec.additionalUserData[]``."""

    name: str | None = field(plain=True)
    type: str | None = field(plain=True)
    content: FileText | None = field(plain=True)


@api_type
class LoadBalancerSpec:
    """``InstanceGroup.spec.externalLoadBalancers[]``."""

    load_balancer_name: str | None = None
    target_group_arn: str | None = field(key="targetGroupARN")


@api_type
class IAMProfileSpec:
    """``InstanceGroup.spec.iam``."""

    profile: str | None = None


@api_type
class InstanceMetadataOptions:
    """``InstanceGroup.spec.instanceMetadata``."""

    http_put_response_hop_limit: int | None = None
    http_tokens: str | None = None


@api_type
class AcceleratorConfig:
    """``InstanceGroup.spec.guestAccelerators[]``."""

    accelerator_count: int | None = field(plain=True)
    accelerator_type: str | None = field(plain=True)


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
    root_volume: InstanceRootVolumeSpec | None = None
    volumes: list[VolumeSpec] = field(default_factory=list)
    volume_mounts: list[VolumeMountSpec] = field(default_factory=list)
    subnets: list[str] = field(default_factory=list)
    zones: list[str] = field(default_factory=list)
    hooks: list[HookSpec] = field(default_factory=list)
    max_price: str | None = None
    spot_duration_in_minutes: int | None = None
    cpu_credits: str | None = None
    associate_public_ip: bool | None = field(key="associatePublicIP")
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
