# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores with the protocol of S3 that have a scheme of their own."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.stores import STORES
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import SCHEMES, open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.s3 import S3Path

COMPATIBLE = ("do", "hos", "linode", "scw")


@pytest.fixture
def compatible(bucket: str, s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bucket of a service that is not Amazon's, and of nothing else."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name)
    for name, value in {
        "S3_ENDPOINT": s3_server,
        "S3_REGION": "eu-west-1",
        "S3_ACCESS_KEY_ID": "testing",
        "S3_SECRET_ACCESS_KEY": "testing",
    }.items():
        monkeypatch.setenv(name, value)
    return bucket


@pytest.mark.parametrize("scheme", COMPATIBLE)
def test_they_are_read_and_written(scheme: str, compatible: str) -> None:
    root = open_path(f"{scheme}://{compatible}/prefix")
    # How objects are encrypted is the service's business.
    assert isinstance(root, S3Path) and root.server_side_encryption is None
    assert (root.path, root.scheme) == (f"{scheme}://{compatible}/prefix", scheme)
    etag = root.join("a", "b").write(b"x", if_none_match=True)
    (listed,) = root.list_tree()
    assert (listed.name, listed.path.path, listed.etag) == ("a/b", f"{scheme}://{compatible}/prefix/a/b", etag)
    assert open_path(listed.path.path).read() == b"x"
    root.remove_many([listed.path])
    assert root.list_tree() == []


@pytest.mark.parametrize("scheme", COMPATIBLE)
def test_errors_name_the_scheme(scheme: str, compatible: str) -> None:
    with pytest.raises(StoreError, match=f"cannot list {scheme}://none: the bucket none does not exist"):
        open_path(f"{scheme}://none").list_tree()
    with pytest.raises(StoreError, match=f"{scheme}:// needs a bucket, for example {scheme}://bucket"):
        open_path(f"{scheme}://")


@pytest.mark.parametrize(
    ("scheme", "form"),
    [
        ("do", "https://REGION.digitaloceanspaces.com"),
        ("hos", "https://LOCATION.your-objectstorage.com"),
        ("linode", "https://REGION.linodeobjects.com"),
        ("scw", "https://s3.REGION.scw.cloud"),
    ],
)
def test_without_an_endpoint(scheme: str, form: str, s3_environment: str) -> None:
    with pytest.raises(StoreError, match=f"{scheme}://bucket needs S3_ENDPOINT in the environment: {form}"):
        open_path(f"{scheme}://bucket")


def test_the_endpoint_may_have_no_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "nyc3.digitaloceanspaces.com" if name == "S3_ENDPOINT" else "x")
    path = open_path("do://bucket")
    assert path.bucket.client.meta.endpoint_url == "https://nyc3.digitaloceanspaces.com"  # type: ignore[attr-defined]


def test_what_specifications_may_name_and_nothing_opens_yet() -> None:
    assert {*STORES} - {*SCHEMES} == {"azureblob", "k8s"}
    assert {*SCHEMES} <= {*STORES}
