# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in S3 with the role of a control plane."""

from __future__ import annotations

import hashlib
import pathlib
import stat
import urllib.error

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import s3_files
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import atomic
from ansible_collections.kubeops.kops.tests.support.file_server import running

PLACE = "s3://store/demo.example.com/backups/etcd/main"


@pytest.fixture
def backup(tmp_path: pathlib.Path) -> pathlib.Path:
    found = tmp_path / "backup"
    found.write_bytes(b"x" * 300_000)
    return found


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_goes_there_and_comes_back(store, backup, tmp_path):
    # The characters that names of backups have are those that are escaped in URLs.
    url = f"{PLACE}/2026-05-08T12:00:00Z-000001/etcd.backup.gz"
    store.upload(url, str(backup), sha256(backup))
    store.download(url, str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == backup.read_bytes()
    assert stat.S_IMODE((tmp_path / "back").stat().st_mode) == 0o600


def test_what_may_not_be_written_or_listed_says_so(store, backup, tmp_path):
    with pytest.raises(ServiceError, match="403 AccessDenied"):
        store.upload("s3://store/other.example.com/a", str(backup), sha256(backup))
    with pytest.raises(ServiceError, match="403 AccessDenied"):
        store.names(PLACE)
    with pytest.raises(ServiceError, match="403 AccessDenied"):
        store.remove(f"{PLACE}/a")


def test_no_room_and_too_large(store, backup, tmp_path, monkeypatch):
    url = f"{PLACE}/room"
    store.upload(url, str(backup), sha256(backup))
    monkeypatch.setattr(atomic, "free_space", lambda _path: 299_999)
    with pytest.raises(KopsError, match=r"has no room for 300000 bytes"):
        store.download(url, str(tmp_path / "back"))
    assert not (tmp_path / "back").exists()
    monkeypatch.setattr(s3_files, "LARGEST", 299_999)
    with pytest.raises(KopsError, match="has 300000 bytes, and S3 takes 299999 in one request"):
        store.upload(url, str(backup), sha256(backup))


class Elsewhere:
    """An opener for which a bucket is in another region."""

    def open(self, request, timeout):
        headers = {"x-amz-bucket-region": "eu-west-1"}
        raise urllib.error.HTTPError(request.full_url, 301, "Moved", headers, None)


def test_a_bucket_in_another_region_is_asked_again_there(service, monkeypatch):
    bucket = s3_files.BucketOfFiles("store", Metadata())
    bucket.access.credentials()
    bucket.region = "us-east-1"
    monkeypatch.setattr("urllib.request.build_opener", lambda *handlers: Elsewhere())
    with pytest.raises(ConnectionError, match="bucket store is in eu-west-1"):
        bucket.remove("a")
    assert bucket.region == "eu-west-1"
    with pytest.raises(urllib.error.HTTPError, match="301"):
        bucket.remove("a")


def test_pages_of_a_listing_become_one(store, monkeypatch):
    def page(keys: str, token: str) -> str:
        contents = "".join(f"<Contents><Key>a/{key}</Key></Contents>" for key in keys)
        after = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
        return f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{contents}{after}</ListBucketResult>'

    with running() as (url, files):
        monkeypatch.setenv("S3_ENDPOINT", url)
        monkeypatch.setenv("S3_REGION", "garage")
        monkeypatch.setenv("no_proxy", "*")
        files.files["/store/?list-type=2&prefix=a%2F"] = page("bc", "to/ken")
        files.files["/store/?list-type=2&prefix=a%2F&continuation-token=to%2Fken"] = page("d", "")
        assert store.names("s3://store/a") == ["b", "c", "d"]
