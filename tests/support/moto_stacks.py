# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks whose resources are made by the services' own operations.

moto's CloudFormation knows a third of the kinds of a cluster, passes over properties of most of these, and says nothing
about it. Here each kind is a row, and one that has none, or a property that a row does not use, fails the stack.
Sources: the resource and property reference of CloudFormation.
"""

from __future__ import annotations

import ipaddress
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.kubeops.kops.tests.support.aws_server import client_of

Properties = dict[str, Any]


class Given:
    """The properties of a resource; what nobody has taken is an error at the end."""

    def __init__(self, properties: Properties) -> None:
        self._left = dict(properties)

    def take(self, *names: str) -> Properties:
        """Those of these names that are given."""
        return {name: self._left.pop(name) for name in names if name in self._left}

    def one(self, name: str, default: Any = None) -> Any:
        """One of them."""
        return self._left.pop(name, default)

    def tags(self, kind: str) -> list[Properties]:
        """The tags, as EC2 takes them with what it makes."""
        found = self.one("Tags")
        return [{"ResourceType": kind, "Tags": found}] if found else []

    def finish(self, type_: str) -> None:
        """Raises ValueError for what is left."""
        if self._left:
            raise ValueError(f"{type_}: nothing here uses {sorted(self._left)}")


@dataclass
class Row:
    """A kind. make: gives the id. attribute: of an id. change: None is a replacement. end: by id and properties."""

    make: Callable[[Any, Given], str]
    end: Callable[[Any, str, Properties], Any]
    attribute: Callable[[Any, str, str], Any] = lambda clients, identifier, name: None
    change: Callable[[Any, str, Given], None] | None = None


@dataclass
class Clients:
    """boto3's clients of the account at a URL."""

    url: str

    def __getattr__(self, service: str) -> Any:
        return client_of(self.url, service)


# -- EC2 ---------------------------------------------------------------------------------------------------------------


def _vpc(clients: Clients, given: Given) -> str:
    made = clients.ec2.create_vpc(**given.take("CidrBlock"), TagSpecifications=given.tags("vpc"))["Vpc"]["VpcId"]
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        wanted = given.one(name)
        if wanted is not None:
            clients.ec2.modify_vpc_attribute(VpcId=made, **{name: {"Value": wanted}})
    return str(made)


def _end_vpc(clients: Clients, identifier: str, properties: Properties) -> None:
    """Unlike moto, AWS keeps one in which others have security groups."""
    of_vpc = [{"Name": "vpc-id", "Values": [identifier]}]
    groups = clients.ec2.describe_security_groups(Filters=of_vpc)["SecurityGroups"]
    if any(each["GroupName"] != "default" for each in groups):
        raise ValueError(f"The vpc '{identifier}' has dependencies and cannot be deleted.")
    clients.ec2.delete_vpc(VpcId=identifier)


def _vpc_attribute(clients: Clients, identifier: str, name: str) -> Any:
    (vpc,) = clients.ec2.describe_vpcs(VpcIds=[identifier])["Vpcs"]
    assert name == "Ipv6CidrBlocks"
    return [each["Ipv6CidrBlock"] for each in vpc.get("Ipv6CidrBlockAssociationSet", ())]


def _cidr_block(clients: Clients, given: Given) -> str:
    answer = clients.ec2.associate_vpc_cidr_block(**given.take("VpcId", "CidrBlock", "AmazonProvidedIpv6CidrBlock"))
    found = answer.get("Ipv6CidrBlockAssociation") or answer["CidrBlockAssociation"]
    return str(found["AssociationId"])


def _dhcp_options(clients: Clients, given: Given) -> str:
    domain, servers = given.one("DomainName"), given.one("DomainNameServers")
    options = [("domain-name", [domain] if domain else []), ("domain-name-servers", servers or [])]
    answer = clients.ec2.create_dhcp_options(
        DhcpConfigurations=[{"Key": key, "Values": values} for key, values in options if values],
        TagSpecifications=given.tags("dhcp-options"),
    )
    return str(answer["DhcpOptions"]["DhcpOptionsId"])


def _associate_options(clients: Clients, given: Given) -> str:
    ends = given.take("DhcpOptionsId", "VpcId")
    clients.ec2.associate_dhcp_options(**ends)
    return f"{ends['DhcpOptionsId']}|{ends['VpcId']}"


def _attach_gateway(clients: Clients, given: Given) -> str:
    ends = given.take("InternetGatewayId", "VpcId")
    clients.ec2.attach_internet_gateway(**ends)
    return f"IGW|{ends['VpcId']}"


def _subnet(clients: Clients, given: Given) -> str:
    plain = given.take("AvailabilityZone", "CidrBlock", "Ipv6CidrBlock", "Ipv6Native", "VpcId")
    made = clients.ec2.create_subnet(**plain, TagSpecifications=given.tags("subnet"))["Subnet"]["SubnetId"]
    names = given.one("PrivateDnsNameOptionsOnLaunch") or {}
    later = {name: {"Value": value} for name, value in given.take("AssignIpv6AddressOnCreation", "EnableDns64").items()}
    for key in ("EnableResourceNameDnsARecord", "EnableResourceNameDnsAAAARecord"):
        if key in names:
            later[f"{key}OnLaunch"] = {"Value": names[key]}
    if "HostnameType" in names:
        later["PrivateDnsHostnameTypeOnLaunch"] = names["HostnameType"]
    for name, value in later.items():
        clients.ec2.modify_subnet_attribute(SubnetId=made, **{name: value})
    return str(made)


def _route(clients: Clients, given: Given) -> str:
    ends = given.take("RouteTableId", "DestinationCidrBlock", "DestinationIpv6CidrBlock")
    hops = ("GatewayId", "EgressOnlyInternetGatewayId", "NatGatewayId", "TransitGatewayId", "InstanceId")
    clients.ec2.create_route(**ends, **given.take(*hops, "VpcPeeringConnectionId"))
    return "|".join(ends.values())


def _end_route(clients: Clients, identifier: str, properties: Properties) -> None:
    names = ("RouteTableId", "DestinationCidrBlock", "DestinationIpv6CidrBlock")
    clients.ec2.delete_route(**{name: properties[name] for name in names if name in properties})


def _permission(rule: Properties) -> Properties:
    """A rule as EC2 takes it. Keys that it does not have are none of a rule."""

    def of_either_end(what: str) -> Any:
        return rule.get(f"Source{what}") or rule.get(f"Destination{what}")

    ends = {
        "IpRanges": ("CidrIp", rule.get("CidrIp")),
        "Ipv6Ranges": ("CidrIpv6", rule.get("CidrIpv6")),
        "UserIdGroupPairs": ("GroupId", of_either_end("SecurityGroupId")),
        "PrefixListIds": ("PrefixListId", of_either_end("PrefixListId")),
    }
    return {
        **{key: rule[key] for key in ("IpProtocol", "FromPort", "ToPort") if key in rule},
        **{key: [{name: value}] for key, (name, value) in ends.items() if value},
    }


_OF_RULES = ("IpProtocol", "FromPort", "ToPort", "CidrIp", "CidrIpv6")


def _group(clients: Clients, given: Given) -> str:
    made = clients.ec2.create_security_group(
        Description=given.one("GroupDescription"),
        **given.take("GroupName", "VpcId"),
        TagSpecifications=given.tags("security-group"),
    )["GroupId"]
    egress = given.one("SecurityGroupEgress")
    if egress:
        (group,) = clients.ec2.describe_security_groups(GroupIds=[made])["SecurityGroups"]
        clients.ec2.revoke_security_group_egress(GroupId=made, IpPermissions=group["IpPermissionsEgress"])
        for each in egress:
            clients.ec2.authorize_security_group_egress(GroupId=made, IpPermissions=[_permission(each)])
    return str(made)


def _rule(way: str) -> Callable[[Clients, Given], str]:
    other = {"ingress": "Source", "egress": "Destination"}[way]

    def make(clients: Clients, given: Given) -> str:
        rule = given.take(*_OF_RULES, f"{other}SecurityGroupId", f"{other}PrefixListId")
        authorize = getattr(clients.ec2, f"authorize_security_group_{way}")
        answer = authorize(GroupId=given.one("GroupId"), IpPermissions=[_permission(rule)])
        return str(answer["SecurityGroupRules"][0]["SecurityGroupRuleId"])

    return make


def _end_rule(way: str) -> Callable[[Clients, str, Properties], Any]:
    def end(clients: Clients, identifier: str, properties: Properties) -> None:
        revoke = getattr(clients.ec2, f"revoke_security_group_{way}")
        revoke(GroupId=properties["GroupId"], SecurityGroupRuleIds=[identifier])

    return end


def _volume(clients: Clients, given: Given) -> str:
    names = ("AvailabilityZone", "Encrypted", "Iops", "KmsKeyId", "Size", "Throughput", "VolumeType")
    return str(clients.ec2.create_volume(**given.take(*names), TagSpecifications=given.tags("volume"))["VolumeId"])


def _address(clients: Clients, given: Given) -> str:
    answer = clients.ec2.allocate_address(**given.take("Domain"), TagSpecifications=given.tags("elastic-ip"))
    return str(answer["PublicIp"])


def _allocation(clients: Clients, identifier: str, name: str = "AllocationId") -> Any:
    return clients.ec2.describe_addresses(PublicIps=[identifier])["Addresses"][0][name]


def _nat_gateway(clients: Clients, given: Given) -> str:
    ends = given.take("AllocationId", "SubnetId")
    answer = clients.ec2.create_nat_gateway(**ends, TagSpecifications=given.tags("natgateway"))
    return str(answer["NatGateway"]["NatGatewayId"])


def _key_pair(clients: Clients, given: Given) -> str:
    key = given.one("PublicKeyMaterial").encode()
    given_name = given.take("KeyName")
    clients.ec2.import_key_pair(**given_name, PublicKeyMaterial=key, TagSpecifications=given.tags("key-pair"))
    return str(given_name["KeyName"])


def _launch_template(clients: Clients, given: Given) -> str:
    answer = clients.ec2.create_launch_template(
        **given.take("LaunchTemplateName", "LaunchTemplateData"), TagSpecifications=given.one("TagSpecifications") or []
    )
    return str(answer["LaunchTemplate"]["LaunchTemplateId"])


def _another_version(clients: Clients, identifier: str, given: Given) -> None:
    given.take("LaunchTemplateName", "TagSpecifications")
    clients.ec2.create_launch_template_version(LaunchTemplateId=identifier, **given.take("LaunchTemplateData"))


def _latest_version(clients: Clients, identifier: str, name: str) -> Any:
    found = clients.ec2.describe_launch_templates(LaunchTemplateIds=[identifier])["LaunchTemplates"]
    return str(found[0][name])


# -- autoscaling -------------------------------------------------------------------------------------------------------

_SIZES = ("MinSize", "MaxSize")
_OF_GROUPS = (
    "CapacityRebalance",
    "LaunchTemplate",
    "MaxInstanceLifetime",
    "MixedInstancesPolicy",
    "NewInstancesProtectedFromScaleIn",
)


def _settings(given: Given) -> Properties:
    sizes = {name: int(value) for name, value in given.take(*_SIZES).items()}
    subnets = ",".join(given.one("VPCZoneIdentifier"))
    return {**given.take("AutoScalingGroupName", *_OF_GROUPS), **sizes, "VPCZoneIdentifier": subnets}


def _scaling_group(clients: Clients, given: Given) -> str:
    settings = _settings(given)
    _refuse_type(clients, settings)
    tags = [{**each, "ResourceType": "auto-scaling-group"} for each in given.one("Tags") or ()]
    name = str(settings["AutoScalingGroupName"])
    tags = [{**each, "ResourceId": name} for each in tags]
    clients.autoscaling.create_auto_scaling_group(
        **settings, **given.take("TargetGroupARNs", "LoadBalancerNames"), Tags=tags
    )
    for each in given.one("MetricsCollection") or ():
        clients.autoscaling.enable_metrics_collection(AutoScalingGroupName=name, **each)
    return name


def _refuse_type(clients: Clients, settings: Properties) -> None:
    """Raises ValueError for a machine type that a zone of a group does not have, as the service finds out."""
    wanted = settings.get("LaunchTemplate")
    if wanted is None:
        return
    version = {"LaunchTemplateId": wanted["LaunchTemplateId"], "Versions": [wanted["Version"]]}
    (found,) = clients.ec2.describe_launch_template_versions(**version)["LaunchTemplateVersions"]
    kind = found["LaunchTemplateData"]["InstanceType"]
    for each in clients.ec2.describe_subnets(SubnetIds=settings["VPCZoneIdentifier"].split(","))["Subnets"]:
        zone = each["AvailabilityZone"]
        filters = [{"Name": "location", "Values": [zone]}, {"Name": "instance-type", "Values": [kind]}]
        offered = clients.ec2.describe_instance_type_offerings(LocationType="availability-zone", Filters=filters)
        if not offered["InstanceTypeOfferings"]:
            raise ValueError(
                f"Your requested instance type ({kind}) is not supported in your requested Availability Zone ({zone})."
            )


def _change_scaling_group(clients: Clients, identifier: str, given: Given) -> None:
    settings = _settings(given)
    _refuse_type(clients, settings)
    clients.autoscaling.update_auto_scaling_group(**settings)
    given.take("TargetGroupARNs", "LoadBalancerNames", "Tags", "MetricsCollection")


def _end_scaling_group(clients: Clients, identifier: str, properties: Properties) -> None:
    clients.autoscaling.delete_auto_scaling_group(AutoScalingGroupName=identifier, ForceDelete=True)


def _hook(clients: Clients, given: Given) -> str:
    names = ("AutoScalingGroupName", "DefaultResult", "HeartbeatTimeout", "LifecycleHookName", "LifecycleTransition")
    hook = given.take(*names)
    clients.autoscaling.put_lifecycle_hook(**hook)
    return str(hook["LifecycleHookName"])


def _end_hook(clients: Clients, identifier: str, properties: Properties) -> None:
    ends = {name: properties[name] for name in ("AutoScalingGroupName", "LifecycleHookName")}
    clients.autoscaling.delete_lifecycle_hook(**ends)


def _warm_pool(clients: Clients, given: Given) -> str:
    pool = given.take("AutoScalingGroupName", "MaxGroupPreparedCapacity", "MinSize")
    clients.autoscaling.put_warm_pool(**pool)
    return f"{pool['AutoScalingGroupName']}-pool"


def _end_warm_pool(clients: Clients, identifier: str, properties: Properties) -> None:
    clients.autoscaling.delete_warm_pool(AutoScalingGroupName=properties["AutoScalingGroupName"], ForceDelete=True)


# -- load balancers ----------------------------------------------------------------------------------------------------


def _balancer(clients: Clients, given: Given) -> str:
    names = ("IpAddressType", "Name", "Scheme", "SecurityGroups", "SubnetMappings", "Tags", "Type")
    made = clients.elbv2.create_load_balancer(**given.take(*names))["LoadBalancers"][0]["LoadBalancerArn"]
    clients.elbv2.modify_load_balancer_attributes(LoadBalancerArn=made, Attributes=given.one("LoadBalancerAttributes"))
    return str(made)


def _balancer_attribute(clients: Clients, identifier: str, name: str) -> Any:
    (found,) = clients.elbv2.describe_load_balancers(LoadBalancerArns=[identifier])["LoadBalancers"]
    return found[{"CanonicalHostedZoneID": "CanonicalHostedZoneId"}.get(name, name)]


def _target_group(clients: Clients, given: Given) -> str:
    names = ("HealthCheckIntervalSeconds", "HealthCheckPath", "HealthCheckProtocol", "HealthyThresholdCount", "Name")
    more = ("Port", "Protocol", "Tags", "UnhealthyThresholdCount", "VpcId")
    made = clients.elbv2.create_target_group(**given.take(*names, *more))["TargetGroups"][0]["TargetGroupArn"]
    attributes = given.one("TargetGroupAttributes")
    if attributes:
        clients.elbv2.modify_target_group_attributes(TargetGroupArn=made, Attributes=attributes)
    return str(made)


def _listener(clients: Clients, given: Given) -> str:
    names = ("Certificates", "DefaultActions", "LoadBalancerArn", "Port", "Protocol", "SslPolicy")
    return str(clients.elbv2.create_listener(**given.take(*names))["Listeners"][0]["ListenerArn"])


# -- the others --------------------------------------------------------------------------------------------------------


def _role(clients: Clients, given: Given) -> str:
    policy = json.dumps(given.one("AssumeRolePolicyDocument"))
    plain = given.take("RoleName", "PermissionsBoundary", "Tags")
    clients.iam.create_role(**plain, AssumeRolePolicyDocument=policy)
    for arn in given.one("ManagedPolicyArns") or ():
        clients.iam.attach_role_policy(RoleName=plain["RoleName"], PolicyArn=arn)
    return str(plain["RoleName"])


def _end_role(clients: Clients, identifier: str, properties: Properties) -> None:
    for arn in properties.get("ManagedPolicyArns", ()):
        clients.iam.detach_role_policy(RoleName=identifier, PolicyArn=arn)
    clients.iam.delete_role(RoleName=identifier)


def _role_policy(clients: Clients, given: Given) -> str:
    policy = json.dumps(given.one("PolicyDocument"))
    ends = given.take("RoleName", "PolicyName")
    clients.iam.put_role_policy(**ends, PolicyDocument=policy)
    return "|".join(ends.values())


def _profile(clients: Clients, given: Given) -> str:
    name = given.take("InstanceProfileName")
    clients.iam.create_instance_profile(**name)
    for role in given.one("Roles"):
        clients.iam.add_role_to_instance_profile(**name, RoleName=role)
    return str(name["InstanceProfileName"])


def _end_profile(clients: Clients, identifier: str, properties: Properties) -> None:
    for role in properties["Roles"]:
        clients.iam.remove_role_from_instance_profile(InstanceProfileName=identifier, RoleName=role)
    clients.iam.delete_instance_profile(InstanceProfileName=identifier)


def _oidc_provider(clients: Clients, given: Given) -> str:
    answer = clients.iam.create_open_id_connect_provider(
        ClientIDList=given.one("ClientIdList"), **given.take("ThumbprintList", "Url", "Tags") | {}
    )
    return str(answer["OpenIDConnectProviderArn"])


def _record(clients: Clients, given: Given) -> str:
    zone, record = given.one("HostedZoneId"), given.take("AliasTarget", "Name", "Type")
    _change_record(clients, "CREATE", zone, record)
    return str(record["Name"])


def _end_record(clients: Clients, identifier: str, properties: Properties) -> None:
    record = {name: properties[name] for name in ("AliasTarget", "Name", "Type")}
    _change_record(clients, "DELETE", properties["HostedZoneId"], record)


def _change_record(clients: Clients, action: str, zone: str, record: Properties) -> None:
    change = {"Changes": [{"Action": action, "ResourceRecordSet": record}]}
    clients.route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch=change)


def _event_rule(clients: Clients, given: Given) -> str:
    pattern, plain = json.dumps(given.one("EventPattern")), given.take("Name", "Tags")
    clients.events.put_rule(**plain, EventPattern=pattern)
    clients.events.put_targets(Rule=plain["Name"], Targets=given.one("Targets"))
    return str(plain["Name"])


def _end_event_rule(clients: Clients, identifier: str, properties: Properties) -> None:
    clients.events.remove_targets(Rule=identifier, Ids=[each["Id"] for each in properties["Targets"]])
    clients.events.delete_rule(Name=identifier)


def _queue(clients: Clients, given: Given) -> str:
    attributes = {name: str(value) for name, value in given.take("MessageRetentionPeriod").items()}
    tags = {each["Key"]: each["Value"] for each in given.one("Tags") or ()}
    return str(clients.sqs.create_queue(**given.take("QueueName"), Attributes=attributes, tags=tags)["QueueUrl"])


def _queue_attribute(clients: Clients, identifier: str, name: str) -> Any:
    wanted = f"Queue{name}"
    return clients.sqs.get_queue_attributes(QueueUrl=identifier, AttributeNames=[wanted])["Attributes"][wanted]


def _queue_policy(clients: Clients, given: Given) -> str:
    policy = json.dumps(given.one("PolicyDocument"))
    queues = given.one("Queues")
    for url in queues:
        clients.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
    return str(queues[0])


def _by(service: str, operation: str, name: str) -> Callable[[Clients, str, Properties], Any]:
    """Deletion by an operation that takes the physical id."""
    return lambda clients, identifier, properties: getattr(getattr(clients, service), operation)(**{name: identifier})


def _nothing(clients: Clients, identifier: str, properties: Properties) -> None:
    """It goes with something else."""


ROWS: dict[str, Row] = {
    "AWS::EC2::VPC": Row(_vpc, _end_vpc, _vpc_attribute),
    "AWS::EC2::VPCCidrBlock": Row(_cidr_block, _by("ec2", "disassociate_vpc_cidr_block", "AssociationId")),
    "AWS::EC2::DHCPOptions": Row(_dhcp_options, _by("ec2", "delete_dhcp_options", "DhcpOptionsId")),
    "AWS::EC2::VPCDHCPOptionsAssociation": Row(
        _associate_options,
        lambda clients, identifier, properties: clients.ec2.associate_dhcp_options(
            DhcpOptionsId="default", VpcId=properties["VpcId"]
        ),
    ),
    "AWS::EC2::InternetGateway": Row(
        lambda clients, given: str(
            clients.ec2.create_internet_gateway(TagSpecifications=given.tags("internet-gateway"))["InternetGateway"][
                "InternetGatewayId"
            ]
        ),
        _by("ec2", "delete_internet_gateway", "InternetGatewayId"),
    ),
    "AWS::EC2::VPCGatewayAttachment": Row(
        _attach_gateway,
        lambda clients, identifier, properties: clients.ec2.detach_internet_gateway(
            InternetGatewayId=properties["InternetGatewayId"], VpcId=properties["VpcId"]
        ),
    ),
    "AWS::EC2::EgressOnlyInternetGateway": Row(
        lambda clients, given: str(
            clients.ec2.create_egress_only_internet_gateway(
                **given.take("VpcId"), TagSpecifications=given.tags("egress-only-internet-gateway")
            )["EgressOnlyInternetGateway"]["EgressOnlyInternetGatewayId"]
        ),
        _by("ec2", "delete_egress_only_internet_gateway", "EgressOnlyInternetGatewayId"),
    ),
    "AWS::EC2::Subnet": Row(_subnet, _by("ec2", "delete_subnet", "SubnetId")),
    "AWS::EC2::RouteTable": Row(
        lambda clients, given: str(
            clients.ec2.create_route_table(**given.take("VpcId"), TagSpecifications=given.tags("route-table"))[
                "RouteTable"
            ]["RouteTableId"]
        ),
        _by("ec2", "delete_route_table", "RouteTableId"),
    ),
    "AWS::EC2::Route": Row(_route, _end_route),
    "AWS::EC2::SubnetRouteTableAssociation": Row(
        lambda clients, given: str(
            clients.ec2.associate_route_table(**given.take("RouteTableId", "SubnetId"))["AssociationId"]
        ),
        _by("ec2", "disassociate_route_table", "AssociationId"),
    ),
    "AWS::EC2::SecurityGroup": Row(_group, _by("ec2", "delete_security_group", "GroupId")),
    "AWS::EC2::SecurityGroupIngress": Row(_rule("ingress"), _end_rule("ingress")),
    "AWS::EC2::SecurityGroupEgress": Row(_rule("egress"), _end_rule("egress")),
    "AWS::EC2::Volume": Row(_volume, _by("ec2", "delete_volume", "VolumeId")),
    "AWS::EC2::EIP": Row(
        _address,
        lambda clients, identifier, properties: clients.ec2.release_address(
            AllocationId=_allocation(clients, identifier)
        ),
        _allocation,
    ),
    "AWS::EC2::NatGateway": Row(_nat_gateway, _by("ec2", "delete_nat_gateway", "NatGatewayId")),
    "AWS::EC2::KeyPair": Row(_key_pair, _by("ec2", "delete_key_pair", "KeyName")),
    "AWS::EC2::LaunchTemplate": Row(
        _launch_template,
        _by("ec2", "delete_launch_template", "LaunchTemplateId"),
        _latest_version,
        _another_version,
    ),
    "AWS::AutoScaling::AutoScalingGroup": Row(_scaling_group, _end_scaling_group, change=_change_scaling_group),
    "AWS::AutoScaling::LifecycleHook": Row(_hook, _end_hook),
    "AWS::AutoScaling::WarmPool": Row(_warm_pool, _end_warm_pool),
    "AWS::ElasticLoadBalancingV2::LoadBalancer": Row(
        _balancer, _by("elbv2", "delete_load_balancer", "LoadBalancerArn"), _balancer_attribute
    ),
    "AWS::ElasticLoadBalancingV2::TargetGroup": Row(
        _target_group, _by("elbv2", "delete_target_group", "TargetGroupArn")
    ),
    "AWS::ElasticLoadBalancingV2::Listener": Row(_listener, _by("elbv2", "delete_listener", "ListenerArn")),
    "AWS::IAM::Role": Row(
        _role, _end_role, lambda clients, identifier, name: clients.iam.get_role(RoleName=identifier)["Role"][name]
    ),
    "AWS::IAM::RolePolicy": Row(
        _role_policy,
        lambda clients, identifier, properties: clients.iam.delete_role_policy(
            RoleName=properties["RoleName"], PolicyName=properties["PolicyName"]
        ),
    ),
    "AWS::IAM::InstanceProfile": Row(_profile, _end_profile),
    "AWS::IAM::OIDCProvider": Row(
        _oidc_provider, _by("iam", "delete_open_id_connect_provider", "OpenIDConnectProviderArn")
    ),
    "AWS::Route53::RecordSet": Row(_record, _end_record),
    "AWS::Events::Rule": Row(_event_rule, _end_event_rule),
    "AWS::SQS::Queue": Row(_queue, _by("sqs", "delete_queue", "QueueUrl"), _queue_attribute),
    "AWS::SQS::QueuePolicy": Row(_queue_policy, _nothing),
}


def _actual_group(clients: Clients, identifier: str) -> Properties | None:
    found = clients.autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=[identifier])["AutoScalingGroups"]
    return {name: found[0][name] for name in _SIZES} if found else None


def _actual_rule(clients: Clients, identifier: str) -> Properties | None:
    wanted = [{"Name": "security-group-rule-id", "Values": [identifier]}]
    found = clients.ec2.describe_security_group_rules(Filters=wanted)["SecurityGroupRules"]
    found = [each for each in found if each["SecurityGroupRuleId"] == identifier]
    return {"IpProtocol": found[0]["IpProtocol"]} if found else None


# Kinds -> properties as they are now; None for what is gone.
ACTUAL: dict[str, Callable[[Clients, str], Properties | None]] = {
    "AWS::AutoScaling::AutoScalingGroup": _actual_group,
    "AWS::EC2::SecurityGroupIngress": _actual_rule,
}


@dataclass
class Resource:
    """A resource of a stack, as moto handles it. properties: it was made with."""

    clients: Clients
    type: str
    physical_resource_id: str
    properties: Properties
    logical_resource_id: str = ""
    cf_resource_type: str = field(default="")

    def is_created(self) -> bool:
        """All are made at once."""
        return True

    def get_cfn_attribute(self, name: str) -> Any:
        """What Fn::GetAtt gives."""
        found = ROWS[self.type].attribute(self.clients, self.physical_resource_id, name)
        if found is None:
            raise ValueError(f"{self.type} has no attribute {name}")
        return found

    def delete(self, account: str, region: str) -> None:
        """With the stack, or because the template has it no more."""
        ROWS[self.type].end(self.clients, self.physical_resource_id, self.properties)


# The physical id of what the next resource is, if it is there already.
TAKEN_IN: list[str] = []


def make_stacks_of_services(url: str) -> None:
    """Let moto's stacks be made of these rows. url: of the server itself."""
    from flask import request as current_request
    from moto.cloudformation import parsing
    from moto.cloudformation.exceptions import ValidationError
    from moto.cloudformation.models import CloudFormationBackend
    from moto.core.common_models import CloudFormationModel

    clients = Clients(url)

    def make(type_: str, properties: Properties) -> Resource:
        if TAKEN_IN:
            return Resource(clients, type_, TAKEN_IN.pop(), properties)
        given = Given(properties)
        identifier = ROWS[type_].make(clients, given)
        given.finish(type_)
        return Resource(clients, type_, identifier, properties, cf_resource_type=type_)

    def model_of(type_: str) -> type[CloudFormationModel]:
        class Model(CloudFormationModel):
            @staticmethod
            def cloudformation_name_type() -> str:
                return ""

            @staticmethod
            def cloudformation_type() -> str:
                return type_

            @classmethod
            def has_cfn_attr(cls, attr: str) -> bool:
                return True

            @classmethod
            def create_from_cloudformation_json(
                cls, resource_name: str, cloudformation_json: Properties, account_id: str, region_name: str, **more: Any
            ) -> Any:
                return make(type_, cloudformation_json["Properties"])

            @classmethod
            def update_from_cloudformation_json(
                cls,
                original_resource: Any,
                new_resource_name: str,
                cloudformation_json: Properties,
                account_id: str,
                region_name: str,
            ) -> Any:
                properties, change = cloudformation_json["Properties"], ROWS[type_].change
                if change is None:
                    made = make(type_, properties)
                    original_resource.delete(account_id, region_name)
                    return made
                given = Given(properties)
                change(clients, original_resource.physical_resource_id, given)
                given.finish(type_)
                original_resource.properties = properties
                return original_resource

        return Model

    models = {type_: model_of(type_) for type_ in ROWS}

    def model(type_: str) -> type[CloudFormationModel]:
        if type_ not in models:
            raise ValueError(f"no stack here has {type_}")
        return models[type_]

    def create(logical_id: str, resource_json: Properties, resources_map: Any, *arguments: Any, **more: Any) -> Any:
        """moto passes over the order that a resource asks for, if another one refers to it."""
        for each in resource_json.get("DependsOn", ()):
            resources_map[each]
        return known(logical_id, resource_json, resources_map, *arguments, **more)

    def resolve(value: Any, resources_map: Any) -> Any:
        """moto does not know Fn::Cidr."""
        if not isinstance(value, dict) or "Fn::Cidr" not in value:
            return plain(value, resources_map)
        block, count, bits = (parsing.clean_json(each, resources_map) for each in value["Fn::Cidr"])
        network = ipaddress.ip_network(block)
        return [str(each) for each in itertools.islice(network.subnets(new_prefix=network.max_prefixlen - bits), count)]

    def by_object(self: Any, stack_name: str | None, logical_id: str | None) -> Any:
        """moto asks for a stack where AWS takes the id of an object as well; kept ones are no stack's any more."""
        wanted = current_request.values.get("PhysicalResourceId")
        if not wanted:
            return ask(self, stack_name, logical_id)
        for stack in self.stacks.values():
            found = [each for each in stack.stack_resources if each.physical_resource_id == wanted]
            if found:
                return stack, found
        raise ValidationError(wanted, f"Stack for {wanted} does not exist")

    ask, CloudFormationBackend.describe_stack_resources = CloudFormationBackend.describe_stack_resources, by_object
    plain, parsing.clean_json = parsing.clean_json, resolve
    known = parsing.parse_and_create_resource
    parsing.parse_and_create_resource = create
    parsing.resource_class_from_type = model
    parsing.resource_name_property_from_type = lambda type_: None
