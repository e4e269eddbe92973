# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Launch templates: what each instance of a group is (pkg/model/awsmodel/autoscalinggroup.go of kops)."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup, InstanceRootVolumeSpec, VolumeSpec
from ...base.errors import KopsError
from ...cloud.aws.tasks.block_device_mapping import BlockDeviceMapping
from ...cloud.aws.tasks.iam_instance_profile import IAMInstanceProfile
from ...cloud.aws.tasks.launch_template import LaunchTemplate
from ...cloud.aws.tasks.security_group import SecurityGroup
from ...cloud.aws.tasks.ssh_key import SSHKey
from .. import bootstrap_script, disks
from ..context import ModelContext, runs_api_server
from . import names, security_groups, ssh_key, volumes
from . import tags as tagging
from .iam import roles as iam
from .subnets import PUBLIC_TYPES


def build(context: ModelContext, group: InstanceGroup) -> LaunchTemplate:
    """The launch template of an instance group."""
    name = names.autoscaling_group(group, context.name)
    spec, policy = group.spec, group.spec.mixed_instances_policy
    key = ssh_key.key_name(context)
    template = LaunchTemplate(
        name,
        context.layers.cluster,
        block_device_mappings=[*map(_additional_device, spec.volumes), *_ephemeral_devices(context, group)],
        cpu_credits=spec.cpu_credits or "",
        iam_instance_profile=context.get(
            IAMInstanceProfile, iam.profile_name(context, str(spec.role), spec.iam.profile if spec.iam else None)
        ),
        instance_interruption_behavior=spec.instance_interruption_behavior,
        instance_monitoring=bool(spec.detailed_instance_monitoring),
        instance_type=_machine_type(group) or None,
        ssh_key=context.get(SSHKey, key) if key else None,
        security_groups=_security_groups(context, group),
        # In a mixed group the price belongs to the autoscaling group.
        spot_price=(spec.max_price or "") if policy is None else "",
        spot_duration_in_minutes=spec.spot_duration_in_minutes,
        tags=tagging.of_instance_group(context.cluster, group, name, context.features),
        tenancy=spec.tenancy or None,
        user_data=bootstrap_script.user_data(context, group),
        has_other_types=policy is not None and bool(policy.instances or policy.instance_requirements),
    )
    _metadata_service(template, group)
    _root_volume(template, str(spec.role), spec.root_volume or InstanceRootVolumeSpec())
    _image(context, template, group)
    _addresses(context, template, group)
    return context.add(template)


def _machine_type(group: InstanceGroup) -> str:
    """The machine type; of several, separated by commas, the first."""
    return (group.spec.machine_type or "").split(",")[0] if group.spec.manager == "CloudGroup" else ""


def _image(context: ModelContext, template: LaunchTemplate, group: InstanceGroup) -> None:
    image = context.facts.image(str(group.spec.image))
    if image is None:
        raise KopsError(f"instance group {group.metadata.name}: there is no image {group.spec.image!r}")
    template.image_id = image.id
    template.root_device_name = image.root_device


def _metadata_service(template: LaunchTemplate, group: InstanceGroup) -> None:
    options = group.spec.instance_metadata
    template.http_tokens = (options.http_tokens if options else None) or "required"
    template.http_put_response_hop_limit = (options.http_put_response_hop_limit if options else None) or 1


def _addresses(context: ModelContext, template: LaunchTemplate, group: InstanceGroup) -> None:
    subnets = context.subnets_of(group)
    template.associate_public_ip = subnets[0].type in PUBLIC_TYPES and group.spec.associate_public_ip is not False
    has_ipv6 = any(subnet.ipv6_cidr for subnet in subnets)
    template.ipv6_address_count = 1 if has_ipv6 else 0
    template.http_protocol_ipv6 = "enabled" if has_ipv6 else "disabled"


def _root_volume(template: LaunchTemplate, role: str, volume: InstanceRootVolumeSpec) -> None:
    kind = volume.type or volumes.DEFAULT_TYPE
    template.root_volume_type = kind
    template.root_volume_size = volume.size or disks.ROOT_SIZES_GB[role]
    template.root_volume_iops, template.root_volume_throughput = volumes.performance(
        kind, volume.iops, volume.throughput
    )
    template.root_volume_encryption = volume.encryption is not False
    template.root_volume_kms_key = (volume.encryption_key or "") if volume.encryption else ""
    template.root_volume_optimization = volume.optimization


def _additional_device(volume: VolumeSpec) -> BlockDeviceMapping:
    kind = volume.type or volumes.DEFAULT_TYPE
    iops, throughput = volumes.performance_as_given(kind, volume.iops, volume.throughput)
    return BlockDeviceMapping(
        device_name=volume.device,
        ebs_delete_on_termination=volume.delete_on_termination is not False,
        ebs_encrypted=volume.encrypted is not False,
        ebs_kms_key=volume.key,
        ebs_volume_iops=iops,
        ebs_volume_throughput=throughput,
        ebs_volume_size=volume.size,
        ebs_volume_type=kind,
    )


def _ephemeral_devices(context: ModelContext, group: InstanceGroup) -> list[BlockDeviceMapping]:
    """The disks that come with the machine type."""
    name = _machine_type(group)
    if not name:
        return []
    machine = context.facts.instance_type(name)
    if machine is None:
        raise KopsError(f"instance group {group.metadata.name}: there is no machine type {name!r} in {context.region}")
    count = sum(disks for disks, _size in machine.instance_storage)
    return [
        BlockDeviceMapping(device_name=f"/dev/sd{chr(ord('c') + index)}", virtual_name=f"ephemeral{index}")
        for index in range(count)
    ]


def _security_groups(context: ModelContext, group: InstanceGroup) -> list[SecurityGroup]:
    """The role's group (or the one that overrides it), and those that the user adds."""
    spec = group.spec
    override = spec.security_group_override
    if override:
        name = security_groups.override_name(override, str(spec.role))
        known = context.tasks.get(f"SecurityGroup/{name}")
        first = known if isinstance(known, SecurityGroup) else security_groups.add_shared(context, override, name)
    else:
        first = context.get(SecurityGroup, names.security_group(str(spec.role), context.name))
    balancer = context.cluster.spec.api.load_balancer
    of_balancer = []
    if runs_api_server(group) and balancer is not None and balancer.class_ == "Network":
        of_balancer = [
            security_groups.add_shared(context, identifier, f"nlb-{identifier}")
            for identifier in balancer.additional_security_groups
        ]
    own = [security_groups.add_shared(context, identifier) for identifier in spec.additional_security_groups]
    return [first, *of_balancer, *own]
