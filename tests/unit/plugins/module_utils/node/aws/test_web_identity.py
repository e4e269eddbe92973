# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of service accounts, taken by a token."""

from __future__ import annotations

import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.api import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.cluster_instances import AWSInstances
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.web_identity import WebIdentity
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

ROLE = "arn:aws:iam::123456789012:role/nodes"


def test_credentials_are_those_of_the_role_and_are_kept_for_a_while(
    aws: AWS, server: AWSServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def token() -> str:
        asked.append("token")
        return "a token"

    identity = WebIdentity(aws, ROLE, token)
    found = identity.credentials()
    assert identity.credentials() == found
    assert len(asked) == 1
    # What the role of the instance may do, this one may not.
    assert AWSInstances(aws, "demo").all() == {}
    monkeypatch.setattr(aws.metadata, "credentials", lambda: found)
    with pytest.raises(ServiceError, match="403"):
        AWSInstances(aws, "demo").all()
    later = time.monotonic() + 2701
    monkeypatch.setattr(time, "monotonic", lambda: later)
    identity.credentials()
    assert len(asked) == 2


def test_the_token_is_one_that_sts_takes(aws: AWS) -> None:
    asked: list[str] = []

    def token(audience: str) -> str:
        asked.append(audience)
        raise KopsError("no token")

    zone = AWSInstance().records("Z1", private=False, role=ROLE, token=token)
    with pytest.raises(KopsError, match="no token"):
        zone.find("api.demo.example.com", "A")
    assert asked == ["amazonaws.com"]


def test_without_a_token_there_are_none(aws: AWS) -> None:
    def token() -> str:
        raise KopsError("the API server does not answer")

    with pytest.raises(KopsError, match="the API server does not answer"):
        WebIdentity(aws, ROLE, token).credentials()
