# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: a network load balancer, before the API or before bastions."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Block, Literal, data_reference, expression, function, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, TryAgainLater, computed, internal, unordered
from ..cloud import AWSCloud, intersect_tags, to_tags
from ..elb import REVISION_TAG, Tagged, latest, read_network, revision_name, write_tags
from ._ec2 import GATEWAY_ATTACHMENT, given
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

from .security_group import SecurityGroup
from .subnet import Subnet
from .vpc import VPC

CROSS_ZONE = "load_balancing.cross_zone.enabled"
# The local value of a Terraform configuration that has the addresses by which nodes reach the load balancer.
NODE_ADDRESSES = "bootstrap_server_addresses"
LOG_ENABLED, LOG_BUCKET, LOG_PREFIX = "access_logs.s3.enabled", "access_logs.s3.bucket", "access_logs.s3.prefix"


@dataclass
class NetworkLoadBalancerAccessLog:
    """Where a load balancer's access log goes."""

    enabled: bool | None = None
    s3_bucket_name: str | None = None
    s3_bucket_prefix: str | None = None


@dataclass
class SubnetMapping:
    """A subnet in which a load balancer listens, with the fixed address that it has there, if any."""

    subnet: Subnet | None = None
    private_ipv4_address: str | None = None
    allocation_id: str | None = None


def describe_attributes(cloud: AWSCloud, arn: str) -> dict[str, str]:
    """The attributes of a load balancer (AWS answers for one at a time)."""
    answer = cloud.client("elbv2").describe_load_balancer_attributes(LoadBalancerArn=arn)
    return {found["Key"]: found.get("Value") or "" for found in answer["Attributes"]}


@dataclass(eq=False, repr=False)
class NetworkLoadBalancer(AWSTask):
    """A network load balancer, found by its tag Name (the task name); load_balancer_base_name is its AWS name.

    scheme: internal or internet-facing. ip_address_type: ipv4 or dualstack; None follows from whether all its subnets
    have IPv6. well_known_services: what nodes reach
    through it. wait_until_active: done only when AWS has set it up, because nodes are told its addresses.
    node_addresses: these, inside of the network; the name if it has none. Without wait_until_active they are unknown.
    revision: "" for the first; AWS gives no security groups to a load balancer that was made without, so that such a
    one is replaced by a new revision.
    """

    load_balancer_base_name: str | None = internal()
    dns_name: str | None = computed()
    node_addresses: list[str] | None = computed()
    hosted_zone_id: str | None = computed()
    subnet_mappings: list[SubnetMapping] | None = unordered()
    security_groups: list[SecurityGroup] | None = unordered()
    scheme: str | None = None
    cross_zone_load_balancing: bool | None = None
    ip_address_type: str | None = None
    tags: dict[str, str] | None = None
    type: str | None = None
    vpc: VPC | None = None
    access_log: NetworkLoadBalancerAccessLog | None = None
    well_known_services: list[Any] | None = internal()
    arn: str | None = computed()
    wait_until_active: bool = internal(default=False)
    revision: str = internal(default="")

    immutable: ClassVar[frozenset[str]] = frozenset({"scheme", "type", "vpc"})
    cloudformation_type = "AWS::ElasticLoadBalancingV2::LoadBalancer"

    def __post_init__(self) -> None:
        if self.ip_address_type is None and self.subnet_mappings:
            has_ipv6 = all(mapping.subnet and mapping.subnet.ipv6_cidr for mapping in self.subnet_mappings)
            self.ip_address_type = "dualstack" if has_ipv6 else "ipv4"

    def identity(self) -> str:
        """Its name: aliases and listeners refer to whatever revision is current."""
        return self.name

    def _revisions(self, cloud: AWSCloud) -> list[Tagged]:
        if self.vpc is None or not self.vpc.id:
            return []
        found = cloud.once(read_network, self.vpc.id).load_balancers
        return [balancer for balancer in found if balancer.tags.get("Name") == self.name]

    def find(self, cloud: AWSCloud) -> NetworkLoadBalancer | None:
        found = latest(self._revisions(cloud))
        if found is None:
            return None
        about = found.description
        if self.security_groups and not about.get("SecurityGroups"):
            self.revision = str(int(time.time()))
            return None
        self.revision = found.revision
        attributes = cloud.once(describe_attributes, found.arn)
        actual = dataclasses.replace(
            self,
            arn=found.arn,
            dns_name=about.get("DNSName"),
            hosted_zone_id=about.get("CanonicalHostedZoneId"),
            scheme=about.get("Scheme"),
            type=about.get("Type"),
            vpc=VPC(name=about["VpcId"], id=about["VpcId"]),
            ip_address_type=about.get("IpAddressType"),
            tags=intersect_tags(to_tags(found.plain_tags), self.tags),
            subnet_mappings=[_mapping(zone) for zone in about.get("AvailabilityZones") or ()],
            security_groups=[SecurityGroup(name=group, id=group) for group in about.get("SecurityGroups") or ()],
            cross_zone_load_balancing=attributes.get(CROSS_ZONE) == "true",
            access_log=self._found_log(attributes),
        )
        if actual.scheme == "internal" and actual.ip_address_type == "ipv4":
            # AWS cannot turn an internal load balancer into a dual-stack one.
            actual.ip_address_type = self.ip_address_type
        actual._find_node_addresses(cloud)
        return actual

    def _found_log(self, attributes: dict[str, str]) -> NetworkLoadBalancerAccessLog | None:
        enabled = attributes.get(LOG_ENABLED) == "true"
        if not enabled and self.access_log is not None and not self.access_log.enabled:
            # A log that is off keeps its bucket: that is no difference.
            return self.access_log
        return NetworkLoadBalancerAccessLog(
            enabled=enabled,
            s3_bucket_name=attributes.get(LOG_BUCKET) or None,
            s3_bucket_prefix=attributes.get(LOG_PREFIX) or None,
        )

    def check(self, cloud: AWSCloud, actual: NetworkLoadBalancer | None, changes: dict[str, Change]) -> None:
        if not self.subnet_mappings:
            raise KopsError(f"{self.key} has no subnets")
        if self.access_log and self.access_log.enabled and not self.access_log.s3_bucket_name:
            raise KopsError(f"{self.key} has an access log, but no bucket for it")
        if actual is not None and "subnet_mappings" in changes:
            self._check_subnets(actual)
        super().check(cloud, actual, changes)

    def _check_subnets(self, actual: NetworkLoadBalancer) -> None:
        wanted = {_subnet_id(mapping): mapping for mapping in self.subnet_mappings or ()}
        for mapping in actual.subnet_mappings or ():
            subnet = _subnet_id(mapping)
            if subnet not in wanted:
                raise KopsError(f"{self.key}: a network load balancer cannot leave a subnet (here {subnet})")
            if _addresses(wanted[subnet]) != _addresses(mapping):
                raise KopsError(f"{self.key}: a network load balancer cannot change its address in subnet {subnet}")

    def create(self, cloud: AWSCloud) -> None:
        if self.arn is None:
            self._create_load_balancer(cloud)
            self._write_attributes(cloud)

    def wait(self, cloud: AWSCloud) -> None:
        if self.wait_until_active:
            (found,) = cloud.client("elbv2").describe_load_balancers(LoadBalancerArns=[self.arn])["LoadBalancers"]
            if (found.get("State") or {}).get("Code") == "provisioning":
                raise TryAgainLater(f"AWS is still setting up the load balancer {self.name}")
        self._find_node_addresses(cloud)

    def _create_load_balancer(self, cloud: AWSCloud) -> None:
        tags, name = dict(self.tags or {}), str(self.load_balancer_base_name)
        if self.revision:
            tags[REVISION_TAG] = self.revision
            name = revision_name(f"{name}-{self.revision}")
        request: dict[str, Any] = {
            "Name": name,
            "Scheme": self.scheme,
            "Type": self.type,
            "IpAddressType": self.ip_address_type,
            "SubnetMappings": self._subnet_request(),
            "SecurityGroups": self._security_group_ids() or None,
            "Tags": to_tags(tags),
        }
        given = {key: value for key, value in request.items() if value is not None}
        (created,) = cloud.client("elbv2").create_load_balancer(**given)["LoadBalancers"]
        self.arn, self.dns_name = created["LoadBalancerArn"], created.get("DNSName")
        self.hosted_zone_id = created.get("CanonicalHostedZoneId")

    def _subnet_request(self) -> list[dict[str, str]]:
        keys = (("SubnetId", _subnet_id), ("AllocationId", _allocation), ("PrivateIPv4Address", _private_address))
        mappings = [{key: value(mapping) for key, value in keys} for mapping in self.subnet_mappings or ()]
        return [{key: value for key, value in mapping.items() if value} for mapping in mappings]

    def _security_group_ids(self) -> list[str]:
        return [str(group.id) for group in self.security_groups or ()]

    def _attributes(self) -> dict[str, str]:
        attributes = {CROSS_ZONE: _text(self.cross_zone_load_balancing)}
        if self.access_log is not None:
            attributes[LOG_ENABLED] = _text(self.access_log.enabled)
            attributes[LOG_BUCKET] = self.access_log.s3_bucket_name or ""
            attributes[LOG_PREFIX] = self.access_log.s3_bucket_prefix or ""
        return {key: value for key, value in attributes.items() if value}

    def _write_attributes(self, cloud: AWSCloud) -> None:
        cloud.client("elbv2").modify_load_balancer_attributes(
            LoadBalancerArn=self.arn, Attributes=to_tags(self._attributes())
        )

    def update(self, cloud: AWSCloud, actual: NetworkLoadBalancer, changes: dict[str, Change]) -> None:
        elb = cloud.client("elbv2")
        if "ip_address_type" in changes:
            elb.set_ip_address_type(LoadBalancerArn=self.arn, IpAddressType=self.ip_address_type)
        if "subnet_mappings" in changes:
            elb.set_subnets(LoadBalancerArn=self.arn, SubnetMappings=self._subnet_request())
        if "security_groups" in changes:
            elb.set_security_groups(LoadBalancerArn=self.arn, SecurityGroups=self._security_group_ids())
        if "tags" in changes:
            write_tags(cloud, str(self.arn), actual.tags, self.tags)
        if changes.keys() & {"cross_zone_load_balancing", "access_log"}:
            self._write_attributes(cloud)

    def deletions(self, cloud: AWSCloud, actual: NetworkLoadBalancer | None) -> list[Deletion]:
        kept = actual.arn if actual else None
        return [
            Deletion(self.key, "network-load-balancer", found.arn, partial(_delete, cloud, found.arn), deferred=True)
            for found in self._revisions(cloud)
            if found.arn != kept
        ]

    def addresses(self, cloud: AWSCloud, with_interfaces: bool = False) -> list[str]:
        """Where it is reached, sorted: its DNS name and, with_interfaces, the addresses of its network interfaces."""
        found = [self.dns_name] if self.dns_name else []
        if with_interfaces and self.arn:
            # arn:...:loadbalancer/net/NAME/ID; AWS describes the interfaces by what comes after "loadbalancer/".
            description = f"ELB {self.arn.split(':loadbalancer/', 1)[-1]}"
            filters = [{"Name": "description", "Values": [description]}]
            for interface in cloud.paged("ec2", "describe_network_interfaces", "NetworkInterfaces", Filters=filters):
                if interface.get("Description") != description:
                    continue
                found += [interface["PrivateIpAddress"]] if interface.get("PrivateIpAddress") else []
                found += [address["Ipv6Address"] for address in interface.get("Ipv6Addresses") or ()]
        return sorted(found)

    def _find_node_addresses(self, cloud: AWSCloud) -> None:
        """The name of one that faces the internet would lead nodes out of their network."""
        if self.wait_until_active:
            found = self.addresses(cloud, with_interfaces=True)
            self.node_addresses = [address for address in found if address != self.dns_name] or found

    def cloudformation(self, target: CloudFormationTarget) -> None:
        target.resource(self, self.cloudformation_type, self.resource_properties(target), after=[GATEWAY_ATTACHMENT])
        target.output(f"{self.terraform_name}_dns_name", target.attribute(self, "DNSName"), f"The name of {self.name}")

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        mappings = _by_name(self.subnet_mappings or [])
        return {
            "IpAddressType": self.ip_address_type,
            "LoadBalancerAttributes": tags(self._attributes()),
            "Name": self.load_balancer_base_name,
            "Scheme": self.scheme,
            "SecurityGroups": [target.ref(each) for each in self.security_groups or ()] or None,
            "SubnetMappings": [
                given(
                    AllocationId=mapping.allocation_id,
                    PrivateIPv4Address=mapping.private_ipv4_address,
                    SubnetId=target.ref(mapping.subnet),
                )
                for mapping in mappings
            ],
            "Tags": tags(self.tags),
            "Type": "network",
        }

    @property
    def terraform_name(self) -> str:
        """Its name in the Terraform configuration."""
        return self.name.replace(".", "-")

    def terraform_link(self, attribute: str = "id") -> Literal:
        """One of its attributes as a Terraform expression."""
        return reference("aws_lb", self.terraform_name, attribute)

    def terraform(self, target: TerraformTarget) -> None:
        log = self.access_log
        target.resource(
            "aws_lb",
            self.terraform_name,
            {
                "access_logs": Block(bucket=log.s3_bucket_name, enabled=log.enabled, prefix=log.s3_bucket_prefix)
                if log and log.enabled
                else None,
                "enable_cross_zone_load_balancing": bool(self.cross_zone_load_balancing),
                "internal": self.scheme == "internal",
                "ip_address_type": "dualstack" if self.ip_address_type == "dualstack" else None,
                "load_balancer_type": "network",
                "name": self.load_balancer_base_name,
                "security_groups": sorted(
                    (group.terraform_link() for group in self.security_groups or ()), key=expression
                ),
                "subnet_mapping": [_terraform_mapping(mapping) for mapping in _by_name(self.subnet_mappings or [])],
                "tags": self.tags,
            },
        )
        if self.wait_until_active:
            self._terraform_node_addresses(target)

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_lb", self.terraform_name, str(self.arn))

    def _terraform_node_addresses(self, target: TerraformTarget) -> None:
        """Its private addresses, which AWS chooses: it has an interface in each subnet, described by a part of the ARN.

        They are looked up when the load balancer has been made, and in later plans only read.
        """
        found: list[Literal] = []
        for mapping in _by_name(self.subnet_mappings or []):
            if mapping.subnet is None:
                continue
            name = f"{self.terraform_name}-{mapping.subnet.name}"
            arn = self.terraform_link("arn_suffix").text
            target.data(
                "aws_network_interface",
                name,
                {
                    "filter": [
                        Block(name="description", values=[Literal(f'"ELB ${{{arn}}}"')]),
                        Block(name="subnet-id", values=[mapping.subnet.terraform_link()]),
                    ]
                },
            )
            found.append(data_reference("aws_network_interface", name, "private_ip"))
            if self.ip_address_type == "dualstack":
                found.append(data_reference("aws_network_interface", name, "ipv6_addresses"))
        target.local(NODE_ADDRESSES, function("sort", function("flatten", found)))


def _mapping(zone: dict[str, Any]) -> SubnetMapping:
    """A subnet mapping as AWS describes it: one fixed address at most."""
    addresses = zone.get("LoadBalancerAddresses") or [{}]
    return SubnetMapping(
        subnet=Subnet(name=zone["SubnetId"], id=zone["SubnetId"]),
        private_ipv4_address=addresses[0].get("PrivateIPv4Address"),
        allocation_id=addresses[0].get("AllocationId"),
    )


def _by_name(mappings: list[SubnetMapping]) -> list[SubnetMapping]:
    return sorted(mappings, key=lambda mapping: mapping.subnet.name if mapping.subnet else "")


def _terraform_mapping(mapping: SubnetMapping) -> Block:
    return Block(
        allocation_id=mapping.allocation_id,
        private_ipv4_address=mapping.private_ipv4_address,
        subnet_id=mapping.subnet.terraform_link() if mapping.subnet else None,
    )


def _subnet_id(mapping: SubnetMapping) -> str:
    return str(mapping.subnet.id) if mapping.subnet else ""


def _allocation(mapping: SubnetMapping) -> str:
    return mapping.allocation_id or ""


def _private_address(mapping: SubnetMapping) -> str:
    return mapping.private_ipv4_address or ""


def _addresses(mapping: SubnetMapping) -> tuple[str, str]:
    return _private_address(mapping), _allocation(mapping)


def _text(flag: bool | None) -> str:
    return "true" if flag else "false"


def _delete(cloud: AWSCloud, arn: str) -> None:
    # Deleting one that is gone already is no error to AWS.
    cloud.client("elbv2").delete_load_balancer(LoadBalancerArn=arn)
