# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Terraform's provider writes and waits to read back, and moto lacks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.tests.support import moto_balancers, moto_launches, moto_tokens

# What AWS takes as MaxResults for launch templates and their versions.
LARGEST_PAGE = 200


def remember_names_of_instances() -> None:
    """How a subnet names its instances, and that it translates names: the provider waits until what it set is there."""
    from moto.ec2.responses.subnets import Subnets

    known = Subnets.modify_subnet_attribute

    def modify_subnet_attribute(self: Any) -> Any:
        subnet = self.ec2_backend.get_subnet(self._get_param("SubnetId"))
        options = subnet.private_dns_name_options_on_launch
        kind = self._get_param("PrivateDnsHostnameTypeOnLaunch")
        if kind is not None:
            options["HostnameType"] = kind
        answers = self._get_param("EnableResourceNameDnsAAAARecordOnLaunch.Value")
        if answers is not None:
            options["EnableResourceNameDnsAAAARecord"] = answers
        translates = self._get_param("EnableDns64.Value")
        if translates is not None:
            subnet.enable_dns64 = translates
        return known(self)

    Subnets.modify_subnet_attribute = modify_subnet_attribute


def start_instances_with_disks_of_their_own() -> None:
    """moto takes every disk of a launch template for a volume; those of the machine itself have no "Ebs"."""
    from moto.ec2.models.instances import InstanceBackend

    known = InstanceBackend.run_instances

    def run_instances(self: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("launch_template") and "block_device_mappings" not in options:
            disks = self._get_template_from_args(options["launch_template"]).data.get("BlockDeviceMappings") or []
            if any("Ebs" not in disk for disk in disks):
                options["block_device_mappings"] = [disk for disk in disks if "Ebs" in disk]
        return known(self, *arguments, **options)

    InstanceBackend.run_instances = run_instances


def keep_tags_of_launch_templates_out_of_versions() -> None:
    """moto lists the tags of a launch template itself among those that the template gives to others."""
    from moto.ec2.models.launch_templates import LaunchTemplateBackend

    known = LaunchTemplateBackend.create_launch_template

    def create_launch_template(self: Any, name: str, description: str, data: dict[str, Any], tags: Any) -> Any:
        given = data.get("TagSpecifications", [])
        data["TagSpecifications"] = [each for each in given if each["ResourceType"] != "launch-template"]
        return known(self, name, description, data, tags)

    LaunchTemplateBackend.create_launch_template = create_launch_template


def hooks_without_a_target() -> None:
    """moto gives every lifecycle hook a queue and a role of its own invention."""
    from moto.autoscaling.models import LifecycleHook

    known = LifecycleHook.__init__

    def create(self: Any, *arguments: Any, **options: Any) -> None:
        known(self, *arguments, **options)
        self.role_arn = self.notification_target_arn = None

    LifecycleHook.__init__ = create


def remember_lifetimes_of_instances() -> None:
    """moto forgets how long the instances of a scaling group may live."""
    from moto.autoscaling.responses import AutoScalingResponse

    def remembering(known: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(self: Any) -> Any:
            answered = known(self)
            lifetime = self._get_int_param("MaxInstanceLifetime")
            if lifetime is not None:
                name = self._get_param("AutoScalingGroupName")
                self.autoscaling_backend.autoscaling_groups[name].max_instance_lifetime = lifetime
            return answered

        return answer

    for operation in ("create_auto_scaling_group", "update_auto_scaling_group"):
        setattr(AutoScalingResponse, operation, remembering(getattr(AutoScalingResponse, operation)))


def balancers_face_the_internet() -> None:
    """moto gives a load balancer that names no scheme none at all."""
    from moto.elbv2.models import ELBv2Backend

    known = ELBv2Backend.create_load_balancer

    def create_load_balancer(self: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("scheme") is None:
            options["scheme"] = "internet-facing"
        return known(self, *arguments, **options)

    ELBv2Backend.create_load_balancer = create_load_balancer


def target_groups_with_two_hyphens_in_their_names() -> None:
    """moto refuses them, as the console of AWS does; the API takes them, and kops' names have them."""
    from moto.elbv2.models import ELBv2Backend

    known = ELBv2Backend.create_target_group

    def create_target_group(self: Any, name: str, **options: Any) -> Any:
        group = known(self, name.replace("--", "-0"), **options)
        group.name = name
        return group

    ELBv2Backend.create_target_group = create_target_group


def launch_templates_in_pages() -> None:
    """moto gives the first page of launch templates and of their versions, and no token for those that follow."""
    from moto.ec2.exceptions import InvalidParameterValueError
    from moto.ec2.responses.launch_templates import LaunchTemplates

    def in_pages(known: Callable[[Any], Any], key: str) -> Callable[[Any], Any]:
        def answer(self: Any) -> Any:
            number = self._get_int_param
            size = number("MaxResults", LARGEST_PAGE)
            if not 1 <= size <= LARGEST_PAGE:
                raise InvalidParameterValueError(f"MaxResults={size}")
            self._get_int_param = lambda name, *rest: sys.maxsize if name == "MaxResults" else number(name, *rest)
            answered = known(self)
            start = int(self._get_param("NextToken") or 0)
            found = answered.result[key]
            answered.result[key] = found[start : start + size]
            if start + size < len(found):
                answered.result["NextToken"] = str(start + size)
            return answered

        return answer

    for operation, key in (
        ("describe_launch_templates", "LaunchTemplates"),
        ("describe_launch_template_versions", "LaunchTemplateVersions"),
    ):
        setattr(LaunchTemplates, operation, in_pages(getattr(LaunchTemplates, operation), key))


def tags_of_one_object_without_those_of_others() -> None:
    """moto looks through the tags of the whole account for each object that it describes: hours with many objects."""
    from moto.ec2.models.tags import TagBackend

    known = TagBackend.describe_tags

    def describe_tags(self: Any, filters: dict[str, list[str]] | None = None) -> list[dict[str, str]]:
        names = (filters or {}).get("resource-id") or []
        if not names or any(sign in name for name in names for sign in "*?"):
            return known(self, filters)
        few = TagBackend()
        few.tags.update({name: self.tags[name] for name in names if name in self.tags})
        return known(few, filters)

    TagBackend.describe_tags = describe_tags


def attach_volumes_once() -> None:
    """moto attaches a volume that another instance has, across zones, and under a device name that is in use."""
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.responses.elastic_block_store import ElasticBlockStore

    known, lock = ElasticBlockStore.attach_volume, threading.Lock()

    def attach_volume(self: Any) -> Any:
        volume_id, device = self._get_param("VolumeId"), self._get_param("Device")
        with lock:
            volume = self.ec2_backend.get_volume(volume_id)
            instance = self.ec2_backend.get_instance(self._get_param("InstanceId"))
            if volume.attachment is not None:
                raise EC2ClientError("VolumeInUse", f"{volume_id} is already attached to an instance")
            if volume.zone.name != instance._placement.zone:
                raise EC2ClientError("InvalidVolume.ZoneMismatch", "The volume is not in the instance's zone")
            if device in instance.block_device_mapping:
                raise EC2ClientError("InvalidParameterValue", f"Attachment point {device} is already in use")
            return known(self)

    ElasticBlockStore.attach_volume = attach_volume


def objects_change_one_at_a_time() -> None:
    """moto compares an object's ETag and writes the object in two steps, so of two writers both may be first."""
    from moto.s3.responses import S3Response

    put_object, delete_object, lock = S3Response.put_object, S3Response.delete_object, threading.Lock()

    def put(self: Any) -> Any:
        with lock:
            return put_object(self)

    def delete(self: Any) -> Any:
        with lock:
            return delete_object(self)

    S3Response.put_object, S3Response.delete_object = put, delete


def roles_leave_profiles_once() -> None:
    """moto breaks off when a role is taken out of an instance profile that does not have it; AWS has an answer."""
    from moto.iam.exceptions import NotFoundException
    from moto.iam.models import IAMBackend

    known = IAMBackend.remove_role_from_instance_profile

    def remove(self: Any, profile_name: str, role_name: str) -> None:
        if self.get_role(role_name) not in self.get_instance_profile(profile_name).roles:
            raise NotFoundException(f"The role with name {role_name} is not in the profile {profile_name}.")
        known(self, profile_name, role_name)

    IAMBackend.remove_role_from_instance_profile = remove


def interfaces_of_nat_gateways_say_so() -> None:
    """Otherwise an interface that outlives its gateway for some minutes looks like somebody else's."""
    from moto.ec2.models.nat_gateways import NatGateway

    known = NatGateway.__init__

    def init(self: Any, *arguments: Any, **options: Any) -> None:
        known(self, *arguments, **options)
        self._eni.description = f"Interface for NAT Gateway {self.id}"
        # Terraform would replace one of no kind.
        self.connectivity_type = self.connectivity_type or "public"

    NatGateway.__init__ = init


def queues_keep_their_policy() -> None:
    """moto takes a queue's policy away with every change of another attribute."""
    from moto.sqs.models import Queue

    known = Queue._set_attributes

    def set_attributes(self: Any, attributes: dict[str, Any], *arguments: Any, **options: Any) -> None:
        if "Policy" not in attributes and getattr(self, "policy", None):
            attributes = {**attributes, "Policy": self.policy}
        known(self, attributes, *arguments, **options)

    Queue._set_attributes = set_attributes


def add_all() -> None:
    """Teach moto all of it."""
    remember_names_of_instances()
    keep_tags_of_launch_templates_out_of_versions()
    hooks_without_a_target()
    remember_lifetimes_of_instances()
    start_instances_with_disks_of_their_own()
    balancers_face_the_internet()
    target_groups_with_two_hyphens_in_their_names()
    launch_templates_in_pages()
    tags_of_one_object_without_those_of_others()
    attach_volumes_once()
    objects_change_one_at_a_time()
    moto_launches.versions_of_launch_templates()
    moto_launches.instances_as_their_launch_template_says()
    moto_launches.groups_launch_the_version_they_name()
    moto_launches.prefixes_of_network_interfaces()
    moto_launches.places_of_instances()
    moto_launches.instances_of_groups_end_once()
    moto_balancers.network_interfaces_of_balancers()
    moto_balancers.targets_end_with_their_instances()
    moto_balancers.health_checks_of_classic_balancers()
    moto_tokens.recognise_requests_by_their_token()
    roles_leave_profiles_once()
    interfaces_of_nat_gateways_say_so()
    queues_keep_their_policy()
