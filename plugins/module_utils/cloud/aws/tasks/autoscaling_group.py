# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: an autoscaling group, the instances of an instance group."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ....base.errors import KopsError
from ....base.labels import INSTANCE_GROUP
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Block, Literal, expression, reference
from ....engine.targets.imports import Import
from ....engine.targets.variables import MAX_SIZE, MIN_SIZE
from ....engine.task import Change, Deletion, TryAgainLater, unordered
from ..cloud import AWSCloud, from_tags, missing_tags
from ..errors import error_code
from ..ownership import owned
from ._ec2 import GATEWAY_ATTACHMENT, given
from ._task import AWSTask
from .instance_requirements import InstanceRequirements
from .launch_template import LATEST, LaunchTemplate
from .subnet import Subnet
from .target_group import TargetGroup

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

PAGE = {"PageSize": 100}
# Attaching and detaching take this many target groups in one call.
LARGEST_ATTACHMENT = 10
ROLE_TAG_PREFIX = "k8s.io/role/"


def describe_groups(cloud: AWSCloud) -> dict[str, dict[str, Any]]:
    """The cluster's autoscaling groups by name, without groups that are being deleted."""
    # AWS sets a status only while it deletes a group.
    return {group["AutoScalingGroupName"]: group for group in owned_groups(cloud) if not group.get("Status")}


def owned_groups(cloud: AWSCloud) -> list[dict[str, Any]]:
    """The cluster's autoscaling groups by name, with groups that are being deleted."""
    what = ("describe_auto_scaling_groups", "AutoScalingGroups")
    return owned(cloud, *what, service="autoscaling", PaginationConfig=PAGE)


class Pool(Protocol):
    """Warm pool of a group, as the group sees it."""

    enabled: bool | None

    def block(self) -> Block:
        """The pool as the group's Terraform resource holds it."""


# Declares a field that refers to a task that comes after this one.
_backreference: Any = partial(dataclasses.field, metadata={"internal": True, "backreference": True})


@dataclass(eq=False, repr=False)
class AutoscalingGroup(AWSTask):
    """An autoscaling group; its task name is its name. Its instances follow the latest version of its template.

    load_balancers: names of classic load balancers. max_instance_lifetime: seconds; 0 is no limit.
    mixed_*, instance_requirements: a mixed instances policy; mixed_spot_max_price "" is the on-demand price.
    suspend_processes: scaling processes that are stopped. mixed_instances: follows from the others.
    warm_pool, lifecycle_hooks: tasks of their own, which run after the group (Terraform writes the pool here).
    """

    granularity: str | None = None
    instance_protection: bool | None = None
    launch_template: LaunchTemplate | None = None
    load_balancers: list[str] | None = unordered()
    max_instance_lifetime: int | None = None
    max_size: int | None = None
    metrics: list[str] | None = unordered()
    min_size: int | None = None
    mixed_instance_overrides: list[str] | None = None
    instance_requirements: InstanceRequirements | None = None
    mixed_on_demand_allocation_strategy: str | None = None
    mixed_on_demand_base: int | None = None
    mixed_on_demand_above_base: int | None = None
    mixed_spot_allocation_strategy: str | None = None
    mixed_spot_instance_pools: int | None = None
    mixed_spot_max_price: str | None = None
    subnets: list[Subnet] | None = unordered()
    suspend_processes: list[str] | None = unordered()
    tags: dict[str, str] | None = None
    target_groups: list[TargetGroup] | None = unordered()
    capacity_rebalance: bool | None = None
    warm_pool: Pool | None = _backreference(default=None)
    lifecycle_hooks: dict[str, AWSTask] = _backreference(default_factory=dict)
    launch_template_version: str | None = LATEST
    mixed_instances: bool | None = None

    cloudformation_type = "AWS::AutoScaling::AutoScalingGroup"
    unsaid: ClassVar[frozenset[str]] = frozenset({"launch_template_version", "suspend_processes"})

    def identity(self) -> str:
        """Its name, by which AWS knows it."""
        return self.name

    @property
    def _template(self) -> LaunchTemplate:
        return self.needed(self.launch_template, "has no launch template")

    @property
    def uses_mixed_instances(self) -> bool:
        """Whether the group needs a mixed instances policy."""
        settings = (
            self.instance_requirements,
            self.mixed_on_demand_base,
            self.mixed_on_demand_above_base,
            self.mixed_spot_allocation_strategy,
            self.mixed_spot_instance_pools,
            self.mixed_spot_max_price,
        )
        return bool(self.mixed_instance_overrides) or any(setting is not None for setting in settings)

    # -- what exists --------------------------------------------------------------------------------------------

    def prepare(self, cloud: AWSCloud) -> None:
        self.mixed_instances = self.uses_mixed_instances

    def find(self, cloud: AWSCloud) -> AutoscalingGroup | None:
        group = cloud.once(describe_groups).get(self.name)
        if group is None:
            return None
        metrics = group.get("EnabledMetrics") or []
        subnets = [subnet for subnet in (group.get("VPCZoneIdentifier") or "").split(",") if subnet]
        return dataclasses.replace(
            self,
            granularity=metrics[0].get("Granularity") if metrics else None,
            instance_protection=bool(group.get("NewInstancesProtectedFromScaleIn")),
            load_balancers=list(group.get("LoadBalancerNames") or ()),
            max_instance_lifetime=group.get("MaxInstanceLifetime") or 0,
            max_size=group["MaxSize"],
            # Metrics that others want too stay enabled.
            metrics=[metric["Metric"] for metric in metrics if metric["Metric"] in (self.metrics or ())],
            min_size=group["MinSize"],
            subnets=[Subnet(name=subnet, id=subnet) for subnet in subnets],
            suspend_processes=[process["ProcessName"] for process in group.get("SuspendedProcesses") or ()],
            tags={key: value for key, value in from_tags(group.get("Tags")).items() if not key.startswith("aws:")},
            target_groups=[wanted for wanted in self.target_groups or () if wanted.arn in _attached(group)],
            capacity_rebalance=bool(group.get("CapacityRebalance")),
            **self._found_launch(group),
        )

    def _found_launch(self, group: dict[str, Any]) -> dict[str, Any]:
        policy = group.get("MixedInstancesPolicy") or {}
        mixed = policy.get("LaunchTemplate") or {}
        template = (mixed.get("LaunchTemplateSpecification") if policy else group.get("LaunchTemplate")) or {}
        distribution = policy.get("InstancesDistribution") or {}
        overrides = mixed.get("Overrides") or []
        identifier = str(template.get("LaunchTemplateId"))
        same = self.launch_template is not None and self.launch_template.id == identifier
        return {
            "launch_template": self.launch_template if same else LaunchTemplate(name=identifier, id=identifier),
            "launch_template_version": template.get("Version"),
            "mixed_instances": bool(policy),
            "mixed_instance_overrides": [item["InstanceType"] for item in overrides if item.get("InstanceType")],
            "instance_requirements": InstanceRequirements.found(overrides),
            "mixed_on_demand_allocation_strategy": distribution.get("OnDemandAllocationStrategy"),
            "mixed_on_demand_base": distribution.get("OnDemandBaseCapacity"),
            "mixed_on_demand_above_base": distribution.get("OnDemandPercentageAboveBaseCapacity"),
            "mixed_spot_allocation_strategy": distribution.get("SpotAllocationStrategy"),
            "mixed_spot_instance_pools": distribution.get("SpotInstancePools"),
            "mixed_spot_max_price": distribution.get("SpotMaxPrice") or "",
        }

    # -- what is wanted -----------------------------------------------------------------------------------------

    def check(self, cloud: AWSCloud, actual: AutoscalingGroup | None, changes: dict[str, Change]) -> None:
        if not self.subnets:
            raise KopsError(f"{self.key} has no subnets")
        if (self.min_size or 0) > (self.max_size or 0):
            raise KopsError(f"{self.key}: the smallest size {self.min_size} is above the largest {self.max_size}")
        super().check(cloud, actual, changes)

    def _launch(self, specification: dict[str, Any]) -> dict[str, Any]:
        """What says what instances are made from. specification: names the launch template."""
        if not self.uses_mixed_instances:
            return {"LaunchTemplate": specification}
        overrides: list[dict[str, Any]] = [{"InstanceType": name} for name in self.mixed_instance_overrides or ()]
        if self.instance_requirements is not None:
            overrides.append(self.instance_requirements.override())
        distribution = given(
            OnDemandAllocationStrategy=self.mixed_on_demand_allocation_strategy,
            OnDemandBaseCapacity=self.mixed_on_demand_base,
            OnDemandPercentageAboveBaseCapacity=self.mixed_on_demand_above_base,
            SpotAllocationStrategy=self.mixed_spot_allocation_strategy,
            SpotInstancePools=self.mixed_spot_instance_pools,
            SpotMaxPrice=self.mixed_spot_max_price,
        )
        template = given(LaunchTemplateSpecification=specification, Overrides=overrides or None)
        return {"MixedInstancesPolicy": {"InstancesDistribution": distribution, "LaunchTemplate": template}}

    def _settings(self) -> dict[str, Any]:
        """What is the same in creating and in changing a group."""
        return given(
            AutoScalingGroupName=self.name,
            MinSize=self.min_size,
            MaxSize=self.max_size,
            NewInstancesProtectedFromScaleIn=self.instance_protection,
            VPCZoneIdentifier=",".join(str(subnet.id) for subnet in self.subnets or ()),
            CapacityRebalance=self.capacity_rebalance,
            **self._launch({"LaunchTemplateId": self._template.id, "Version": LATEST}),
        )

    def create(self, cloud: AWSCloud) -> None:
        client = cloud.client("autoscaling")
        request = given(
            Tags=self._tag_request(self.tags or {}),
            LoadBalancerNames=self.load_balancers or None,
            TargetGroupARNs=[group.arn for group in self.target_groups or ()] or None,
            # A creating call takes no 0.
            MaxInstanceLifetime=self.max_instance_lifetime or None,
        )
        try:
            client.create_auto_scaling_group(**self._settings(), **request)
        except Exception as error:
            if not self._was_made(cloud, error):
                raise
        self._enable_metrics(cloud)
        if self.suspend_processes:
            client.suspend_processes(AutoScalingGroupName=self.name, ScalingProcesses=self.suspend_processes)

    def _was_made(self, cloud: AWSCloud, error: Exception) -> bool:
        """Whether a refused creation means that an earlier attempt, whose answer was lost, has made the group.

        Raises what else a refusal means; returns False when it means just what AWS says.
        """
        if error_code(error) == "ValidationError" and "Invalid IAM Instance Profile" in str(error):
            raise TryAgainLater("waiting until AWS knows the IAM instance profile everywhere") from error
        if error_code(error) != "AlreadyExists":
            return False
        cloud.forget(describe_groups)
        if self.name in cloud.once(describe_groups):
            return True
        answer = cloud.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[self.name])
        if any(group.get("Status") for group in answer["AutoScalingGroups"]):
            raise TryAgainLater(f"waiting until the old autoscaling group {self.name} is gone") from error
        raise KopsError(
            f"an autoscaling group {self.name} exists that does not carry the tag of cluster {cloud.cluster_name}"
        ) from error

    def _enable_metrics(self, cloud: AWSCloud) -> None:
        if self.metrics:
            cloud.client("autoscaling").enable_metrics_collection(
                AutoScalingGroupName=self.name, Granularity=self.granularity, Metrics=self.metrics
            )

    def update(self, cloud: AWSCloud, actual: AutoscalingGroup, changes: dict[str, Change]) -> None:
        apart = {"tags", "metrics", "granularity", "suspend_processes", "load_balancers", "target_groups"}
        if changes.keys() - apart:
            # All settings, not only those that differ: a policy that is sent in part would be completed by defaults.
            cloud.client("autoscaling").update_auto_scaling_group(
                **self._settings(), **given(MaxInstanceLifetime=self.max_instance_lifetime)
            )
        if "tags" in changes:
            self._update_tags(cloud, actual)
        if changes.keys() & {"metrics", "granularity"}:
            self._enable_metrics(cloud)
        if "suspend_processes" in changes:
            self._update_processes(cloud, actual)
        self._update_attachments(cloud, actual, changes)

    def _update_tags(self, cloud: AWSCloud, actual: AutoscalingGroup) -> None:
        client, present, wanted = cloud.client("autoscaling"), actual.tags or {}, self.tags or {}
        missing = missing_tags(present, wanted)
        dropped = {key: value for key, value in present.items() if key not in wanted}
        if missing:
            client.create_or_update_tags(Tags=self._tag_request(missing))
        if dropped:
            client.delete_tags(Tags=self._tag_request(dropped))

    def _update_processes(self, cloud: AWSCloud, actual: AutoscalingGroup) -> None:
        client, present, wanted = (
            cloud.client("autoscaling"),
            set(actual.suspend_processes or ()),
            set(self.suspend_processes or ()),
        )
        if wanted - present:
            client.suspend_processes(AutoScalingGroupName=self.name, ScalingProcesses=sorted(wanted - present))
        if present - wanted:
            client.resume_processes(AutoScalingGroupName=self.name, ScalingProcesses=sorted(present - wanted))

    def _update_attachments(self, cloud: AWSCloud, actual: AutoscalingGroup, changes: dict[str, Change]) -> None:
        client = cloud.client("autoscaling")
        if "load_balancers" in changes:
            present, wanted = set(actual.load_balancers or ()), set(self.load_balancers or ())
            for names in _chunks(sorted(wanted - present)):
                client.attach_load_balancers(AutoScalingGroupName=self.name, LoadBalancerNames=names)
            for names in _chunks(sorted(present - wanted)):
                client.detach_load_balancers(AutoScalingGroupName=self.name, LoadBalancerNames=names)
        if "target_groups" in changes:
            attached = {group.arn for group in actual.target_groups or ()}
            missing = sorted(str(group.arn) for group in self.target_groups or () if group.arn not in attached)
            for arns in _chunks(missing):
                client.attach_load_balancer_target_groups(AutoScalingGroupName=self.name, TargetGroupARNs=arns)

    def _tag_request(self, tags: dict[str, str]) -> list[dict[str, Any]]:
        return [
            {
                "Key": key,
                "Value": value,
                "ResourceId": self.name,
                "ResourceType": "auto-scaling-group",
                "PropagateAtLaunch": True,
            }
            for key, value in sorted(tags.items())
        ]

    def deletions(self, cloud: AWSCloud, actual: AutoscalingGroup | None) -> list[Deletion]:
        """Target groups of earlier load balancers stay attached until they are pruned: instances keep their traffic."""
        if actual is None:
            return []
        wanted = {group.arn for group in self.target_groups or ()}
        return [
            Deletion(
                self.key,
                "autoscaling-elb-attachment",
                f"{self.name}:{arn}",
                partial(_detach, cloud, self.name, arn),
                deferred=True,
            )
            for arn in sorted(_attached(cloud.once(describe_groups)[self.name]) - wanted)
        ]

    # -- for other programs -------------------------------------------------------------------------------------

    def cloudformation(self, target: CloudFormationTarget) -> None:
        # Addresses of its instances are to be gone before the gateway is.
        target.resource(self, self.cloudformation_type, self.resource_properties(target), after=[GATEWAY_ATTACHMENT])
        if f"{ROLE_TAG_PREFIX}node" in (self.tags or {}):
            target.unit(self, self._template)
        if self.suspend_processes:
            target.left.append(f"suspends processes of {self.name}")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        version = {
            "LaunchTemplateId": target.ref(self._template),
            "Version": target.attribute(self._template, "LatestVersionNumber"),
        }
        return {
            "AutoScalingGroupName": self.name,
            "CapacityRebalance": self.capacity_rebalance,
            "LoadBalancerNames": sorted(self.load_balancers or ()) or None,
            "MaxInstanceLifetime": self.max_instance_lifetime or None,
            "MaxSize": str(self.max_size),
            "MetricsCollection": [{"Granularity": self.granularity, "Metrics": sorted(self.metrics)}]
            if self.metrics
            else None,
            "MinSize": str(self.min_size),
            "NewInstancesProtectedFromScaleIn": self.instance_protection,
            "Tags": tags(self.tags, PropagateAtLaunch=True),
            "TargetGroupARNs": [target.ref(group) for group in self.target_groups or ()] or None,
            "VPCZoneIdentifier": [target.ref(subnet) for subnet in self.subnets or ()],
            **self._launch(version),
        }

    def terraform_link(self) -> Literal:
        """The group's id as a Terraform expression."""
        return reference("aws_autoscaling_group", self.name)

    def terraform(self, target: TerraformTarget) -> None:
        self._terraform_outputs(target)
        group = (self.tags or {}).get(INSTANCE_GROUP)
        template = Block(id=self._template.terraform_link(), version=self._template.terraform_link("latest_version"))
        target.resource(
            "aws_autoscaling_group",
            self.name,
            {
                "capacity_rebalance": self.capacity_rebalance,
                "enabled_metrics": sorted(self.metrics or ()),
                "launch_template": None if self.uses_mixed_instances else template,
                "load_balancers": sorted(self.load_balancers or ()),
                "max_instance_lifetime": self.max_instance_lifetime,
                "max_size": target.variable(group, MAX_SIZE, self.max_size),
                "metrics_granularity": self.granularity,
                "min_size": target.variable(group, MIN_SIZE, self.min_size),
                "mixed_instances_policy": self._terraform_policy() if self.uses_mixed_instances else None,
                "name": self.name,
                "protect_from_scale_in": self.instance_protection,
                "suspended_processes": self.suspend_processes,
                "tag": [
                    Block(key=key, propagate_at_launch=True, value=value)
                    for key, value in sorted((self.tags or {}).items())
                ],
                "target_group_arns": sorted(
                    (group.terraform_link() for group in self.target_groups or ()), key=expression
                ),
                "vpc_zone_identifier": [subnet.terraform_link() for subnet in self.subnets or ()],
                "warm_pool": self.warm_pool.block() if self.warm_pool is not None and self.warm_pool.enabled else None,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_autoscaling_group", self.name, self.name)

    def _terraform_policy(self) -> Block:
        template = self._template
        specification = Block(
            launch_template_id=template.terraform_link(), version=template.terraform_link("latest_version")
        )
        return Block(
            instances_distribution=Block(
                on_demand_allocation_strategy=self.mixed_on_demand_allocation_strategy,
                on_demand_base_capacity=self.mixed_on_demand_base,
                on_demand_percentage_above_base_capacity=self.mixed_on_demand_above_base,
                spot_allocation_strategy=self.mixed_spot_allocation_strategy,
                spot_instance_pools=self.mixed_spot_instance_pools,
                spot_max_price=self.mixed_spot_max_price,
            ),
            launch_template=Block(
                launch_template_specification=specification,
                override=[Block(instance_type=name) for name in self.mixed_instance_overrides or ()],
            ),
        )

    def _terraform_outputs(self, target: TerraformTarget) -> None:
        role = self._role()
        if not role:
            return
        target.output_list(f"{role}_autoscaling_group_ids", self.terraform_link())
        for group in self._template.security_groups or ():
            target.output_list(f"{role}_security_group_ids", _literal(group.terraform_link()))
        if role == "node":
            for subnet in self.subnets or ():
                target.output_list(f"{role}_subnet_ids", _literal(subnet.terraform_link()))

    def _role(self) -> str:
        """What the tags say the instances are: master (for control-plane too), node, bastion, apiserver; "" unknown."""
        found = {tag[len(ROLE_TAG_PREFIX) :] for tag in self.tags or {} if tag.startswith(ROLE_TAG_PREFIX)}
        roles = sorted({"master" if role == "control-plane" else role for role in found})
        if len(roles) > 1:
            raise KopsError(f"{self.key} has tags of several roles: {', '.join(roles)}")
        return roles[0] if roles else ""


def _attached(group: dict[str, Any]) -> set[str]:
    return set(group.get("TargetGroupARNs") or ())


def _chunks(items: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(items), LARGEST_ATTACHMENT):
        yield list(items[start : start + LARGEST_ATTACHMENT])


def _literal(link: Literal | str) -> Literal:
    return link if isinstance(link, Literal) else Literal(expression(link))


def _detach(cloud: AWSCloud, name: str, arn: str) -> None:
    cloud.client("autoscaling").detach_load_balancer_target_groups(AutoScalingGroupName=name, TargetGroupARNs=[arn])
