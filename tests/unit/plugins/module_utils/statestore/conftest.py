# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores of every kind: a directory, memory, and buckets of an S3 and of a Cloud Storage that answer over HTTP."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import boto3
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import gs_bucket
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.google import CREDENTIALS_VARIABLE
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.gs_bucket import EMULATOR, OVERRIDE
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import VFSPath
from ansible_collections.kubeops.kops.tests.support import storage_server
from ansible_collections.kubeops.kops.tests.support.moto_here import moto_here
from ansible_collections.kubeops.kops.tests.support.storage_server import Service, StoredBucket

REGION = "eu-west-1"
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of an S3."""
    with moto_here() as url:
        yield url


@pytest.fixture
def s3_environment(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An environment whose AWS is the server; its address."""
    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "S3_ENDPOINT", "KOPS_STATE_S3_ACL"):
        monkeypatch.delenv(name, raising=False)
    return s3_server


@pytest.fixture
def bucket(s3_environment: str) -> str:
    """The name of a new, empty bucket."""
    name = f"state-{next(_NUMBERS)}"
    client = boto3.client("s3")
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return name


@pytest.fixture(scope="session")
def storage() -> Iterator[tuple[str, Service]]:
    """The address of a Cloud Storage, and what it has."""
    with storage_server.running() as found:
        yield found


@pytest.fixture
def service(storage: tuple[str, Service], monkeypatch: pytest.MonkeyPatch) -> Service:
    """An environment whose Cloud Storage is the server, which forgets faults and callers; pauses are short."""
    for name in (EMULATOR, OVERRIDE, CREDENTIALS_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    url, service = storage
    monkeypatch.setenv(EMULATOR, url)
    monkeypatch.setattr(gs_bucket, "PAUSE", 0.01)
    service.asked.clear()
    service.faults, service.tokens, service.page, service.takes = [], None, 1000, 0
    return service


@pytest.fixture
def gs_bucket_name(service: Service) -> str:
    """The name of a new, empty bucket of Cloud Storage."""
    name = f"state-{next(_NUMBERS)}"
    service.buckets[name] = StoredBucket()
    return name


@pytest.fixture(params=["file", "memfs", "s3", "gs"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of a new, empty store, of each kind in turn."""
    if request.param == "file":
        return f"file://{request.getfixturevalue('tmp_path')}/store"
    if request.param == "memfs":
        MemoryPath.clear()
        return "memfs://tests"
    if request.param == "gs":
        return f"gs://{request.getfixturevalue('gs_bucket_name')}/prefix"
    return f"s3://{request.getfixturevalue('bucket')}/prefix"


@pytest.fixture
def root(url: str) -> VFSPath:
    """The directory of a new, empty store."""
    return open_path(url)
