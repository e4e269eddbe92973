# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import base64
import json
import urllib.error

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import identity
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import failure, post, read_xml

BODY = b'{"apiVersion": "bootstrap.kops.k8s.io/v1alpha1"}'


def signed(aws, body=BODY):
    """The headers in an instance's token."""
    text = identity.token(body, aws.endpoint("sts"), aws.region, aws.metadata.credentials())
    scheme, _space, packed = text.partition(" ")
    assert scheme == "x-aws-sts"
    return {name: values[0] for name, values in json.loads(base64.b64decode(packed)).items()}


def test_sts_says_whose_token_it_is(aws):
    answer = read_xml(post(aws.endpoint("sts"), identity.REQUEST, signed(aws)))
    assert answer.findtext(".//Arn").endswith(":assumed-role/masters/i-0123456789abcdef0")


def test_the_hash_of_the_request_is_signed(aws):
    headers = signed(aws)
    assert headers["x-kops-request-sha"] == identity.body_hash(BODY)
    names = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    assert {"host", "x-amz-date", "x-kops-request-sha"} <= set(names)
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(aws.endpoint("sts"), identity.REQUEST, {**headers, "x-kops-request-sha": identity.body_hash(b"other")})
    assert failure("sts", caught.value).code == "SignatureDoesNotMatch"
