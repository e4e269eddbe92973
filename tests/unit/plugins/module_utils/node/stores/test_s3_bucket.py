# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3_bucket import Bucket
from ansible_collections.kubeops.kops.tests.support.file_server import running

from .conftest import take_role


def test_a_control_plane_reads_its_cluster_and_no_other(service):
    bucket = Bucket("store", Metadata())
    assert bucket.read("demo.example.com/a") == b"content"
    with pytest.raises(urllib.error.HTTPError, match="403"):
        bucket.read("other.example.com/a")


def test_a_worker_reads_nothing(service, server):
    take_role(server, service, "nodes")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        Bucket("store", Metadata()).read("demo.example.com/a")


def test_urls_of_partitions_of_names_with_dots_and_of_other_endpoints(service, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL")

    def url(name: str) -> str:
        bucket = Bucket(name, Metadata())
        bucket.region = "cn-north-1"
        return bucket.url("demo/a b")

    service.paths["meta-data/services/domain"] = "amazonaws.com.cn"
    assert url("store") == "https://store.s3.cn-north-1.amazonaws.com.cn/demo/a%20b"
    assert url("my.store") == "https://s3.cn-north-1.amazonaws.com.cn/my.store/demo/a%20b"
    for variable in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "S3_ENDPOINT"):
        monkeypatch.setenv(variable, f"https://{variable.lower()}:9000/")
        assert url("my.store") == f"https://{variable.lower()}:9000/my.store/demo/a%20b"


class Elsewhere:
    """An opener for which a bucket is in another region."""

    def __init__(self, asked: list[str]) -> None:
        self.asked = asked

    def open(self, request, timeout):
        self.asked.append(request.get_header("Authorization").split("/")[2])
        headers = {"x-amz-bucket-region": "eu-west-1"}
        raise urllib.error.HTTPError(request.full_url, 301, "Moved", headers, None)


def test_a_bucket_of_another_region_is_asked_once_more_there(service, monkeypatch):
    asked: list[str] = []
    bucket, metadata = Bucket("store", Metadata()), Metadata()
    metadata.credentials()
    bucket.access = metadata
    bucket.region = "us-east-1"
    monkeypatch.setattr("urllib.request.build_opener", lambda *handlers: Elsewhere(asked))
    with pytest.raises(urllib.error.HTTPError, match="301"):
        bucket.read("a")
    assert asked == ["us-east-1", "eu-west-1"]


def test_a_signed_request_is_not_redirected(service, monkeypatch):
    with running() as (url, files):
        monkeypatch.setenv("S3_ENDPOINT", url)
        monkeypatch.setenv("no_proxy", "*")
        files.statuses.append(302)
        with pytest.raises(urllib.error.HTTPError, match="302"):
            Bucket("store", Metadata()).read("a")
        assert files.asked == ["/store/a"]


def test_a_compatible_service_has_keys_and_regions_of_its_own(service, monkeypatch):
    sent = []
    with running() as (url, files):
        for name, value in {
            "S3_ENDPOINT": url,
            "S3_REGION": "garage",
            "S3_ACCESS_KEY_ID": "own",
            "S3_SECRET_ACCESS_KEY": "secret",
            "no_proxy": "*",
        }.items():
            monkeypatch.setenv(name, value)
        files.files["/store/a"] = "content"
        answer = files.do_GET

        def remember(self) -> None:
            sent.append(self.headers["Authorization"])
            answer(self)

        monkeypatch.setattr(files, "do_GET", remember)
        assert Bucket("store", Metadata()).read("a") == b"content"
    assert sent[0].startswith("AWS4-HMAC-SHA256 Credential=own/")
    assert "/garage/s3/" in sent[0]
