# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a bootstrap server believes, where AWS itself fails; tests/integration/test_bootstrap_server.py has the rest."""

from __future__ import annotations

import datetime
import io
import urllib.error
from xml.etree import ElementTree

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import identity, verification
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.verification import AWSVerifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.verdicts import Busy
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import Evidence, Refused, Unavailable
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support import verifier_contract as contract

CLUSTER, BODY, INSTANCE = "demo.example.com", b"{}", "i-0123456789abcdef0"
STS = "https://sts.us-east-1.amazonaws.com/"
CREDENTIALS = Credentials("ASIAABCDEFGHIJKLMNOP", "secret", "token")
ADMISSION = Admission(Rate(1000, 1000), 1, 1)
# The part of the contract that STS sees to.
STS_SAYS = "an_altered_proof_is_refused"


def who(arn: str) -> str:
    return f"<R><GetCallerIdentityResult><Arn>{arn}</Arn></GetCallerIdentityResult></R>"


WORKER = f"arn:aws:sts::123456789012:assumed-role/nodes.{CLUSTER}/{INSTANCE}"


class AWS:
    """answers: of operations, XML or the error that is raised. asked: operations so far.

    sts, errors: the answer to workers.
    """

    region = "us-east-1"
    sts: str = ""

    def __init__(self) -> None:
        self.answers: dict[str, str | Exception] = {
            "GetCallerIdentity": who(f"arn:aws:sts::123456789012:assumed-role/masters.{CLUSTER}/i-0f"),
            "DescribeInstances": instances("running"),
        }
        self.asked: list[str] = []
        self.errors: list[Exception] = []

    def endpoint(self, service: str) -> str:
        return STS

    def call(self, service: str, action: str, parameters: dict[str, str]) -> ElementTree.Element:
        self.asked.append(action)
        answer = self.answers[action]
        if isinstance(answer, Exception):
            raise answer
        return ElementTree.fromstring(answer)


def instances(state: str, address: str = "<privateIpAddress>10.0.0.7</privateIpAddress>", count: int = 1) -> str:
    tags = f"<item><key>KubernetesCluster</key><value>{CLUSTER}</value></item>"
    tags += "<item><key>kops.k8s.io/instancegroup</key><value>nodes-a</value></item>"
    item = f"<item><instanceId>{INSTANCE}</instanceId><instanceState><name>{state}</name></instanceState>"
    item += f"{address}<tagSet>{tags}</tagSet></item>"
    return f"<R><reservationSet><item><instancesSet>{item * count}</instancesSet></item></reservationSet></R>"


@pytest.fixture(name="aws")
def make_aws(monkeypatch):
    """The services; STS answers workers with what is in `sts`."""
    made = AWS()
    made.sts = who(WORKER)

    def post(url, body, headers):
        assert (url, body) == (STS, identity.REQUEST)
        made.asked.append("worker's GetCallerIdentity")
        for error in made.errors:
            raise error
        return made.sts.encode()

    monkeypatch.setattr(verification, "post", post)
    return made


def identify(aws, admission=ADMISSION, **more):
    proof = identity.token(BODY, STS, "us-east-1", CREDENTIALS)
    return AWSVerifier(aws, CLUSTER, [f"nodes.{CLUSTER}"], **more).identify(
        Evidence(proof, BODY, "192.0.2.1"), admission
    )


class Party:
    """A worker of AWS, for the contract of verifiers."""

    node, address = INSTANCE, "10.0.0.7"

    def __init__(self, aws):
        self.aws = aws

    def verifier(self):
        return AWSVerifier(self.aws, CLUSTER, [f"nodes.{CLUSTER}"])

    def proof(self, body, age=0):
        moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=age)
        return identity.token(body, STS, "us-east-1", CREDENTIALS, moment)

    def end(self):
        self.aws.answers["DescribeInstances"] = instances("terminated")

    def leave(self):
        self.aws.answers["DescribeInstances"] = instances("running").replace(CLUSTER, "other.example.com")

    def break_off(self):
        self.aws.errors = [OSError("timed out")]

    def asked(self):
        return len(self.aws.asked)


@pytest.mark.parametrize(
    "check", [each for each in contract.CHECKS if each is not contract.an_altered_proof_is_refused]
)
def test_it_keeps_the_contract(aws, check):
    """That a signature is wrong is what STS finds out: tests/integration/test_bootstrap_server.py."""
    check(Party(aws))


def http_error(status, code):
    content = f"<E><Error><Code>{code}</Code><Message>said</Message></Error></E>".encode()
    return urllib.error.HTTPError(STS, status, "Reason", {}, io.BytesIO(content))


def test_an_instance_is_what_sts_and_ec2_say(aws):
    found = identify(aws)
    assert (found.group, found.node) == ("nodes-a", INSTANCE)
    assert found.facts["INTERNAL_IP"] == "10.0.0.7"


def test_nodes_may_be_named_by_their_addresses(aws):
    """Of the address that EC2 gives, never one of a request."""
    assert identify(aws, named_by_address=True).node == "ip-10-0-0-7.ec2.internal"


def test_an_instance_with_ipv6_only_has_that_address(aws):
    address = "<networkInterfaceSet><item><ipv6AddressesSet><item><ipv6Address>fd00::7</ipv6Address></item>"
    aws.answers["DescribeInstances"] = instances(
        "pending", f"{address}</ipv6AddressesSet></item></networkInterfaceSet>"
    )
    assert identify(aws).facts["INTERNAL_IP"] == "fd00::7"


@pytest.mark.parametrize(
    "error",
    [http_error(503, "ServiceUnavailable"), http_error(429, ""), http_error(400, "Throttling"), OSError("timed out")],
    ids=str,
)
def test_sts_that_does_not_answer_is_no_refusal(aws, error):
    aws.errors = [error]
    with pytest.raises(Unavailable):
        identify(aws)


def test_what_sts_refuses_is_refused(aws):
    aws.errors = [http_error(403, "ExpiredToken")]
    with pytest.raises(Refused, match="ExpiredToken"):
        identify(aws)


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("DescribeInstances", ServiceError("ec2", 503, "RequestLimitExceeded")),
        ("DescribeInstances", OSError("timed out")),
        ("GetCallerIdentity", ServiceError("sts", 0, "", "timed out")),
    ],
)
def test_other_calls_that_fail_are_no_refusal(aws, action, error):
    aws.answers[action] = error
    with pytest.raises(Unavailable):
        identify(aws)


@pytest.mark.parametrize("answer", [instances("running", count=0), instances("running", count=2)])
def test_an_instance_must_be_known_once(aws, answer):
    aws.answers["DescribeInstances"] = answer
    with pytest.raises(Refused, match="knows no instance"):
        identify(aws)


@pytest.mark.parametrize("state", ["shutting-down", "terminated", "stopping", "stopped", ""])
def test_an_instance_must_be_alive(aws, state):
    aws.answers["DescribeInstances"] = instances(state)
    with pytest.raises(Refused, match=f"instance {INSTANCE} is {state}"):
        identify(aws)


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:iam::123456789012:user/nodes",
        "arn:aws:sts::123456789012:federated-user/nodes",
        "arn:aws-cn:sts::123456789012:assumed-role/nodes.demo.example.com/i-0123456789abcdef0",
        "arn:aws:sts::123456789012:assumed-role/nodes.demo.example.com/i-0123456789abcdef0/x",
        "arn:aws:sts::123456789012:assumed-role/nodes.demo.example.com.evil/i-0123456789abcdef0",
        "rubbish",
        "",
    ],
)
def test_other_identities_are_refused_before_ec2_is_asked(aws, arn):
    aws.sts = who(arn)
    with pytest.raises(Refused):
        identify(aws)
    assert "DescribeInstances" not in aws.asked


def test_nothing_is_asked_where_too_much_was_asked_already(aws):
    with pytest.raises(Busy):
        identify(aws, Admission(Rate(0, 0), 1, 1))
    assert aws.asked == []


def test_the_server_asks_for_its_own_account_until_it_knows_it(aws):
    proof = identity.token(BODY, STS, "us-east-1", CREDENTIALS)
    made = AWSVerifier(aws, CLUSTER, [f"nodes.{CLUSTER}"])
    known, aws.answers["GetCallerIdentity"] = aws.answers["GetCallerIdentity"], ServiceError("sts", 500)
    with pytest.raises(Unavailable, match="own account"):
        made.identify(Evidence(proof, BODY, ""), ADMISSION)
    aws.answers["GetCallerIdentity"] = known
    for _count in range(2):
        assert made.identify(Evidence(proof, BODY, ""), ADMISSION).node == INSTANCE
    assert aws.asked.count("GetCallerIdentity") == 2
