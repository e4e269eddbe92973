# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: a launch template, from which an autoscaling group makes instances."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....base.labels import INSTANCE_GROUP
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Block, Literal, reference
from ....engine.targets.imports import Import
from ....engine.targets.variables import IMAGE, MACHINE_TYPE, ROOT_VOLUME_SIZE
from ....engine.task import Change, Deferred, Deletion, TryAgainLater, computed, internal, unordered
from ...user_data import changes_of, consequence_of
from ..cloud import AWSCloud, from_tags, missing_tags, tag_specifications, to_tags
from ..ownership import owned
from ..resources.gone import call
from ._ec2 import given
from ._task import AWSTask
from ._template_notes import PRUNED, read_note, write_note
from .block_device_mapping import BlockDeviceMapping
from .security_group import SecurityGroup

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from .ssh_key import SSHKey

from .iam_instance_profile import IAMInstanceProfile

PAGE = {"PageSize": 200}
LATEST = "$Latest"
# What an instance makes gets the template's tags: kops' kinds, in kops' order.
# A difference in these is none of an instance, or is told otherwise.
_NOT_OF_INSTANCES = frozenset({"default_version", "tags", "user_data"})
TAGGED_KINDS = ("instance", "volume", "network-interface")
LARGEST_DELETION = 200


def describe_launch_templates(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """The cluster's launch templates by name, without their versions."""
    found = owned(cloud, "describe_launch_templates", "LaunchTemplates", PaginationConfig=PAGE)
    return {template["LaunchTemplateName"]: template for template in found}


def describe_latest_versions(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """The latest version of each launch template, by template id.

    Without an id or a name AWS gives the latest version of every template of the account: one call for each 200
    templates, where asking template by template would cost one for each instance group.
    """
    if not cloud.once(describe_launch_templates):
        return {}
    found = cloud.paged(
        "ec2", "describe_launch_template_versions", "LaunchTemplateVersions", Versions=[LATEST], PaginationConfig=PAGE
    )
    return {version["LaunchTemplateId"]: version for version in found}


@dataclass(eq=False, repr=False)
class LaunchTemplate(AWSTask):
    """A launch template; a change is a new version, which becomes the default.

    image_id: id of the image (the model resolves names). root_device_name: the image's root device.
    block_device_mappings: additional volumes and the instance type's own disks. user_data: as text.
    spot_price, cpu_credits, root_volume_kms_key: "" means none. Sizes are in GiB, throughput in MiB/s.
    default_version: follows the latest. has_other_types: instances have types that the autoscaling group names.
    """

    id: str | None = computed()
    associate_public_ip: bool | None = None
    block_device_mappings: list[BlockDeviceMapping] | None = unordered()
    cpu_credits: str | None = None
    http_put_response_hop_limit: int | None = None
    http_tokens: str | None = None
    http_protocol_ipv6: str | None = None
    iam_instance_profile: IAMInstanceProfile | None = None
    image_id: str | None = None
    instance_interruption_behavior: str | None = None
    instance_monitoring: bool | None = None
    instance_type: str | None = None
    ipv6_address_count: int | None = None
    root_volume_iops: int | None = None
    root_volume_optimization: bool | None = None
    root_volume_size: int | None = None
    root_volume_throughput: int | None = None
    root_volume_type: str | None = None
    root_volume_encryption: bool | None = None
    root_volume_kms_key: str | None = None
    ssh_key: SSHKey | None = None
    security_groups: list[SecurityGroup] | None = unordered()
    spot_price: str | None = None
    spot_duration_in_minutes: int | None = None
    tags: dict[str, str] | None = None
    tenancy: str | None = None
    user_data: str | Deferred | None = None
    root_device_name: str | None = internal()
    has_other_types: bool = internal(False)
    default_version: str | None = LATEST

    starts_instances: ClassVar[bool] = True

    # -- what exists --------------------------------------------------------------------------------------------

    cloudformation_type = "AWS::EC2::LaunchTemplate"
    unsaid: ClassVar[frozenset[str]] = frozenset({"default_version"})

    def find(self, cloud: AWSCloud) -> LaunchTemplate | None:
        template = cloud.once(describe_launch_templates).get(self.name)
        if template is None:
            return None
        version = cloud.once(describe_latest_versions).get(template["LaunchTemplateId"])
        if version is None:
            cloud.forget(describe_latest_versions)
            raise TryAgainLater(f"AWS does not show the versions of launch template {self.name} yet")
        data = version["LaunchTemplateData"]
        interfaces = data.get("NetworkInterfaces") or [{}]
        metadata = data.get("MetadataOptions") or {}
        default = template.get("DefaultVersionNumber")
        tags = next((found.get("Tags") for found in data.get("TagSpecifications") or ()), None)
        return dataclasses.replace(
            self,
            id=template["LaunchTemplateId"],
            default_version=LATEST if default == version["VersionNumber"] else str(default),
            associate_public_ip=any(interface.get("AssociatePublicIpAddress") for interface in interfaces),
            cpu_credits=(data.get("CreditSpecification") or {}).get("CpuCredits") or "",
            http_put_response_hop_limit=metadata.get("HttpPutResponseHopLimit"),
            http_tokens=metadata.get("HttpTokens"),
            http_protocol_ipv6=metadata.get("HttpProtocolIpv6"),
            iam_instance_profile=self._same_or(
                self.iam_instance_profile, (data.get("IamInstanceProfile") or {}).get("Name"), IAMInstanceProfile
            ),
            image_id=data.get("ImageId"),
            instance_monitoring=bool((data.get("Monitoring") or {}).get("Enabled")),
            instance_type=data.get("InstanceType"),
            ipv6_address_count=interfaces[0].get("Ipv6AddressCount") or 0,
            root_volume_optimization=data.get("EbsOptimized"),
            ssh_key=self._found_ssh_key(data.get("KeyName")),
            security_groups=_found_security_groups(data),
            tags=from_tags(tags),
            tenancy=(data.get("Placement") or {}).get("Tenancy"),
            user_data=base64.b64decode(data.get("UserData") or "").decode("utf-8", "replace"),
            **_found_spot(data),
            **self._found_volumes(data),
        )

    @staticmethod
    def _same_or(wanted: Any, name: str | None, kind: Any) -> Any:
        """The wanted reference when that is what the name found refers to, else a new one."""
        if wanted is not None and wanted.name == name:
            return wanted
        return kind(name=name) if name else None

    def _found_ssh_key(self, name: str | None) -> SSHKey | None:
        from .ssh_key import SSHKey

        return self._same_or(self.ssh_key, name, SSHKey)

    def _found_volumes(self, data: dict[str, Any]) -> dict[str, Any]:
        volumes = [BlockDeviceMapping.found(mapping) for mapping in data.get("BlockDeviceMappings") or ()]
        root = next((volume for volume in volumes if volume.device_name == self.root_device_name), BlockDeviceMapping())
        return {
            "root_volume_iops": root.ebs_volume_iops or 0,
            "root_volume_size": root.ebs_volume_size,
            "root_volume_throughput": root.ebs_volume_throughput,
            "root_volume_type": root.ebs_volume_type,
            "root_volume_encryption": root.ebs_encrypted,
            "root_volume_kms_key": root.ebs_kms_key or "",
            "block_device_mappings": [volume for volume in volumes if volume is not root],
        }

    # -- what is wanted -----------------------------------------------------------------------------------------

    def check(self, cloud: AWSCloud, actual: LaunchTemplate | None, changes: dict[str, Change]) -> None:
        if not self.image_id:
            raise KopsError(f"{self.key} has no image")
        super().check(cloud, actual, changes)

    def _volumes(self) -> list[BlockDeviceMapping]:
        """Root volume, additional volumes, then the instance's own disks: kops' order."""
        root = BlockDeviceMapping(
            device_name=self.root_device_name,
            ebs_delete_on_termination=True,
            ebs_encrypted=self.root_volume_encryption,
            ebs_kms_key=self.root_volume_kms_key or None,
            ebs_volume_iops=self.root_volume_iops,
            ebs_volume_throughput=self.root_volume_throughput,
            ebs_volume_size=self.root_volume_size,
            ebs_volume_type=self.root_volume_type,
        )
        others = self.block_device_mappings or []
        return [root, *sorted(others, key=lambda other: (bool(other.virtual_name), other.device_name or ""))]

    def _ordered_security_groups(self) -> list[SecurityGroup]:
        # Those that exist elsewhere have an id beforehand and come last: kops' order.
        return sorted(self.security_groups or (), key=lambda group: str(group.id) if group.shared else "")

    def data(self) -> dict[str, Any]:
        """The template as the EC2 API takes it."""
        profile, key = self.iam_instance_profile, self.ssh_key
        groups = [group.id for group in self._ordered_security_groups()]
        data = self._data(groups, profile.name if profile else None, key.name if key else None)
        if self.user_data:
            data["UserData"] = base64.b64encode(str(self.user_data).encode()).decode()
        return data

    def _data(self, groups: Sequence[Any], profile: Any, key: Any) -> dict[str, Any]:
        """The template without user data. groups, profile, key: how it names them."""
        interface = given(
            AssociatePublicIpAddress=self.associate_public_ip,
            DeleteOnTermination=True,
            DeviceIndex=0,
            Ipv6AddressCount=self.ipv6_address_count,
            Groups=groups or None,
        )
        return given(
            BlockDeviceMappings=[volume.request() for volume in self._volumes()],
            CreditSpecification={"CpuCredits": self.cpu_credits} if self.cpu_credits else None,
            DisableApiTermination=False,
            EbsOptimized=self.root_volume_optimization,
            IamInstanceProfile={"Name": profile} if profile else None,
            ImageId=self.image_id,
            InstanceMarketOptions=self._spot_request(),
            InstanceType=self.instance_type,
            KeyName=key,
            MetadataOptions=given(
                HttpPutResponseHopLimit=self.http_put_response_hop_limit,
                HttpTokens=self.http_tokens,
                HttpProtocolIpv6=self.http_protocol_ipv6,
            ),
            Monitoring={"Enabled": bool(self.instance_monitoring)},
            NetworkInterfaces=[interface],
            Placement={"Tenancy": self.tenancy} if self.tenancy else None,
            TagSpecifications=[spec for kind in TAGGED_KINDS for spec in tag_specifications(kind, self.tags)] or None,
        )

    def _spot_request(self) -> dict[str, Any] | None:
        if not self.spot_price:
            return None
        options = given(
            BlockDurationMinutes=self.spot_duration_in_minutes,
            InstanceInterruptionBehavior=self.instance_interruption_behavior,
            MaxPrice=self.spot_price,
        )
        return {"MarketType": "spot", "SpotOptions": options}

    def create(self, cloud: AWSCloud) -> None:
        created = cloud.client("ec2").create_launch_template(
            LaunchTemplateName=self.name,
            LaunchTemplateData=self.data(),
            TagSpecifications=tag_specifications("launch-template", self.tags),
        )
        self.id = created["LaunchTemplate"]["LaunchTemplateId"]

    def update(self, cloud: AWSCloud, actual: LaunchTemplate, changes: dict[str, Change]) -> None:
        ec2 = cloud.client("ec2")
        if "tags" in changes:
            # Before the version: a run that is killed in between finds the old version and does both again.
            self._write_tags(cloud, actual)
        version = LATEST
        if changes.keys() - {"default_version"}:
            made = ec2.create_launch_template_version(LaunchTemplateId=self.id, LaunchTemplateData=self.data())
            version = str(made["LaunchTemplateVersion"]["VersionNumber"])
        if version == LATEST:
            template = cloud.once(describe_launch_templates)[self.name]
            version = str(template["LatestVersionNumber"])
        ec2.modify_launch_template(LaunchTemplateId=self.id, DefaultVersion=version)

    def _write_tags(self, cloud: AWSCloud, actual: LaunchTemplate) -> None:
        ec2 = cloud.client("ec2")
        missing = missing_tags(actual.tags, self.tags)
        dropped = sorted((actual.tags or {}).keys() - (self.tags or {}).keys())
        if missing:
            ec2.create_tags(Resources=[self.id], Tags=to_tags(missing))
        if dropped:
            ec2.delete_tags(Resources=[self.id], Tags=[{"Key": key} for key in dropped])

    def consequence(self, actual: LaunchTemplate, changes: dict[str, Change]) -> str:
        """Why instances that run are not what new ones will be."""
        reasons = [f"another {name.replace('_', ' ')}" for name in sorted(changes.keys() - _NOT_OF_INSTANCES)]
        if "user_data" in changes:
            reasons = [*changes_of(str(actual.user_data or ""), str(self.user_data or "")), *reasons]
        return consequence_of(reasons)

    # -- what is left over --------------------------------------------------------------------------------------

    def deletions(self, cloud: AWSCloud, actual: LaunchTemplate | None) -> list[Deletion]:
        templates = cloud.once(describe_launch_templates)
        # kops of old put a time stamp into the name: same tag Name, another name.
        stray = {
            name: template["LaunchTemplateId"]
            for name, template in sorted(templates.items())
            if name != self.name and from_tags(template.get("Tags")).get("Name") == self.name
        }
        found = [
            Deletion(self.key, "LaunchTemplate", name, partial(delete_template, cloud, template_id))
            for name, template_id in stray.items()
        ]
        if actual is None:
            return found
        template = templates[self.name]
        newest = min(int(template["LatestVersionNumber"]), int(template["DefaultVersionNumber"]))
        oldest = int(read_note(cloud, actual.id, PRUNED) or 1) if newest > 1 else 1
        if oldest < newest:
            last = newest - 1
            item = f"{self.name} version{f's {oldest} to {last}' if oldest < last else f' {last}'}"
            run = partial(_delete_versions, cloud, template["LaunchTemplateId"], oldest, newest)
            found.append(Deletion(self.key, "LaunchTemplateVersion", item, run, deferred=True))
        return found

    # -- for other programs -------------------------------------------------------------------------------------

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        groups = [target.ref(group) for group in self._ordered_security_groups()]
        data = self._data(groups, target.ref(self.iam_instance_profile), target.ref(self.ssh_key))
        if self.user_data:
            data["UserData"] = {"Fn::Base64": target.text(str(self.user_data))}
        of_template = [{"ResourceType": "launch-template", "Tags": tags(self.tags)}] if self.tags else None
        return {
            "LaunchTemplateData": data,
            "LaunchTemplateName": self.name,
            "TagSpecifications": of_template,
        }

    def terraform_link(self, attribute: str = "id") -> Literal:
        """The template's id, or its latest_version, as a Terraform expression."""
        return reference("aws_launch_template", self.name, attribute)

    def terraform(self, target: TerraformTarget) -> None:
        user_data, group = str(self.user_data or ""), (self.tags or {}).get(INSTANCE_GROUP)
        root, *others = (volume.block() for volume in self._volumes())
        root["ebs"]["volume_size"] = target.variable(group, ROOT_VOLUME_SIZE, self.root_volume_size)
        target.resource(
            "aws_launch_template",
            self.name,
            {
                "block_device_mappings": [root, *others],
                "credit_specification": Block(cpu_credits=self.cpu_credits) if self.cpu_credits else None,
                "ebs_optimized": self.root_volume_optimization,
                "iam_instance_profile": Block(name=self.iam_instance_profile.terraform_link())
                if self.iam_instance_profile
                else None,
                "image_id": target.variable(group, IMAGE, self.image_id),
                "instance_market_options": self._terraform_spot(),
                "instance_type": target.variable(
                    None if self.has_other_types else group, MACHINE_TYPE, self.instance_type
                ),
                "key_name": self.ssh_key.terraform_link() if self.ssh_key else None,
                "lifecycle": Block(create_before_destroy=True),
                "metadata_options": Block(
                    # The provider turns the endpoint off unless it is told otherwise.
                    http_endpoint="enabled",
                    http_protocol_ipv6=self.http_protocol_ipv6,
                    http_put_response_hop_limit=self.http_put_response_hop_limit,
                    http_tokens=self.http_tokens,
                ),
                "monitoring": None if self.instance_monitoring is None else Block(enabled=self.instance_monitoring),
                "name": self.name,
                "network_interfaces": Block(
                    associate_public_ip_address=self.associate_public_ip,
                    delete_on_termination=True,
                    ipv6_address_count=self.ipv6_address_count,
                    security_groups=[group.terraform_link() for group in self._ordered_security_groups()],
                ),
                "placement": Block(tenancy=self.tenancy) if self.tenancy else None,
                "tag_specifications": [Block(resource_type=kind, tags=self.tags) for kind in TAGGED_KINDS]
                if self.tags
                else None,
                "tags": self.tags,
                "user_data": target.file("aws_launch_template", self.name, "user_data", user_data, base64=True)
                if user_data
                else None,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_launch_template", self.name, str(self.id))

    def _terraform_spot(self) -> Block | None:
        if not self.spot_price:
            return None
        options = Block(
            block_duration_minutes=self.spot_duration_in_minutes,
            instance_interruption_behavior=self.instance_interruption_behavior,
            max_price=self.spot_price,
        )
        return Block(market_type="spot", spot_options=options)


def delete_template(cloud: AWSCloud, template_id: str) -> None:
    """Delete a launch template with all its versions; one that is gone already is no error."""
    call(cloud, "ec2", "delete_launch_template", LaunchTemplateId=template_id)


def _found_security_groups(data: dict[str, Any]) -> list[SecurityGroup]:
    interfaces = [group for interface in data.get("NetworkInterfaces") or () for group in interface.get("Groups") or ()]
    # Groups outside of the interface (kops of old) are not where they should be: they compare as something else.
    outside = [f"outside-interface-{group}" for group in data.get("SecurityGroupIds") or ()]
    return [SecurityGroup(name=group, id=group) for group in interfaces + outside]


def _found_spot(data: dict[str, Any]) -> dict[str, Any]:
    options = (data.get("InstanceMarketOptions") or {}).get("SpotOptions") or {}
    return {
        "spot_price": options.get("MaxPrice") or "",
        "spot_duration_in_minutes": options.get("BlockDurationMinutes"),
        "instance_interruption_behavior": options.get("InstanceInterruptionBehavior"),
    }


def _delete_versions(cloud: AWSCloud, template_id: str, oldest: int, newest: int) -> None:
    from botocore.parsers import ResponseParserError

    versions = [str(number) for number in range(oldest, newest)]
    try:
        for start in range(0, len(versions), LARGEST_DELETION):
            # Versions that do not exist any more are named in the answer, and are no error.
            cloud.client("ec2").delete_launch_template_versions(
                LaunchTemplateId=template_id, Versions=versions[start : start + LARGEST_DELETION]
            )
    except ResponseParserError:
        # No answer of AWS: an imitation (moto) that does not know the operation. Old versions do no harm.
        return
    write_note(cloud, template_id, PRUNED, str(newest))
