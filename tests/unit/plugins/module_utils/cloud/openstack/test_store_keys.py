# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which key of S3 control planes are given, and what is refused."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.sealing import LONGEST
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.store_keys import (
    fingerprint_of,
    key_of_environment,
    key_of_servers,
    untold_endpoint,
)

NAME = "demo.k8s.local"
OF_USER = {"AWS_ACCESS_KEY_ID": "AKIAUSER", "AWS_SECRET_ACCESS_KEY": "of-the-user"}
COMPATIBLE = {"S3_ENDPOINT": "s3.example.com", "S3_ACCESS_KEY_ID": "minio", "S3_SECRET_ACCESS_KEY": "of-minio"}
ALL = (*OF_USER, *COMPATIBLE, "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")


@pytest.fixture(autouse=True)
def nothing_given(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key in the environment, in files of the SDK or on the machine."""
    for name in ALL:
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def give(monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str]) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (OF_USER, ("AKIAUSER", "of-the-user")),
        (OF_USER | COMPATIBLE, ("minio", "of-minio")),
        # The endpoint says whose keys count.
        (OF_USER | {"S3_ACCESS_KEY_ID": "minio", "S3_SECRET_ACCESS_KEY": "x"}, ("AKIAUSER", "of-the-user")),
        # A session of the SDK is nothing to a service that has users of its own.
        (OF_USER | COMPATIBLE | {"AWS_SESSION_TOKEN": "t"}, ("minio", "of-minio")),
        ({"S3_ACCESS_KEY_ID": "i" * 20, "S3_ENDPOINT": "x", "S3_SECRET_ACCESS_KEY": "s" * 297}, ("i" * 20, "s" * 297)),
    ],
)
def test_the_key_that_reads_the_store(
    given: Mapping[str, str], key: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, given)
    found = key_of_environment()
    assert (found["id"], found["secret"]) == key


def test_a_profile_of_a_user(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "AWS_SHARED_CREDENTIALS_FILE"
    file.write_text("[of-clusters]\naws_access_key_id = AKIAFILE\naws_secret_access_key = of-the-file\n")
    give(monkeypatch, {"AWS_PROFILE": "of-clusters"})
    assert key_of_environment() == {"id": "AKIAFILE", "secret": "of-the-file"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "has no key of S3, which control planes are given: give that of a user, by AWS_ACCESS_KEY_ID"),
        (OF_USER | {"AWS_SESSION_TOKEN": "of-a-session"}, "is of a session, and ends"),
        ({"AWS_PROFILE": "none"}, "cannot be read: The config profile"),
        ({"S3_ENDPOINT": "x", "S3_ACCESS_KEY_ID": "minio"}, "so S3_SECRET_ACCESS_KEY must be set too"),
        (COMPATIBLE | {"S3_SECRET_ACCESS_KEY": "s" * LONGEST}, "is too long: id and secret may have 317 bytes"),
    ],
)
def test_what_control_planes_cannot_be_given(
    given: Mapping[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, given)
    with pytest.raises(KopsError, match=said) as caught:
        key_of_environment()
    for value in (given.get(name, "") for name in (*OF_USER, "AWS_SESSION_TOKEN", "S3_SECRET_ACCESS_KEY")):
        assert not value or value not in str(caught.value)


def test_a_service_that_only_the_sdk_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert untold_endpoint() == ""
    give(monkeypatch, {"AWS_ENDPOINT_URL": "https://s3.example.com"})
    assert untold_endpoint() == "AWS_ENDPOINT_URL"
    give(monkeypatch, COMPATIBLE)
    assert untold_endpoint() == ""


def test_fingerprints_tell_keys_and_clusters_apart() -> None:
    key = {"id": "minio", "secret": "minio123"}
    every = [
        fingerprint_of(key, NAME),
        fingerprint_of(key, "other.k8s.local"),
        fingerprint_of({**key, "id": "other"}, NAME),
        fingerprint_of({**key, "secret": "other"}, NAME),
    ]
    assert len(set(every)) == len(every)
    assert fingerprint_of(dict(key), NAME) == every[0]
    assert all("minio" not in each and len(each) == 32 for each in every)


def test_servers_get_the_key_that_their_template_means_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, OF_USER)
    planned = fingerprint_of(key_of_environment(), NAME)
    assert key_of_servers(NAME, planned)["secret"] == "of-the-user"
    give(monkeypatch, {"AWS_SECRET_ACCESS_KEY": "of-somebody-else"})
    with pytest.raises(KopsError, match="another key of S3 than the one for which control planes were planned"):
        key_of_servers(NAME, planned)
