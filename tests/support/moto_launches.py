# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Launch templates, and the instances that scaling groups make of them: what moto lacks."""

from __future__ import annotations

import base64
import ipaddress
from collections import Counter
from typing import Any

# What AWS takes as user data, before its encoding.
LARGEST_USER_DATA = 16384
VERSION_TAG = "aws:ec2launchtemplate:version"


def versions_of_launch_templates() -> None:
    """moto keeps user data of later versions as a text that no launch can read, and never merges a source version.

    User data above AWS's limit is refused, as AWS does for templates too.
    """
    from moto.core.types import Base64EncodedString
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.responses.launch_templates import LaunchTemplates
    from moto.ec2.utils import parse_user_data

    known_version, known_answer = LaunchTemplate.create_version, LaunchTemplates.create_launch_template_version

    def create_version(self: Any, data: dict[str, Any], description: str) -> Any:
        user_data = data.get("UserData")
        if user_data is not None and not isinstance(user_data, Base64EncodedString):
            data["UserData"] = user_data = parse_user_data(user_data)
        if user_data is not None and len(base64.b64decode(str(user_data))) > LARGEST_USER_DATA:
            raise EC2ClientError("InvalidUserData.Malformed", f"User data is limited to {LARGEST_USER_DATA} bytes")
        return known_version(self, data, description)

    def create_launch_template_version(self: Any) -> Any:
        source = self._get_param("SourceVersion")
        if source:
            name = self._get_param("LaunchTemplateName")
            backend = self.ec2_backend
            template = (
                backend.get_launch_template_by_name(name)
                if name
                else backend.get_launch_template(self._get_param("LaunchTemplateId"))
            )
            given = self.params.setdefault("LaunchTemplateData", {})
            self.params["LaunchTemplateData"] = {**template.get_version(source).data, **given}
        return known_answer(self)

    LaunchTemplate.create_version = create_version
    LaunchTemplates.create_launch_template_version = create_launch_template_version


def instances_as_their_launch_template_says() -> None:
    """moto takes from a template neither the profile nor the metadata options, security groups and addresses."""
    from moto.ec2.models.instances import InstanceBackend

    known = InstanceBackend.run_instances

    def run_instances(self: Any, *arguments: Any, **options: Any) -> Any:
        given = options.get("launch_template")
        data = self._get_template_from_args(given).data if given else {}
        interface = next((each for each in data.get("NetworkInterfaces") or () if not each.get("DeviceIndex")), {})
        if not options.get("nics"):
            options["security_group_ids"] = options.get("security_group_ids") or list(interface.get("Groups") or ())
            options["ipv6_address_count"] = options.get("ipv6_address_count") or interface.get("Ipv6AddressCount")
            if options.get("associate_public_ip") is None:
                options["associate_public_ip"] = interface.get("AssociatePublicIpAddress")
        options["metadata_options"] = options.get("metadata_options") or data.get("MetadataOptions") or {}
        spot = (data.get("InstanceMarketOptions") or {}).get("MarketType")
        options["instance_market_options"] = options.get("instance_market_options") or spot
        reservation = known(self, *arguments, **options)
        if not (options.get("iam_instance_profile_name") or options.get("iam_instance_profile_arn")):
            profile = data.get("IamInstanceProfile") or {}
            for instance in reservation.instances if profile else ():
                self.associate_iam_instance_profile(instance.id, profile.get("Name"), profile.get("Arn"))
        return reservation

    InstanceBackend.run_instances = run_instances


def groups_launch_the_version_they_name() -> None:
    """moto's scaling groups launch a template's default version, in their first subnet, and their tags say so.

    AWS spreads them over the subnets. New instances are registered with the group's target groups at once.
    """
    from moto.autoscaling.models import ASG_NAME_TAG, FakeAutoScalingGroup, InstanceState

    known = FakeAutoScalingGroup.replace_autoscaling_group_instances

    def replace(self: Any, count_needed: int, propagated_tags: dict[str, str]) -> None:
        if not (self.ec2_launch_template and self.vpc_zone_identifier):
            known(self, count_needed, propagated_tags)
            return
        version = self.ec2_launch_template.get_version(self.launch_template_version)
        overrides = ((self.mixed_instances_policy or {}).get("LaunchTemplate") or {}).get("Overrides") or [{}]
        for _number in range(count_needed):
            subnets = self.vpc_zone_identifier.split(",")
            used = Counter(state.instance.subnet_id for state in self.instance_states)
            reservation = self.ec2_backend.run_instances(
                version.image_id,
                1,
                version.user_data,
                version.security_groups,
                instance_type=overrides[0].get("InstanceType") or version.instance_type,
                is_instance_type_default=False,
                tags={"instance": {**propagated_tags, ASG_NAME_TAG: self.name, **version.instance_tags}},
                launch_template={"LaunchTemplateId": self.ec2_launch_template.id, "Version": str(version.number)},
                associate_public_ip=None,
                region_name=self.region,
                subnet_id=min(subnets, key=lambda subnet: used[subnet]),
            )
            (instance,) = reservation.instances
            instance.autoscaling_group = self
            protected = self.new_instances_protected_from_scale_in
            self.instance_states.append(InstanceState(instance, protected_from_scale_in=protected))
            for arn in self.target_group_arns:
                self.autoscaling_backend.elbv2_backend.target_groups[arn].register([{"Id": instance.id}])

    def launch_template(self: Any) -> dict[str, Any] | None:
        template = self.auto_scaling_group and self.auto_scaling_group.ec2_launch_template
        if not template:
            return None
        tags = {tag["key"]: tag["value"] for tag in self.instance.get_tags()}
        version = tags.get(VERSION_TAG, str(template.default_version_number))
        return {"LaunchTemplateId": template.id, "LaunchTemplateName": template.name, "Version": version}

    FakeAutoScalingGroup.replace_autoscaling_group_instances = replace
    InstanceState.launch_template = property(launch_template)


def prefixes_of_network_interfaces() -> None:
    """moto knows no prefixes (/80) of IPv6, which nodes of clusters with IPv6 assign to themselves for their pods."""
    from moto.core.responses import ActionResult
    from moto.ec2.responses.elastic_network_interfaces import ElasticNetworkInterfaces

    known = ElasticNetworkInterfaces.assign_ipv6_addresses

    def assign(self: Any) -> Any:
        count = self._get_int_param("Ipv6PrefixCount", 0)
        asked = list(self._get_param("Ipv6Prefixes", []))
        if not (count or asked):
            return known(self)
        interface = self.ec2_backend.get_network_interface(self._get_param("NetworkInterfaceId"))
        block = next(iter(interface.subnet.ipv6_cidr_block_associations.values()))["ipv6CidrBlock"]
        taken = {each["Ipv6Prefix"] for one in self.ec2_backend.enis.values() for each in prefixes_of(one)}
        # The first one holds the addresses that the subnet gives out.
        free = (str(each) for each in list(ipaddress.ip_network(block).subnets(new_prefix=80))[1:])
        new = asked or [prefix for _number, prefix in zip(range(count), (each for each in free if each not in taken))]
        interface.ipv6_prefixes = [*prefixes_of(interface), *({"Ipv6Prefix": prefix} for prefix in new)]
        return ActionResult({"AssignedIpv6Prefixes": new, "NetworkInterfaceId": interface.id})

    def prefixes_of(interface: Any) -> list[dict[str, str]]:
        return getattr(interface, "ipv6_prefixes", [])

    ElasticNetworkInterfaces.assign_ipv6_addresses = assign


def places_of_instances() -> None:
    """moto does not know DescribeInstanceTopology; of the machine types of clusters here AWS tells nothing."""
    from moto.core.responses import ActionResult
    from moto.ec2.responses.instances import InstanceResponse

    responses: Any = InstanceResponse
    responses.describe_instance_topology = lambda self: ActionResult({"Instances": []})


def instances_of_groups_end_once() -> None:
    """moto breaks off where AWS says that a group has no such instance."""
    from moto.autoscaling.exceptions import ValidationError
    from moto.autoscaling.models import AutoScalingBackend

    known = AutoScalingBackend.terminate_instance

    def terminate_instance(self: Any, instance_id: str, should_decrement: bool) -> Any:
        groups = self.autoscaling_groups.values()
        if not any(each.instance.id == instance_id for group in groups for each in group.instance_states):
            raise ValidationError(f"Instance Id not found - No managed instance found for instance ID {instance_id}")
        return known(self, instance_id, should_decrement)

    AutoScalingBackend.terminate_instance = terminate_instance
