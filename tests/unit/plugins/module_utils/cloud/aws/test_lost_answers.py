# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests are sent again when their answer is lost, and which are left to a look at what exists."""

from __future__ import annotations

import re
import urllib.parse
from typing import Any

import botocore.session
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.errors import is_conflict
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.lost_answers import ONCE
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.lost_answers import lose_answers
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.cloud.aws.conftest import CLUSTER, REGION
from botocore import xform_name
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError, ConnectTimeoutError

# What makes or links something, and may therefore do more when it is done twice.
MAKES = ("Allocate", "Add", "Associate", "Attach", "Authorize", "Copy", "Create", "Import", "Register", "Run")
# Operations with such names that do nothing when they are done again, and why.
HARMLESS = {
    "AddClientIDToOpenIDConnectProvider": "IAM takes an audience that it has",
    "AddTags": "tags are set",
    "AttachLoadBalancerTargetGroups": "what is attached stays so",
    "AttachLoadBalancers": "what is attached stays so",
    "AttachRolePolicy": "what is attached stays so",
    "AssociateDhcpOptions": "the VPC's are set",
    "CreateOrUpdateTags": "tags are set",
    "CreateQueue": "of the same attributes, SQS gives the queue that is there",
    "CreateTags": "tags are set",
}


@pytest.fixture
def cloud(moto_server: str) -> AWSCloud:
    """With clients of its own."""
    return AWSCloud(REGION, CLUSTER)


def operations() -> dict[str, set[str]]:
    """Service -> the operations that tasks of AWS name."""
    texts = [path.read_text() for path in (ROOT / "plugins/module_utils/cloud/aws/tasks").glob("*.py")]
    called = {name for text in texts for name in re.findall(r"\b([a-z0-9]+(?:_[a-z0-9]+)+)\b", text)}
    session = botocore.session.get_session()
    services = ("ec2", "autoscaling", "elbv2", "iam", "route53", "sqs", "events")
    models = {service: session.get_service_model(service) for service in services}
    return {
        service: {name for name in model.operation_names if xform_name(name) in called}
        for service, model in models.items()
    }


def test_every_operation_that_makes_something_is_in_the_table() -> None:
    used = operations()
    assert {"CreateVpc", "AllocateAddress"} <= used["ec2"]
    for service, names in used.items():
        making = {name for name in names if name.startswith(MAKES)}
        assert making <= ONCE.get(service, {}).keys() | HARMLESS.keys()
    assert HARMLESS.keys().isdisjoint(name for table in ONCE.values() for name in table)


# How members are called that take a token.
TOKENS = {"ClientToken", "ClientRequestToken"}


def test_the_table_has_operations_and_tokens_of_aws() -> None:
    session = botocore.session.get_session()
    for service, table in ONCE.items():
        model = session.get_service_model(service)
        for operation, token in table.items():
            members = model.operation_model(operation).input_shape.members
            assert not token or (token in members and token in TOKENS)
            assert token or members.keys().isdisjoint(TOKENS), f"{operation} takes a token"


def tokens(sent: list[bytes]) -> set[str]:
    return {urllib.parse.parse_qs(body if isinstance(body, str) else body.decode())["ClientToken"][0] for body in sent}


def test_a_request_with_a_token_is_sent_again(cloud: AWSCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    ec2 = cloud.client("ec2")
    sent = lose_answers(monkeypatch, ec2, times=2)
    made = ec2.create_volume(AvailabilityZone="us-east-1a", Size=1)["VolumeId"]
    assert len(sent) == 3
    assert [volume["VolumeId"] for volume in ec2.describe_volumes()["Volumes"]] == [made]
    # Each call has one of its own: what is deleted is made anew.
    ec2.delete_volume(VolumeId=made)
    sent.clear()
    sent += [b"ClientToken=none"] * 3
    assert ec2.create_volume(AvailabilityZone="us-east-1a", Size=1)["VolumeId"] != made
    assert tokens(sent[3:]).isdisjoint({"none"})


def test_one_that_the_sdk_knows_of_no_token_for_gets_one(cloud: AWSCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    ec2 = cloud.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]["VpcId"]
    sent = lose_answers(monkeypatch, ec2)
    ec2.create_egress_only_internet_gateway(VpcId=vpc)
    assert len(sent) == 2
    assert len(tokens(sent)) == 1
    assert len(ec2.describe_egress_only_internet_gateways()["EgressOnlyInternetGateways"]) == 1


def test_one_without_is_not_sent_again(cloud: AWSCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    ec2 = cloud.client("ec2")
    sent = lose_answers(monkeypatch, ec2)
    with pytest.raises(AnswerLost, match="the answer of AWS to CreateInternetGateway was lost"):
        ec2.create_internet_gateway()
    assert len(sent) == 1
    assert len(ec2.describe_internet_gateways()["InternetGateways"]) == 1


@pytest.mark.parametrize(
    ("status", "code", "lost"),
    [(500, "InternalError", True), (502, "", True), (503, "RequestLimitExceeded", False), (400, "Throttling", False)],
)
def test_a_server_error_is_no_answer_and_a_limit_is_one(
    cloud: AWSCloud, monkeypatch: pytest.MonkeyPatch, status: int, code: str, lost: bool
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)
    ec2, sent = cloud.client("ec2"), list[str]()
    body = f"<Response><Errors><Error><Code>{code}</Code></Error></Errors></Response>" if code else "<html>"

    def answer(request: Any, **_event: Any) -> AWSResponse | None:
        sent.append(request.url)
        if len(sent) > 1:
            return None
        response = AWSResponse(request.url, status, {}, None)
        response._content = body.encode()
        return response

    ec2.meta.events.register("before-send", answer)
    if lost:
        with pytest.raises(AnswerLost, match=f"{status} {code}".strip()):
            ec2.create_internet_gateway()
    else:
        ec2.create_internet_gateway()
    assert len(sent) == (1 if lost else 2)


def test_what_was_not_sent_is_sent_again(cloud: AWSCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)
    ec2, attempts = cloud.client("ec2"), list[str]()

    def refuse(request: Any, **_event: Any) -> None:
        attempts.append(request.url)
        if len(attempts) == 1:
            raise ConnectTimeoutError(endpoint_url=request.url)

    ec2.meta.events.register("before-send", refuse)
    ec2.create_internet_gateway()
    assert len(attempts) == 2


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        *((code, True) for code in ("InvalidSubnet.Conflict", "InvalidGroup.Duplicate", "RouteAlreadyExists")),
        *((code, True) for code in ("EntityAlreadyExists", "LimitExceeded", "VpcLimitExceeded", "DuplicateListener")),
        *((code, True) for code in ("InvalidLaunchTemplateName.AlreadyExistsException", "Resource.AlreadyAssociated")),
        *((code, False) for code in ("RequestLimitExceeded", "Throttling", "InvalidVpcID.NotFound", "AccessDenied")),
    ],
)
def test_which_errors_say_that_it_is_there_already(code: str, expected: bool) -> None:
    assert is_conflict(ClientError({"Error": {"Code": code}}, "Create")) is expected
