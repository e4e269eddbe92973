# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is particular to a bucket: encryption, ACL, versions, regions, compatible stores, and clear errors."""

from __future__ import annotations

import io
import os
import socket
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import s3
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError, WriteConflict
from ansible_collections.kubeops.kops.tests.support.lost_answers import lose_answers
from botocore.stub import Stubber


def s3_path(bucket: str, key: str) -> s3.S3Path:
    path = open_path(f"s3://{bucket}/{key}")
    assert isinstance(path, s3.S3Path)
    return path


def test_encrypts_what_the_bucket_does_not(bucket: str) -> None:
    client = boto3.client("s3")
    open_path(f"s3://{bucket}/config").write(b"x")
    assert client.head_object(Bucket=bucket, Key="config")["ServerSideEncryption"] == "AES256"


def test_leaves_encryption_to_a_bucket_that_does(bucket: str) -> None:
    client = boto3.client("s3")
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "alias/own"}}
    client.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": [rule]})
    path = s3_path(bucket, "config")
    path.write(b"x")
    assert path.server_side_encryption is None
    assert client.head_object(Bucket=bucket, Key="config")["ServerSideEncryption"] == "aws:kms"


def test_the_bucket_is_asked_once(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    path = s3_path(bucket, "a")
    path.bucket.client.meta.events.register("before-call.s3", lambda model, **rest: calls.append(model.name))
    path.write(b"x")
    open_path(f"s3://{bucket}/b").write(b"x")
    assert calls == ["GetBucketEncryption", "PutObject", "PutObject"]


def test_canned_acl(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = s3_path(bucket, "a")
    assert (path.acl(public=False), path.acl(public=True)) == (None, "public-read")
    monkeypatch.setenv("KOPS_STATE_S3_ACL", "bucket-owner-full-control")
    assert (path.acl(public=False), path.acl(public=True)) == ("bucket-owner-full-control",) * 2
    path.write(b"x", public=True)
    monkeypatch.delenv("KOPS_STATE_S3_ACL")
    path.write(b"x", public=True)
    grants = boto3.client("s3").get_object_acl(Bucket=bucket, Key="a")["Grants"]
    assert any(grant["Grantee"].get("URI", "").endswith("/AllUsers") for grant in grants)


def test_a_large_file_can_be_public(bucket: str) -> None:
    for name, public in (("a", True), ("b", False)):
        open_path(f"s3://{bucket}/{name}").upload(io.BytesIO(b"x"), public=public)
        grants = boto3.client("s3").get_object_acl(Bucket=bucket, Key=name)["Grants"]
        assert any(grant["Grantee"].get("URI", "").endswith("/AllUsers") for grant in grants) == public


def test_a_public_bucket_needs_no_acl() -> None:
    """Its objects are public as they are, and where AWS has ACLs off by default, one would be refused."""
    path = s3_path("public-bucket", "a")
    with Stubber(path.bucket.client) as answers:
        answers.add_response(
            "get_bucket_policy_status", {"PolicyStatus": {"IsPublic": True}}, {"Bucket": "public-bucket"}
        )
        assert [path.acl(public=True), path.acl(public=True), path.acl(public=False)] == [None] * 3
    other = s3_path("private-bucket", "a")
    with Stubber(other.bucket.client) as answers:
        answers.add_client_error("get_bucket_policy_status", "NoSuchBucketPolicy")
        assert other.acl(public=True) == "public-read"


def test_removing_keeps_the_versions(bucket: str) -> None:
    client = boto3.client("s3")
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    root = open_path(f"s3://{bucket}")
    for name in ("a", "b"):
        root.join(name).write(b"1")
        root.join(name).write(b"2")
    root.join("a").remove()
    root.remove_many([root.join("b")])
    assert root.list_tree() == []
    found = client.list_object_versions(Bucket=bucket)
    assert len(found["Versions"]) == 4
    assert {marker["Key"] for marker in found["DeleteMarkers"]} == {"a", "b"}


def test_lists_and_removes_more_than_one_page(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3, "DELETE_BATCH", 2)
    root = s3_path(bucket, "many")
    for number in range(5):
        root.join(str(number)).write(b"x")
    root.bucket.client.meta.events.register(
        "provide-client-params.s3.ListObjectsV2", lambda params, **rest: {**params, "MaxKeys": 2}
    )
    listed = root.list_tree()
    assert [file.name for file in listed] == ["0", "1", "2", "3", "4"]
    root.remove_many([file.path for file in listed])
    assert root.list_tree() == []


def test_the_empty_object_of_a_directory_is_no_file(bucket: str) -> None:
    boto3.client("s3").put_object(Bucket=bucket, Key="demo/", Body=b"")
    open_path(f"s3://{bucket}/demo/config").write(b"x")
    assert [file.name for file in open_path(f"s3://{bucket}").list_tree()] == ["demo/config"]


def test_finds_the_region(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    path = s3_path(bucket, "config")
    path.write(b"x")
    assert path.region == "eu-west-1"


def test_a_compatible_store(bucket: str, s3_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("S3_ENDPOINT", s3_server)
    path = s3_path(bucket, "config")
    with pytest.raises(StoreError, match="S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set too"):
        path.read()
    monkeypatch.setenv("S3_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("S3_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("S3_REGION", "eu-west-1")
    path.write(b"x")
    assert path.read() == b"x"
    assert path.region == "eu-west-1"


def test_a_missing_bucket_is_named(s3_environment: str) -> None:
    for use in (lambda path: path.read(), lambda path: path.list_tree(), lambda path: path.region):
        with pytest.raises(StoreError, match="s3://no-such-bucket.*the bucket no-such-bucket does not exist"):
            use(open_path("s3://no-such-bucket/demo"))


def test_missing_credentials(s3_environment: str, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    with pytest.raises(StoreError, match="cannot list s3://bucket: no AWS credentials found; set AWS_PROFILE"):
        open_path("s3://bucket").list_tree()
    with pytest.raises(StoreError, match="no AWS credentials found"):
        open_path("s3://bucket/config").write(b"x")


def test_an_unknown_profile(s3_environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(StoreError, match="nobody"):
        open_path("s3://bucket/config").read()


def test_an_unreachable_store(s3_environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(StoreError, match="cannot read s3://bucket: Could not connect.*; check the network"):
        open_path("s3://bucket/config").read()


CONTENT = b"kind: Cluster\n" * 1000


class _Breaking(BaseHTTPRequestHandler):
    """An S3 with one object, which resets the connection in the middle of its first answers."""

    protocol_version = "HTTP/1.1"
    breaks = 0
    asked = 0
    status = 200

    def do_GET(self) -> None:
        _Breaking.asked += 1
        breaks = _Breaking.asked <= _Breaking.breaks
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.send_header("ETag", '"tag"')
        self.end_headers()
        self.wfile.write(CONTENT[: len(CONTENT) // 2] if breaks else CONTENT)
        self.wfile.flush()
        if breaks:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())
            self.close_connection = True

    def log_message(self, *_message: object) -> None:
        """Nothing."""


@pytest.fixture
def breaking(s3_environment: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Breaking]]:
    """An S3 whose answers break; set `breaks` to the number of answers that do."""
    monkeypatch.setattr(_Breaking, "asked", 0)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Breaking) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        yield _Breaking
        server.shutdown()


def test_an_answer_that_breaks_off_is_read_again(breaking: type[_Breaking], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking, "breaks", s3.READ_ATTEMPTS - 1)
    assert open_path("s3://bucket/config").read_tagged() == (CONTENT, "tag")
    assert breaking.asked == s3.READ_ATTEMPTS


def test_a_refusal_that_breaks_off_is_read_again(breaking: type[_Breaking], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking, "status", 404)
    monkeypatch.setattr(breaking, "breaks", 1000)
    with pytest.raises(StoreError, match="cannot read s3://bucket: .*Connection broken.*; check the network"):
        open_path("s3://bucket/config").read()
    assert breaking.asked == s3.READ_ATTEMPTS


def test_a_store_whose_answers_always_break_off(breaking: type[_Breaking], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking, "breaks", 1000)
    with pytest.raises(
        StoreError, match="cannot read s3://bucket: An error occurred while reading .*; check the network"
    ):
        open_path("s3://bucket/config").read()
    assert breaking.asked == s3.READ_ATTEMPTS


@pytest.fixture
def lossy(bucket: str, monkeypatch: pytest.MonkeyPatch) -> s3.S3Path:
    """A file of a client whose connections may break; asked before, so that only writes are left."""
    path = s3_path(bucket, "lease.json")
    assert path.server_side_encryption
    return path


def test_a_conditional_write_whose_answer_was_lost_is_ours(lossy: s3.S3Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = lose_answers(monkeypatch, lossy.bucket.client)
    first = lossy.write(b"one", if_none_match=True)
    assert lossy.read_tagged() == (b"one", first)
    # Twice, then a look, then the line before.
    assert len(sent) == 4
    sent.clear()
    second = lossy.write(b"two", if_match=first)
    assert lossy.read_tagged() == (b"two", second)


def test_one_that_another_process_has_overwritten_is_a_conflict(
    lossy: s3.S3Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overwrite() -> None:
        boto3.client("s3").put_object(Bucket=lossy.bucket.name, Key=lossy.key, Body=b"theirs")

    lose_answers(monkeypatch, lossy.bucket.client, then=overwrite)
    with pytest.raises(WriteConflict):
        lossy.write(b"ours", if_none_match=True)
    assert lossy.read() == b"theirs"


def test_the_same_content_of_another_process_is_a_conflict(lossy: s3.S3Path) -> None:
    """No answer was lost: two processes have written the same."""
    lossy.write(b"one")
    with pytest.raises(WriteConflict):
        lossy.write(b"one", if_none_match=True)


def test_a_keyset_whose_answer_was_lost_is_not_called_that_of_another_process(
    lossy: s3.S3Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keysets = Keysets(lossy)
    lose_answers(monkeypatch, lossy.bucket.client)
    pair = pki.issue(pki.CertificateRequest(type="ca", subject=pki.Subject("ca"), serial=pki.build_serial()), None)
    keyset = Keyset()
    keyset.add(pair, primary=True)
    keysets.store("kubernetes-ca", keyset)
    assert keysets.get("kubernetes-ca").etag == keyset.etag


@pytest.mark.parametrize(
    ("endpoint", "command"),
    [
        ("", "aws s3api put-bucket-versioning --bucket example-state "),
        ("https://s3.example.com", "aws s3api --endpoint-url https://s3.example.com put-bucket-versioning --bucket "),
    ],
)
def test_the_command_that_switches_versioning_on(monkeypatch: pytest.MonkeyPatch, endpoint: str, command: str) -> None:
    monkeypatch.setenv("S3_ENDPOINT", endpoint)
    path = s3_path("example-state", "clusters")
    monkeypatch.setattr(path.bucket, "_versioning", {})
    (warning,) = path.advice()
    assert f" Switch it on: {command}" in warning
