# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies and permissions."""

from __future__ import annotations

import json

import pytest

STATEMENT = {"Action": ["s3:GetObject"], "Resource": ["*"], "Effect": "Allow"}


def policy(*statements, role="control-plane"):
    return {"additionalPolicies": {role: json.dumps(statements)}}


def permission(**change):
    account = {"name": "sa", "namespace": "ns", "aws": {"policyARNs": ["arn"]}, **change}
    return {key: value for key, value in account.items() if value is not None}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (policy(STATEMENT), []),
        (policy(), []),
        (policy({"effect": "Deny", "action": "*", "resource": "*"}, role="bastion"), []),
        (policy(STATEMENT, role="notarole"), ["NotSupported::spec.additionalPolicies"]),
        ({"additionalPolicies": {"node": "badjson"}}, ["Invalid::spec.additionalPolicies[node]"]),
        ({"additionalPolicies": {"node": "{}"}}, ["Invalid::spec.additionalPolicies[node]"]),
        (policy({"Effect": 1}), ["Invalid::spec.additionalPolicies[control-plane]"]),
        (
            policy(STATEMENT, {"Action": "*", "Resource": "*"}),
            ["Required::spec.additionalPolicies[control-plane][1].Effect"],
        ),
        (policy({**STATEMENT, "Effect": "allow"}), ["NotSupported::spec.additionalPolicies[control-plane][0].Effect"]),
        ({"externalPolicies": {"node": ["arn:aws:iam::123456789012:policy/x"]}}, []),
        ({"externalPolicies": {"node": ["arn:aws:iam::123456789012:role/x"]}}, ["Invalid::spec.externalPolicies.node"]),
        ({"externalPolicies": {"node": ["foo", "bar"]}}, ["Invalid::spec.externalPolicies.node"] * 2),
        ({"externalPolicies": {"nodes": []}}, ["NotSupported::spec.externalPolicies"]),
        ({"iam": {"legacy": True}}, ["Forbidden::spec.iam.legacy"]),
        ({"iam": {"legacy": False}}, []),
    ],
)
def test_policies(judge, spec, expected):
    assert judge(spec) == expected


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ([permission()], []),
        ([permission(), permission(name="other")], []),
        ([permission(), permission()], ["Duplicate::[ns/sa]"]),
        ([permission(aws=None)], ["Required::[ns/sa].aws"]),
        ([permission(aws={})], ["Required::[ns/sa].aws"]),
        ([permission(aws={"policyARNs": ["x"], "inlinePolicy": "[]"})], ["Forbidden::[ns/sa].aws"]),
        ([permission(name="")], ["Required::[ns/].name"]),
        ([permission(namespace="")], ["Required::[/sa].namespace"]),
    ],
)
def test_service_accounts(judge, permissions, expected):
    found = judge({"iam": {"serviceAccountExternalPermissions": permissions}})
    assert [problem.replace("spec.iam.serviceAccountExternalPermissions", "") for problem in found] == expected


def mapping(arn):
    return [{"arn": arn, "username": "x"}]


@pytest.mark.parametrize(
    ("authenticator", "expected"),
    [
        ({"backendMode": "CRD", "identityMappings": mapping("arn:aws:iam::123456789012:role/x")}, []),
        ({"backendMode": "CRD,MountedFile", "identityMappings": mapping("arn:aws:iam::123456789012:user/x")}, []),
        ({"backendMode": "MountedFile"}, []),
        (
            {"backendMode": "MountedFile", "identityMappings": mapping("arn:aws:iam::123456789012:role/x")},
            ["Forbidden::spec.authentication.aws.backendMode"],
        ),
        (
            {"backendMode": "CRD", "identityMappings": mapping("arn:aws:iam::123456789012:policy/x")},
            ["Invalid::spec.authentication.aws.identityMappings[0].arn"],
        ),
    ],
)
def test_authenticator(judge, authenticator, expected):
    assert judge({"authentication": {"aws": authenticator}}) == expected
