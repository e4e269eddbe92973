# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials, signed_headers
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as SDKCredentials

NOW = datetime.datetime(2026, 3, 4, 5, 6, 7, tzinfo=datetime.timezone.utc)
KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")


def sdk_headers(method, url, service, body, headers, token, monkeypatch):
    """What the SDK sends with the same request at the same time."""
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: NOW.replace(tzinfo=None))
    request = AWSRequest(method, url, dict(headers), body)
    kind = S3SigV4Auth if service == "s3" else SigV4Auth
    kind(SDKCredentials(*KEYS, token or None), service, "eu-west-1").add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


@pytest.mark.parametrize("token", ["", "of-a/session=="])
@pytest.mark.parametrize(
    ("method", "url", "service", "body", "headers"),
    [
        ("GET", "https://store.s3.eu-west-1.amazonaws.com/demo/a%20b%2Bc~d", "s3", b"", {}),
        ("GET", "https://store.s3.eu-west-1.amazonaws.com/?list-type=2&prefix=a%2F&delimiter=%2F", "s3", b"", {}),
        ("POST", "https://sts.eu-west-1.amazonaws.com/", "sts", b"Action=A", {"Content-Type": "a/b", "X-Own": " x "}),
        ("POST", "http://127.0.0.1:5000/", "ec2", b"Action=DescribeInstances", {}),
    ],
)
def test_signature_is_that_of_the_sdk(method, url, service, body, headers, token, monkeypatch):
    ours = signed_headers(method, url, service, "eu-west-1", Credentials(*KEYS, token), body, headers, NOW)
    theirs = sdk_headers(method, url, service, body, headers, token, monkeypatch)
    assert ours["authorization"] == theirs["authorization"]
    assert {name: theirs[name].strip() for name in ours} == ours
