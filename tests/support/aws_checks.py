# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS checks before it does what a call of the SDK asks for: IAM actions, on which objects, with which tags.

Source: AWS' Service Authorization Reference (actions, resources and condition keys of each service).
"""

from __future__ import annotations

import contextlib
import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import botocore.client

Tags = dict[str, str]
# Makes a call of the SDK that is not noted: operation, parameters -> the answer.
Ask = Callable[[str, dict[str, Any]], Any]


class APICall(NamedTuple):
    """A call of the SDK: service and operation as the SDK names them, and its parameters.

    tags: those that its objects had then, by what the parameters name them by.
    """

    service: str
    operation: str
    parameters: dict[str, Any]
    tags: dict[str, Tags]


class Check(NamedTuple):
    """An action on an object. context: condition keys and their values."""

    action: str
    arn: str
    context: dict[str, Any]


# The prefix of a service's actions, where it is not the service's name.
PREFIXES = {"elb": "elasticloadbalancing", "elbv2": "elasticloadbalancing"}
# S3's actions have names of their own.
S3 = {
    "AbortMultipartUpload": "AbortMultipartUpload",
    "CompleteMultipartUpload": "PutObject",
    "CreateMultipartUpload": "PutObject",
    "DeleteObjects": "DeleteObject",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "HeadBucket": "ListBucket",
    "HeadObject": "GetObject",
    "ListObjectsV2": "ListBucket",
    "UploadPart": "PutObject",
}
# Service and parameter with tags -> the action that AWS checks besides.
TAGGING = {
    ("ec2", "TagSpecifications"): "ec2:CreateTags",
    ("elbv2", "Tags"): "elasticloadbalancing:AddTags",
    ("autoscaling", "Tags"): "autoscaling:CreateOrUpdateTags",
    ("events", "Tags"): "events:TagResource",
    ("sqs", "tags"): "sqs:TagQueue",
}
# Operation -> further actions that AWS checks, as its service authorization reference says.
BESIDES = {
    "autoscaling.CreateAutoScalingGroup": ("ec2:RunInstances", "iam:PassRole", "iam:CreateServiceLinkedRole"),
    "autoscaling.UpdateAutoScalingGroup": ("ec2:RunInstances", "iam:PassRole"),
    "elbv2.CreateLoadBalancer": ("iam:CreateServiceLinkedRole",),
    "iam.AddRoleToInstanceProfile": ("iam:PassRole",),
    "iam.CreateInstanceProfile": ("iam:TagInstanceProfile",),
    "iam.CreateOpenIDConnectProvider": ("iam:TagOpenIDConnectProvider",),
    "iam.CreateRole": ("iam:TagRole",),
    "route53.AssociateVPCWithHostedZone": ("ec2:DescribeVpcs",),
    "route53.CreateHostedZone": ("ec2:DescribeVpcs",),
    # Public files (issuer discovery), unless the bucket's policy makes them public.
    "s3.PutObject": ("s3:PutObjectAcl",),
}
# Parameters of a group with what it starts.
LAUNCHING = {"LaunchTemplate", "MixedInstancesPolicy"}
READING = ("Describe", "Get", "List", "Head")
# How EC2's identifiers begin -> the type in the object's ARN.
TYPES = {
    "dopt": "dhcp-options",
    "eigw": "egress-only-internet-gateway",
    "eipalloc": "elastic-ip",
    "eni": "network-interface",
    "i": "instance",
    "igw": "internet-gateway",
    "lt": "launch-template",
    "nat": "natgateway",
    "rtb": "route-table",
    "sg": "security-group",
    "sgr": "security-group-rule",
    "subnet": "subnet",
    "vol": "volume",
    "vpc": "vpc",
}
# Objects that these only name are not checked.
NOT_CHECKED = {
    "CreateRoute": ("EgressOnlyInternetGatewayId", "GatewayId", "NatGatewayId"),
    "ReplaceRoute": ("EgressOnlyInternetGatewayId", "GatewayId", "NatGatewayId"),
}
WHERE = "us-east-1:123456789012"


def is_reading(action: str) -> bool:
    """Whether an action changes nothing. action: "ec2:DescribeVpcs", or an operation without a service."""
    return action.rpartition(":")[2].startswith(READING)


def action_of(call: APICall) -> str:
    """The IAM action of a call's own operation."""
    name = S3.get(call.operation, call.operation) if call.service == "s3" else call.operation
    return f"{PREFIXES.get(call.service, call.service)}:{name}"


def actions_of(call: APICall) -> set[str]:
    """All IAM actions that AWS checks for a call."""
    tagging = {
        action for (service, key), action in TAGGING.items() if service == call.service and call.parameters.get(key)
    }
    besides = BESIDES.get(f"{call.service}.{call.operation}", ())
    if call.operation == "UpdateAutoScalingGroup" and not call.parameters.keys() & LAUNCHING:
        # Another size, for example: nothing is said of what is started.
        besides = ()
    return {action_of(call)} | tagging | set(besides)


@contextlib.contextmanager
def calls_to_aws() -> Iterator[list[APICall]]:
    """The calls of the SDK in this process while the block runs."""
    made: list[APICall] = []
    make = botocore.client.BaseClient._make_api_call

    def noted(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
        service = self.meta.service_model.service_name

        def ask(operation: str, parameters: dict[str, Any]) -> Any:
            return make(self, operation, parameters)

        tags = {} if is_reading(operation) else _tags(service, operation, parameters, ask)
        made.append(APICall(service, operation, parameters, tags))
        return make(self, operation, parameters)

    botocore.client.BaseClient._make_api_call = noted
    try:
        yield made
    finally:
        botocore.client.BaseClient._make_api_call = make


# -- on which objects ------------------------------------------------------------------------------------------------


def checks_of(call: APICall) -> list[Check]:
    """The checks of a call on EC2, Auto Scaling, Elastic Load Balancing, EventBridge, IAM, SQS or Route 53."""
    action = action_of(call)
    if is_reading(action):
        return [Check(action, "*", {})]
    return list(_CHECKS[call.service](call, action))


def _ec2(call: APICall, action: str) -> Iterator[Check]:
    requested = _requested(_pairs(call.parameters.get("Tags")))
    for identifier, tags in call.tags.items():
        kind = TYPES[identifier.partition("-")[0]]
        yield Check(action, f"arn:aws:ec2:{WHERE}:{kind}/{identifier}", {**_present(tags), **requested})
    for kind, tags in _specified(call.parameters.get("TagSpecifications")):
        name = call.parameters["KeyName"] if kind == "key-pair" else "new"
        arn = f"arn:aws:ec2:{WHERE}:{kind}/{name}"
        yield Check(action, arn, _requested(tags))
        yield Check("ec2:CreateTags", arn, {**_requested(tags), "ec2:CreateAction": call.operation})
    for kind, tags in _specified(call.parameters.get("LaunchTemplateData", {}).get("TagSpecifications")):
        # Whoever gives a template to a group must be allowed to start its instances.
        arn = f"arn:aws:ec2:{WHERE}:{kind}/new"
        yield Check("ec2:RunInstances", arn, _requested(tags))
        yield Check("ec2:CreateTags", arn, {**_requested(tags), "ec2:CreateAction": "RunInstances"})
    if "LaunchTemplateData" in call.parameters:
        for kind in ("image", "key-pair", "launch-template", "security-group", "subnet"):
            yield Check("ec2:RunInstances", f"arn:aws:ec2:{WHERE}:{kind}/any", {})
    if call.operation == "DeleteKeyPair":
        yield Check(action, f"arn:aws:ec2:{WHERE}:key-pair/{call.parameters['KeyName']}", {})


def _autoscaling(call: APICall, action: str) -> Iterator[Check]:
    requested = _requested(_pairs(call.parameters.get("Tags")))
    for name, tags in call.tags.items():
        arn = f"arn:aws:autoscaling:{WHERE}:autoScalingGroup:*:autoScalingGroupName/{name}"
        yield Check(action, arn, {**_present(tags), **requested})
        if call.operation == "CreateAutoScalingGroup":
            yield Check("autoscaling:CreateOrUpdateTags", arn, requested)


def _load_balancing(call: APICall, action: str) -> Iterator[Check]:
    requested = _requested(_pairs(call.parameters.get("Tags")))
    for arn, tags in call.tags.items():
        yield Check(action, arn, {**_present(tags), **requested})
    if call.operation in ("CreateLoadBalancer", "CreateTargetGroup"):
        kind = "loadbalancer/net" if call.operation == "CreateLoadBalancer" else "targetgroup"
        arn = f"arn:aws:elasticloadbalancing:{WHERE}:{kind}/{call.parameters['Name']}/new"
        yield Check(action, arn, requested)
        yield Check(
            "elasticloadbalancing:AddTags", arn, {**requested, "elasticloadbalancing:CreateAction": call.operation}
        )


def _events(call: APICall, action: str) -> Iterator[Check]:
    rule = call.parameters.get("Rule") or call.parameters["Name"]
    arn = f"arn:aws:events:{WHERE}:rule/{rule}"
    yield Check(action, arn, {})
    if call.parameters.get("Tags"):
        yield Check("events:TagResource", arn, {})


def _iam(call: APICall, action: str) -> Iterator[Check]:
    requested = _requested(_pairs(call.parameters.get("Tags")))
    besides = actions_of(call) - {action, "iam:PassRole"}
    if "OpenIDConnectProvider" in call.operation:
        for arn, tags in call.tags.items() or [("arn:aws:iam::123456789012:oidc-provider/new", {})]:
            for each in (action, *besides):
                yield Check(each, arn, {**_present(tags), **requested})
        return
    role = f"arn:aws:iam::123456789012:role/{call.parameters.get('RoleName')}"
    profile = f"arn:aws:iam::123456789012:instance-profile/{call.parameters.get('InstanceProfileName')}"
    for each in (action, *besides):
        yield Check(each, profile if "InstanceProfileName" in call.parameters else role, requested)
    if call.operation == "AddRoleToInstanceProfile":
        yield Check("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"})


def _sqs(call: APICall, action: str) -> Iterator[Check]:
    name = call.parameters.get("QueueName") or call.parameters["QueueUrl"].rpartition("/")[2]
    for each in sorted({action} | actions_of(call)):
        yield Check(each, f"arn:aws:sqs:{WHERE}:{name}", {})


def _route53(call: APICall, action: str) -> Iterator[Check]:
    changes = call.parameters.get("ChangeBatch", {}).get("Changes", ())
    names = sorted({change["ResourceRecordSet"]["Name"].rstrip(".") for change in changes})
    context = {"route53:ChangeResourceRecordSetsNormalizedRecordNames": names} if names else {}
    yield Check(action, "arn:aws:route53:::hostedzone/Z1" if "HostedZoneId" in call.parameters else "*", context)


_CHECKS: dict[str, Callable[[APICall, str], Iterator[Check]]] = {
    "autoscaling": _autoscaling,
    "ec2": _ec2,
    "elbv2": _load_balancing,
    "events": _events,
    "iam": _iam,
    "route53": _route53,
    "sqs": _sqs,
}


def _requested(tags: Mapping[str, str]) -> dict[str, Any]:
    return {f"aws:RequestTag/{key}": value for key, value in tags.items()}


def _present(tags: Mapping[str, str]) -> dict[str, Any]:
    return {f"aws:ResourceTag/{key}": value for key, value in tags.items()}


def _pairs(tags: Iterable[Mapping[str, Any]] | None) -> Tags:
    return {tag["Key"]: tag.get("Value", "") for tag in tags or ()}


def _specified(specifications: Iterable[Mapping[str, Any]] | None) -> Iterator[tuple[str, Tags]]:
    for each in specifications or ():
        yield each["ResourceType"], _pairs(each["Tags"])


# -- with which tags -------------------------------------------------------------------------------------------------


def _tags(service: str, operation: str, parameters: Mapping[str, Any], ask: Ask) -> dict[str, Tags]:
    if service == "ec2":
        return {name: _ec2_tags(name, ask) for name in _ec2_objects(operation, parameters, ask)}
    if service == "autoscaling":
        return _autoscaling_tags(parameters, ask)
    if service == "elbv2":
        arns = [parameters[key] for key in ("LoadBalancerArn", "TargetGroupArn", "ListenerArn") if key in parameters]
        return {arn: _pairs(ask("DescribeTags", {"ResourceArns": [arn]})["TagDescriptions"][0]["Tags"]) for arn in arns}
    if "OpenIDConnectProviderArn" in parameters:
        arn = parameters["OpenIDConnectProviderArn"]
        return {arn: _pairs(ask("ListOpenIDConnectProviderTags", {"OpenIDConnectProviderArn": arn})["Tags"])}
    return {}


def _ec2_objects(operation: str, parameters: Mapping[str, Any], ask: Ask) -> Iterator[str]:
    for key, value in parameters.items():
        if key in NOT_CHECKED.get(operation, ()):
            continue
        for name in value if isinstance(value, list) else [value]:
            if not isinstance(name, str):
                continue
            if name.startswith("rtbassoc-"):
                chosen = {"Name": "association.route-table-association-id", "Values": [name]}
                (table,) = ask("DescribeRouteTables", {"Filters": [chosen]})["RouteTables"]
                yield table["RouteTableId"]
                yield from (
                    each["SubnetId"] for each in table["Associations"] if each["RouteTableAssociationId"] == name
                )
            elif key.endswith(("Id", "Ids", "Resources")) and name.partition("-")[0] in TYPES:
                yield name


def _ec2_tags(name: str, ask: Ask) -> Tags:
    return _pairs(ask("DescribeTags", {"Filters": [{"Name": "resource-id", "Values": [name]}]})["Tags"])


def _autoscaling_tags(parameters: Mapping[str, Any], ask: Ask) -> dict[str, Tags]:
    names = {parameters["AutoScalingGroupName"]} if "AutoScalingGroupName" in parameters else set()
    names |= {tag["ResourceId"] for tag in parameters.get("Tags", ())}
    found = ask("DescribeAutoScalingGroups", {"AutoScalingGroupNames": sorted(names)})["AutoScalingGroups"]
    return {**{name: {} for name in names}, **{group["AutoScalingGroupName"]: _pairs(group["Tags"]) for group in found}}


# -- and what a policy says ------------------------------------------------------------------------------------------


def allows(policies: Iterable[Mapping[str, Any]], check: Check) -> bool:
    """Whether a statement of the policies allows it. Raises KeyError for operators of conditions that are not known."""
    return any(_fits(statement, check) for policy in policies for statement in policy["Statement"])


def _fits(statement: Mapping[str, Any], check: Check) -> bool:
    if check.action not in statement["Action"]:
        return False
    if "NotResource" in statement:
        return not _named(statement["NotResource"], check.arn) and _holds(statement, check)
    return _named(statement["Resource"], check.arn) and _holds(statement, check)


def _named(patterns: str | list[str], arn: str) -> bool:
    return any(fnmatch.fnmatchcase(arn, pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns))


def _holds(statement: Mapping[str, Any], check: Check) -> bool:
    return all(
        _OPERATORS[operator](check.context.get(key), wanted)
        for operator, keys in statement.get("Condition", {}).items()
        for key, wanted in keys.items()
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "StringEquals": lambda found, wanted: found is not None and found in _listed(wanted),
    "Null": lambda found, wanted: (found is None) == (wanted == "true"),
    "ForAllValues:StringLike": lambda found, wanted: all(
        any(fnmatch.fnmatchcase(each, pattern) for pattern in _listed(wanted)) for each in found or ()
    ),
}
