# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3_bucket import Access, Bucket
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials

KEYS = {"id": "key", "secret": "secret"}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("S3_REGION", "S3_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)


def test_they_are_asked_for_each_time():
    given = dict(KEYS)
    access: Access = GivenAccess(lambda: given)
    assert access.credentials() == Credentials("key", "secret")
    given["secret"] = "another"
    assert access.credentials() == Credentials("key", "another")


def test_what_is_not_there_yet_is_an_error():
    def none() -> dict[str, str]:
        raise OSError("not there yet")

    with pytest.raises(OSError, match="not there yet"):
        GivenAccess(none).credentials()


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("", "https://store.s3.us-east-1.amazonaws.com/a"),
        ("eu-west-1", "https://store.s3.eu-west-1.amazonaws.com/a"),
        ("cn-north-1", "https://store.s3.cn-north-1.amazonaws.com.cn/a"),
    ],
)
def test_a_bucket_is_where_the_environment_says(monkeypatch, region, expected):
    if region:
        monkeypatch.setenv("S3_REGION", region)
    access = GivenAccess(lambda: KEYS)
    bucket = Bucket("store", access)
    bucket.region = access.region()
    assert bucket.url("a") == expected
