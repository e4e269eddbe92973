# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each store of nodes promises: the contract of node/stores/store.py, and that it notices what breaks it."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.stores import SCHEMES
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import do, hos, xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import S3Store
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.store import Store
from ansible_collections.kubeops.kops.tests.support import node_store_contract as contract
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.memory_store import MemoryStore
from ansible_collections.kubeops.kops.tests.support.metadata_service import MetadataService
from ansible_collections.kubeops.kops.tests.support.node_store_contract import CONTRACT, Place

from ..aws.conftest import TRUST, take_role

Check = Callable[[Place], None]
# By the scheme of the URL: where a control plane may write.
DIRECTORIES = {
    "memory": "memory://store/demo.example.com/backups",
    "s3": "s3://store/demo.example.com/backups/etcd/main",
    "gs": "gs://store/demo.example.com/backups/etcd/main",
    "do": "do://spaces/demo.example.com/backups/etcd/main",
    "hos": "hos://spaces/demo.example.com/backups/etcd/main",
}


# What control planes may do with backups of etcd, as kops grants it.
RIGHTS = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": "arn:aws:s3:::store"},
        {
            "Effect": "Allow",
            "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
            "Resource": "arn:aws:s3:::store/demo.example.com/backups/etcd/main/*",
        },
    ],
}


ALL = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::spaces", "arn:aws:s3:::spaces/*"]}
    ],
}
STORES = {"s3": "store_of_backups", "gs": "gs_store", "do": "do_store", "hos": "hos_store"}


@pytest.fixture()
def store_of_backups(server: AWSServer, service: type[MetadataService], store: S3Store) -> S3Store:
    """S3 with these rights."""
    iam = server.client("iam")
    if "backups" not in [each["RoleName"] for each in iam.list_roles()["Roles"]]:
        iam.create_role(RoleName="backups", AssumeRolePolicyDocument=json.dumps(TRUST))
        iam.put_role_policy(RoleName="backups", PolicyName="own", PolicyDocument=json.dumps(RIGHTS))
    take_role(server, service, "backups")
    return store


@pytest.fixture(scope="module")
def key(server: AWSServer) -> dict[str, str]:
    """One to a service that is compatible with S3."""
    server.client("s3").create_bucket(Bucket="spaces")
    iam = server.client("iam")
    iam.create_user(UserName="spaces")
    iam.put_user_policy(UserName="spaces", PolicyName="own", PolicyDocument=json.dumps(ALL))
    made = iam.create_access_key(UserName="spaces")["AccessKey"]
    return {"id": made["AccessKeyId"], "secret": made["SecretAccessKey"]}


@pytest.fixture()
def given(server: AWSServer, key: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> GivenAccess:
    """A control plane that was given the key."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "S3_ACCESS_KEY_ID", "S3_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("S3_ENDPOINT", server.url)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    return GivenAccess(lambda: key)


@pytest.fixture()
def do_store(given: GivenAccess) -> Store:
    return do.store(given)


@pytest.fixture()
def hos_store(given: GivenAccess) -> Store:
    return hos.store(given)


def name_of(check: Check) -> str:
    return check.__name__


@pytest.mark.parametrize("check", CONTRACT, ids=name_of)
@pytest.mark.parametrize("scheme", DIRECTORIES)
def test_a_store_keeps_the_contract(
    scheme: str, check: Check, request: pytest.FixtureRequest, tmp_path: pathlib.Path
) -> None:
    if scheme == "memory":
        check(Place(MemoryStore(), DIRECTORIES[scheme], tmp_path))
        return
    store: Store = request.getfixturevalue(STORES[scheme])
    check(Place(store, f"{DIRECTORIES[scheme]}/{check.__name__}", tmp_path))


def test_every_scheme_is_in_the_contract() -> None:
    # Of Swift there is a real one: tests/integration/test_swift_store.py.
    assert {*SCHEMES} == {*DIRECTORIES, "swift"} - {"memory"}


class _Forgetful(MemoryStore):
    """It adds to what is there."""

    def write(self, url: str, content: bytes) -> None:
        self.files[url] = self.files.get(url, b"") + content


class _Strict(MemoryStore):
    """What is not there is always an error."""

    def read(self, url: str) -> bytes | None:
        return self._there(url)


class _Lenient(MemoryStore):
    """What is not there comes down as an empty file."""

    def _there(self, url: str) -> bytes:
        return self.files.get(url, b"")


class _Tagless(MemoryStore):
    """Every content is new."""

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        return self._there(url), "tag"


class _Short(MemoryStore):
    """Half of a file goes up."""

    def upload(self, url: str, path: str, sha256: str) -> None:
        super().upload(url, path, sha256)
        self.files[url] = self.files[url][: len(self.files[url]) // 2]


class _Open(MemoryStore):
    """Everybody may read what comes down."""

    def download(self, url: str, path: str) -> None:
        pathlib.Path(path).write_bytes(self._there(url))


class _ByPrefix(MemoryStore):
    """A directory is a prefix."""

    def names(self, url: str) -> list[str]:
        return [each.removeprefix(url).lstrip("/") for each in self.files if each.startswith(url)]


class _OnePage(MemoryStore):
    """A listing ends with its first page."""

    def names(self, url: str) -> list[str]:
        return super().names(url)[:1000]


class _Keeping(MemoryStore):
    """Nothing is removed."""

    def remove(self, url: str) -> None:
        pass


BROKEN = {
    contract.what_is_written_is_read: _Forgetful,
    contract.what_is_missing_is_none_where_it_may_be: _Strict,
    contract.what_is_missing_is_an_error_where_it_must_be_there: _Lenient,
    contract.a_tag_is_of_the_content: _Tagless,
    contract.files_go_up_and_come_down_whole: _Short,
    contract.only_the_owner_reads_what_came_down: _Open,
    contract.names_are_those_below_the_directory: _ByPrefix,
    contract.names_are_all_of_them: _OnePage,
    contract.what_is_removed_is_gone: _Keeping,
}


@pytest.mark.parametrize("check", CONTRACT, ids=name_of)
def test_the_contract_notices_a_store_that_breaks_it(check: Check, tmp_path: pathlib.Path) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception, Exception)):
        check(Place(BROKEN[check](), DIRECTORIES["memory"], tmp_path))
