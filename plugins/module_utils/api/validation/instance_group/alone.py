# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An InstanceGroup by itself."""

from __future__ import annotations

from ....base.labels import INSTANCE_GROUP
from ...cloud import Cloud
from ...clouds import AWS, GCE
from ...facts import CloudFacts
from ...instance_group import ROLES, InstanceGroup, InstanceGroupSpec, LoadBalancerSpec, VolumeMountSpec, VolumeSpec
from ..arns import arn_resource, is_arn_of
from ..cloud_labels import validate_cloud_labels
from ..kubelet_values import validate_kubelet_values, validate_kubelet_whole
from ..node_files import validate_file_assets, validate_hooks, validate_packages, validate_sysctls, validate_user_data
from ..problems import Problems, besides, forbidden, invalid, not_supported, one_of, required, too_many
from ..rolling_update import validate_rolling_update
from ..well_formed import validate_well_formed
from .aws import validate_on_aws

TENANCIES = ("dedicated", "default", "host")
MANAGERS = ("CloudGroup", "Karpenter")
UPDATE_POLICIES = ("automatic", "external")
FILESYSTEMS = ("btfs", "ext4", "xfs")
PROVISIONING_MODELS = ("STANDARD", "SPOT")
_NAME_LIMIT = 32


def validate_group(group: InstanceGroup, facts: CloudFacts | None, strict: bool, cloud: Cloud) -> Problems:
    """The group's own rules.

    strict: the group is complete.
    cloud: whose rules apply; NONE while it is not known.
    facts: what that cloud has; None while it cannot be asked.
    """
    spec = group.spec
    found: Problems = []
    if not group.metadata.name:
        found.append(required("metadata.name", "an instance group needs a name"))
    found += _validate_role(spec)
    found += one_of("spec.tenancy", spec.tenancy or None, TENANCIES)
    found += one_of("spec.manager", spec.manager or None, MANAGERS) + _validate_sizes(spec, strict)
    if strict and not spec.image:
        found.append(forbidden("spec.image", "an image is needed"))
    if spec.containerd and spec.containerd.gvisor and spec.containerd.gvisor.enabled and spec.role != "Node":
        found.append(forbidden("spec.containerd.gvisor", "is available in groups with role Node only"))
    found += _validate_volumes(spec)
    found += validate_hooks(spec.hooks, "spec.hooks")
    found += validate_file_assets(spec.file_assets, "spec.fileAssets")
    found += validate_user_data(spec.additional_user_data)
    found += validate_sysctls(spec.sysctl_parameters, "spec.sysctlParameters")
    found += validate_packages(spec.packages, "spec.packages")
    profile = spec.iam.profile if spec.iam else None
    if profile is not None and not is_arn_of(profile, "instance-profile"):
        example = "arn:aws:iam::123456789012:instance-profile/example"
        found.append(invalid("spec.iam.profile", profile, f"must be the ARN of an instance profile, such as {example}"))
    if spec.rolling_update:
        found += validate_rolling_update(
            spec.rolling_update, "spec.rollingUpdate", control_plane=spec.role == "ControlPlane"
        )
    found += _validate_labels(group)
    if spec.kubelet is not None:
        found += validate_kubelet_values(spec.kubelet, "spec.kubelet")
        found += validate_kubelet_whole(spec.kubelet, "spec.kubelet") if strict else []
    if cloud is AWS:
        found += validate_on_aws(group, facts)
    if cloud is GCE:
        found += _validate_on_gce(spec)
    for index, balancer in enumerate(spec.external_load_balancers):
        found += _validate_external_load_balancer(balancer, f"spec.externalLoadBalancers[{index}]")
    found += one_of("spec.updatePolicy", spec.update_policy, UPDATE_POLICIES)
    return found + besides(found, validate_well_formed(spec))


def _validate_role(spec: InstanceGroupSpec) -> Problems:
    if not spec.role:
        return [required("spec.role", f"must be one of {', '.join(ROLES)}")]
    if spec.role not in ROLES:
        return [not_supported("spec.role", spec.role, ROLES)]
    if spec.role != "ControlPlane":
        return []
    found: Problems = []
    if not spec.subnets:
        found.append(required("spec.subnets", "a control-plane group needs a subnet"))
    for key, size in (("minSize", spec.min_size), ("maxSize", spec.max_size)):
        if (size or 0) > 1:
            found.append(
                invalid(f"spec.{key}", size, "must be 1 in a control-plane group; for more members add groups")
            )
    return found


def _validate_sizes(spec: InstanceGroupSpec, strict: bool) -> Problems:
    found: Problems = []
    if strict and spec.manager == "CloudGroup":
        if spec.max_size is None:
            found.append(forbidden("spec.maxSize", "is needed"))
        if spec.min_size is None:
            found.append(forbidden("spec.minSize", "is needed"))
    if spec.max_size is not None and spec.min_size is not None and spec.max_size < spec.min_size:
        found.append(forbidden("spec.maxSize", f"{spec.max_size} is less than minSize {spec.min_size}; it must not be"))
    return found


def _validate_volumes(spec: InstanceGroupSpec) -> Problems:
    found: Problems = []
    if spec.root_volume is not None:
        for key, value in (("iops", spec.root_volume.iops), ("throughput", spec.root_volume.throughput)):
            if (value or 0) < 0:
                found.append(invalid(f"spec.rootVolume.{key}", value, "must be 0 or more"))
    for index, volume in enumerate(spec.volumes):
        found += _validate_volume(volume, f"spec.volumes[{index}]")
    for index, mount in enumerate(spec.volume_mounts):
        found += _validate_mount(mount, f"spec.volumeMounts[{index}]")
    return found


def _validate_volume(volume: VolumeSpec, path: str) -> Problems:
    found: Problems = []
    if not volume.device:
        found.append(required(f"{path}.device", "a volume needs a device, for example /dev/xvdd"))
    if (volume.size or 0) <= 0:
        found.append(invalid(f"{path}.size", volume.size or 0, "must be greater than 0 (GiB)"))
    return found


def _validate_mount(mount: VolumeMountSpec, path: str) -> Problems:
    found: Problems = []
    if not mount.device:
        found.append(required(f"{path}.device", "the device to mount is needed"))
    if not mount.path:
        found.append(required(f"{path}.path", "the directory on which to mount is needed"))
    if not mount.filesystem:
        found.append(required(f"{path}.filesystem", "the file system is needed"))
    return found + one_of(f"{path}.filesystem", mount.filesystem or "", FILESYSTEMS)


def _validate_labels(group: InstanceGroup) -> Problems:
    found: Problems = []
    labels, path = dict(group.spec.cloud_labels), "spec.cloudLabels"
    own = labels.pop(INSTANCE_GROUP, None)
    if own is not None and own != group.metadata.name:
        found.append(invalid(f"{path}.{INSTANCE_GROUP}", own, f"must be the group's own name, {group.metadata.name}"))
    return found + validate_cloud_labels(labels, path)


def _validate_on_gce(spec: InstanceGroupSpec) -> Problems:
    found = one_of("spec.gcpProvisioningModel", spec.gcp_provisioning_model, PROVISIONING_MODELS)
    if not spec.zones:
        found.append(required("spec.zones", "on GCE a group needs the zones in which its instances run"))
    return found


def _validate_external_load_balancer(balancer: LoadBalancerSpec, path: str) -> Problems:
    found: Problems = []
    name, arn = balancer.load_balancer_name, balancer.target_group_arn
    if name is not None and arn is not None:
        found.append(too_many(path, "give either loadBalancerName or targetGroupARN"))
    if name is not None and len(name) > _NAME_LIMIT:
        found.append(invalid(f"{path}.loadBalancerName", name, f"may have at most {_NAME_LIMIT} characters"))
    if arn is None:
        return found
    at = f"{path}.targetGroupARN"
    rule = "must be the ARN of a target group, arn:aws:elasticloadbalancing:<region>:<account>:targetgroup/<name>/<id>"
    parts = (arn_resource(arn) or "").split("/")
    if len(parts) != 3:
        return [*found, invalid(at, arn, rule)]
    if parts[0] != "targetgroup":
        found.append(invalid(at, arn, rule))
    if len(parts[1]) > _NAME_LIMIT:
        found.append(invalid(at, arn, f"its name {parts[1]} may have at most {_NAME_LIMIT} characters"))
    return found
