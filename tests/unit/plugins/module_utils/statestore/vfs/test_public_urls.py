# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs of what everybody may read in a store, and the store of such a URL."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.public_urls import (
    bucket_of,
    is_own_url,
    is_read_with_rights,
    public_url,
    store_of,
)


@pytest.mark.parametrize(
    ("store", "region", "dual_stack", "expected"),
    [
        ("s3://bucket/a/b/", "eu-west-1", False, "https://bucket.s3.eu-west-1.amazonaws.com/a/b"),
        ("s3://bucket", "eu-west-1", True, "https://bucket.s3.dualstack.eu-west-1.amazonaws.com"),
        ("s3://my.bucket/a", "cn-north-1", False, "https://s3.cn-north-1.amazonaws.com.cn/my.bucket/a"),
        ("gs://bucket/a", "us-test1", False, "https://storage.googleapis.com/bucket/a"),
        ("gs://bucket", "us-test1", False, "https://storage.googleapis.com/bucket"),
        ("memfs://tests/a", "", False, "https://tests/a"),
        ("file:///srv/a", "", False, ""),
        ("azureblob://container/a", "", False, ""),
    ],
)
def test_where_everybody_reads_a_store(store: str, region: str, dual_stack: bool, expected: str) -> None:
    assert public_url(store, region=region, dual_stack=dual_stack) == expected


@pytest.mark.parametrize(
    ("store", "url", "expected"),
    [
        ("s3://bucket/a", "https://bucket.s3.eu-west-1.amazonaws.com/a", True),
        ("s3://bucket", "https://bucket.s3.eu-west-1.amazonaws.com", True),
        ("s3://bucket/a", "https://bucket.s3.eu-west-1.amazonaws.com/b", False),
        ("s3://bucket/a", "https://issuers.example.com/a", False),
        ("gs://bucket/a", "https://storage.googleapis.com/bucket/a", True),
        ("gs://bucket", "https://storage.googleapis.com/bucket", True),
        ("gs://bucket/a", "https://storage.googleapis.com/other/a", False),
        ("memfs://tests/a", "https://tests/a", False),
        ("file:///srv/a", "https://srv/a", False),
    ],
)
def test_whether_a_url_is_the_stores_own(store: str, url: str, expected: bool) -> None:
    assert is_own_url(store, url) is expected


@pytest.mark.parametrize(
    "store", ["s3://bucket/a/b", "s3://my.bucket/a", "s3://bucket", "gs://bucket/a/b", "gs://my.bucket", "gs://bucket"]
)
@pytest.mark.parametrize("dual_stack", [False, True])
def test_the_store_of_its_public_url(store: str, dual_stack: bool) -> None:
    assert store_of(public_url(store, region="eu-west-1", dual_stack=dual_stack)) == store


def test_the_bucket_may_be_in_the_name_of_the_host() -> None:
    assert store_of("https://my.bucket.storage.googleapis.com/a/b/") == "gs://my.bucket/a/b"
    assert store_of("https://bucket.storage.googleapis.com") == "gs://bucket"


@pytest.mark.parametrize(
    "url",
    [
        "https://storage.googleapis.com",
        "https://files.example.com/a",
        "http://bucket.s3.amazonaws.com/a",
        "https://s3.amazonaws.com/",
        "s3://b/a",
    ],
)
def test_what_is_no_url_of_a_store(url: str) -> None:
    assert store_of(url) == ""


def test_buckets_and_rights() -> None:
    assert bucket_of("s3://bucket/a") == "bucket"
    assert [is_read_with_rights(each) for each in ("s3://bucket", "gs://bucket", "file:///srv")] == [True, True, False]
