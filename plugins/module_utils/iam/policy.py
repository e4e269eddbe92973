# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM policy documents, and the text that kops writes for them (pkg/model/iam/iam_builder.go of kops).

In a document a list that kops calls a set is a sorted list, even of one; a single value is a string.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Union

from ..base.errors import KopsError

VERSION = "2012-10-17"
Statement = dict[str, Any]
Texts = Union[str, list[str]]

# kops drops a Sid, which says to the reader of a policy what a statement is for.
_STATEMENT_KEYS = ("Action", "NotAction", "Condition", "Effect", "Principal", "Resource", "NotResource", "Sid")
_OWNER_TAG = "KubernetesCluster"

KMS_DATA_ACTIONS = ("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*")

# The EC2 service principal of regions outside the usual partitions, by the start of the region's name.
_EC2_DOMAINS = {
    "cn-": "amazonaws.com.cn",
    "us-iso-": "c2s.ic.gov",
    "us-isob-": "sc2s.sgov.gov",
    "eu-isoe-": "cloud.adc-e.uk",
    "us-isof-": "csp.hci.ic.gov",
    "eusc-": "amazonaws.eu",
}


def actions(service: str, names: str) -> tuple[str, ...]:
    """Actions of a service; names: separated by spaces."""
    return tuple(f"{service}:{name}" for name in names.split())


def one_or_all(*values: str) -> Texts:
    """One value as it is, several as a sorted list."""
    return values[0] if len(values) == 1 else sorted(set(values))


def allow(action: Texts, resource: Texts, condition: dict[str, Any] | None = None) -> Statement:
    """A statement that allows."""
    statement: Statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    return {**statement, "Condition": condition} if condition else statement


class Policy:
    """A policy in the making: statements, and actions that are gathered into one statement for each condition.

    cluster: name of the cluster whose tagged objects the conditions speak of.
    hosted_zone_id: of the zone that the cluster's DNS records are in; "" where it publishes none.
    """

    def __init__(self, cluster: str = "", partition: str = "", region: str = "", hosted_zone_id: str = "") -> None:
        self.cluster = cluster
        self.partition = partition
        self.region = region
        self.hosted_zone_id = hosted_zone_id
        self.statements: list[Statement] = []
        self.anywhere: set[str] = set()
        self.on_owned: set[str] = set()
        self.creating_owned: set[str] = set()
        self.through_aws_services: set[str] = set()
        self.grants_keys_to_aws = False

    def arn(self, rest: str) -> str:
        """An ARN of the policy's partition; rest follows "arn:<partition>:"."""
        return f"arn:{self.partition}:{rest}"

    def create_ec2(self, actions: list[str], resources: list[str]) -> None:
        """Allow EC2 create actions (no prefix), if the object gets the cluster's tag with the call, and its tagging."""
        arns = sorted(self.arn(f"ec2:*:*:{resource}/*") for resource in resources)
        self.creating_owned.update(f"ec2:{action}" for action in actions)
        tagged = {f"aws:RequestTag/{_OWNER_TAG}": self.cluster, "ec2:CreateAction": actions}
        retagged = {
            "Null": {f"aws:RequestTag/{_OWNER_TAG}": "true"},
            "StringEquals": {f"aws:ResourceTag/{_OWNER_TAG}": self.cluster},
        }
        self.statements += [
            allow("ec2:CreateTags", arns, {"StringEquals": tagged}),
            allow(["ec2:CreateTags", "ec2:DeleteTags"], arns, retagged),
        ]

    def use_keys(self, *, directly: bool = False) -> None:
        """Allow encryption with customer managed keys: by AWS services on the role's behalf, or directly as well."""
        self.grants_keys_to_aws = True
        (self.anywhere if directly or not self.region else self.through_aws_services).update(KMS_DATA_ACTIONS)

    def text(self) -> str:
        """The document as kops writes it; "" when it allows nothing, which AWS does not accept as a document."""
        statements = [*self.statements, *self._gathered()]
        return render({"Statement": statements, "Version": VERSION}) if statements else ""

    def _gathered(self) -> Iterable[Statement]:
        owned = {"StringEquals": {f"aws:ResourceTag/{_OWNER_TAG}": self.cluster}}
        requested = {"StringEquals": {f"aws:RequestTag/{_OWNER_TAG}": self.cluster}}
        if self.grants_keys_to_aws:
            yield allow("kms:CreateGrant", "*", {"Bool": {"kms:GrantIsForAWSResource": "true"}})
        if self.through_aws_services:
            services = {"kms:ViaService": [f"ec2.{self.region}.amazonaws.com", "s3.*.amazonaws.com"]}
            yield allow(one_or_all(*self.through_aws_services), "*", {"StringLike": services})
        if self.anywhere:
            yield allow(one_or_all(*self.anywhere), "*")
        if self.on_owned:
            yield allow(one_or_all(*self.on_owned), "*", owned)
        if self.creating_owned:
            yield allow(one_or_all(*self.creating_owned), "*", requested)
            if "ec2:CreateSecurityGroup" in self.creating_owned:
                # The VPC that a group is made in takes part in the call and carries no tag of the request.
                yield allow("ec2:CreateSecurityGroup", self.arn("ec2:*:*:vpc/*"))


def render(document: dict[str, Any]) -> str:
    """A document as text: sorted keys, two spaces, and the three characters escaped that Go's encoder escapes."""
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def from_user(text: str, where: str) -> str:
    """The policy made of a user's JSON list of statements; raises KopsError when it is not one."""
    try:
        statements = json.loads(text)
    except ValueError as error:
        raise KopsError(f"{where}: not JSON: {error}") from error
    if not isinstance(statements, list) or not all(isinstance(statement, dict) for statement in statements):
        raise KopsError(f"{where}: it must be a JSON list of policy statements")
    policy = Policy()
    policy.statements = [_normal(statement) for statement in statements]
    return policy.text()


def _normal(statement: dict[str, Any]) -> Statement:
    keys = {key.lower(): key for key in _STATEMENT_KEYS}
    known = {keys[key.lower()]: value for key, value in statement.items() if key.lower() in keys}
    return {key: sorted(set(value)) if isinstance(value, list) else value for key, value in known.items() if value}


def ec2_service(region: str) -> str:
    """The principal by which EC2 assumes a role, in the partition of a region."""
    domain = next((domain for start, domain in _EC2_DOMAINS.items() if region.startswith(start)), "amazonaws.com")
    return f"ec2.{domain}"


def assumed_by_instances(region: str) -> str:
    """The trust policy of a role for instances, with kops' own spacing."""
    return f"""{{
  "Version": "{VERSION}",
  "Statement": [
    {{
      "Effect": "Allow",
      "Principal": {{ "Service": "{ec2_service(region)}"}},
      "Action": "sts:AssumeRole"
    }}
  ]
}}"""


def assumed_by_service_account(provider_arn: str, issuer: str, namespace: str, name: str) -> str:
    """The trust policy of a role for a Kubernetes service account; the namespace may hold "*".

    issuer: the issuer of its tokens without "https://". Raises KopsError when the name holds "*".
    """
    if "*" in name:
        raise KopsError(f"service account {namespace}/{name}: its name cannot hold a wildcard, only its namespace can")
    operator = "StringLike" if "*" in namespace else "StringEquals"
    statement = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": provider_arn},
        "Condition": {operator: {f"{issuer}:sub": f"system:serviceaccount:{namespace}:{name}"}},
    }
    return render({"Statement": [statement], "Version": VERSION})
