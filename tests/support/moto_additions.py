# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Terraform's provider writes and waits to read back, and moto lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


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


def add_all() -> None:
    """Teach moto all of it."""
    remember_names_of_instances()
    keep_tags_of_launch_templates_out_of_versions()
    hooks_without_a_target()
    remember_lifetimes_of_instances()
    start_instances_with_disks_of_their_own()
    balancers_face_the_internet()
