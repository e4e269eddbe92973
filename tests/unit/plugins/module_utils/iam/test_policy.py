# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM policy documents."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.iam import policy


def test_no_permission_is_no_document():
    assert policy.Policy("c").text() == ""


def test_document_is_in_kops_form():
    made = policy.Policy("c", "aws", "us-east-1")
    made.anywhere.add("ec2:B")
    made.anywhere.add("ec2:A")
    assert (
        made.text()
        == """{
  "Statement": [
    {
      "Action": [
        "ec2:A",
        "ec2:B"
      ],
      "Effect": "Allow",
      "Resource": "*"
    }
  ],
  "Version": "2012-10-17"
}"""
    )


def test_special_characters_are_written_as_go_does():
    assert policy.render({"a": "<&>"}) == '{\n  "a": "\\u003c\\u0026\\u003e"\n}'


def test_user_statements_are_kept_in_their_meaning():
    text = '[{"effect": "Allow", "Action": ["b", "a", "b"], "Resource": "*", "Sid": "Kept"}]'
    assert json.loads(policy.from_user(text, "x"))["Statement"] == [
        {"Sid": "Kept", "Effect": "Allow", "Action": ["a", "b"], "Resource": "*"}
    ]


@pytest.mark.parametrize("text", ["{", "{}", '["x"]'])
def test_malformed_user_statements_name_their_place(text):
    with pytest.raises(KopsError, match=r"spec\.additionalPolicies\[node\]"):
        policy.from_user(text, "spec.additionalPolicies[node]")


@pytest.mark.parametrize(
    ("region", "service"),
    [
        ("us-east-1", "ec2.amazonaws.com"),
        ("us-gov-west-1", "ec2.amazonaws.com"),
        ("cn-north-1", "ec2.amazonaws.com.cn"),
        ("us-isob-east-1", "ec2.sc2s.sgov.gov"),
    ],
)
def test_service_of_ec2_is_that_of_the_partition(region, service):
    assert json.loads(policy.assumed_by_instances(region))["Statement"][0]["Principal"]["Service"] == service
