# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores of every kind: a directory, memory, and a bucket of an S3 that answers over HTTP."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import boto3
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import VFSPath
from ansible_collections.kubeops.kops.tests.support.moto_here import moto_here

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


@pytest.fixture(params=["file", "memfs", "s3"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of a new, empty store, of each kind in turn."""
    if request.param == "file":
        return f"file://{request.getfixturevalue('tmp_path')}/store"
    if request.param == "memfs":
        MemoryPath.clear()
        return "memfs://tests"
    return f"s3://{request.getfixturevalue('bucket')}/prefix"


@pytest.fixture
def root(url: str) -> VFSPath:
    """The directory of a new, empty store."""
    return open_path(url)
