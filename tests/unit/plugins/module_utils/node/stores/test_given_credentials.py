# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""S3 as an instance sees it that was given a key."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import store
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.moto_here import moto_here

KEY = {"id": "AKIAGIVEN", "secret": "given"}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 whose bucket is in a region of its own."""
    with moto_here() as url:
        given = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "eu-west-1"}
        where = {"LocationConstraint": "eu-west-1"}
        boto3.client("s3", endpoint_url=url, **given).create_bucket(Bucket="given", CreateBucketConfiguration=where)
        yield url


@pytest.mark.parametrize("region", ["", "eu-west-1"])
def test_what_is_written_is_read(s3: str, region: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_ENDPOINT", s3)
    monkeypatch.setenv("S3_REGION", region)
    bucket = store(GivenAccess(lambda: KEY))
    bucket.write("s3://given/demo/a", b"content")
    assert bucket.read("s3://given/demo/a") == b"content"
    assert bucket.names("s3://given/demo") == ["a"]


def test_a_key_that_is_not_there_yet_is_worth_another_try(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    monkeypatch.setenv("S3_ENDPOINT", s3)
    asked: list[int] = []

    def ask() -> dict[str, str]:
        asked.append(1)
        raise OSError("the key is not there yet")

    bucket = store(GivenAccess(ask))
    with pytest.raises(ServiceError, match="not there yet"):
        bucket.read("s3://given/demo/a")
    assert len(asked) > 1


@pytest.mark.parametrize(
    ("region", "place"),
    [("", ("us-east-1", "amazonaws.com")), ("cn-north-1", ("cn-north-1", "amazonaws.com.cn"))],
)
def test_where_amazon_is_asked(region: str, place: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_REGION", region)
    access = GivenAccess(lambda: KEY)
    assert (access.region(), access.domain()) == place
    assert "given" not in repr(access.credentials())
