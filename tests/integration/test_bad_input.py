# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Input that cannot be: the error says what is wrong, where, and what would be right, and nothing is written."""

from __future__ import annotations

import contextlib
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    load_manifests,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    BUCKET,
    NAME,
    STORE,
    Account,
    fresh_account,
    use_account,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
CONFIG = f"{NAME}/config"


@contextlib.contextmanager
def nothing_written(account: Account) -> Iterator[None]:
    """What happens within writes nothing, neither to the store nor to the cloud; it does not even take the lease."""
    before = stored(account)
    with account.server.recorded() as calls:
        yield
    assert account.writes(calls) == []
    assert stored(account) == before


def refused(account: Account, operation: Callable[..., Any], *texts: str, **options: Any) -> str:
    """The error of an operation, which holds all the texts; nothing is written."""
    with nothing_written(account), pytest.raises(KopsError) as caught:
        operation(**options)
    message = str(caught.value)
    for text in texts:
        assert text in message, message
    return message


def stored(account: Account) -> dict[str, str]:
    """The files of the state store, with what identifies their content."""
    listed = account.client("s3").list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return {item["Key"]: item["ETag"] for item in listed}


def overwrite(account: Account, text: str) -> None:
    """What somebody else has written over the stored specification."""
    account.client("s3").put_object(Bucket=BUCKET, Key=CONFIG, Body=text.encode())


def replace(text: str) -> None:
    """Store manifests, as module replace does."""
    put(StoreOptions(STORE), sort_objects(load_manifests([text]), NAME))


@pytest.fixture(scope="module")
def files(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the store holds of a small cluster. No test here gets as far as the cloud, so one account does for all."""
    with pytest.MonkeyPatch.context() as patch:
        account = fresh_account(server, patch, tmp_path_factory.mktemp("home"))
        account.create(zones=ZONES[:1])
        s3 = account.client("s3")
        return {key: s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in stored(account)}


@pytest.fixture
def account(
    server: AWSServer, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> Account:
    """The account with an empty store."""
    account = Account(server)
    use_account(server, monkeypatch, tmp_path)
    for key in stored(account):
        account.client("s3").delete_object(Bucket=BUCKET, Key=key)
    return account


@pytest.fixture
def specification(account: Account, files: dict[str, bytes]) -> str:
    """The manifest of the small cluster, which is stored."""
    for key, body in files.items():
        account.client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)
    return files[CONFIG].decode()


# -- what a user asks for -------------------------------------------------------------------------------------------


def test_zone_that_does_not_exist(account: Account) -> None:
    refused(
        account, account.create, "zones: does not exist", "us-east-1 has us-east-1a", "us-east-1x", zones=["us-east-1x"]
    )


def test_zone_of_a_stored_cluster_that_does_not_exist(account: Account, specification: str) -> None:
    overwrite(account, specification.replace("zone: us-east-1a", "zone: us-east-1x"))
    texts = ("spec.networking.subnets[0].zone: does not exist in region us-east-1", "us-east-1a", "'us-east-1x'")
    refused(account, account.update, *texts, check=True)
    refused(account, account.update, *texts)


@pytest.mark.parametrize(
    ("option", "value", "texts"),
    [
        ("network_cidr", "10.0.0.0/33", ("network_cidr: is not an address range", "for example 10.0.0.0/16")),
        ("network_cidr", "10.0.0.1/16", ("spec.networking.networkCIDR: has bits set", "did you mean 10.0.0.0/16")),
        ("admin_access", "10.0.0/8", ("spec.kubernetesAPIAccess[0]: is not a CIDR", "for example 172.20.0.0/16")),
    ],
)
def test_malformed_cidr(account: Account, option: str, value: str, texts: tuple[str, ...]) -> None:
    refused(account, account.create, *texts, f"'{value}'", zones=ZONES[:1], **{option: [value]})


def test_malformed_cidr_in_a_manifest(account: Account, specification: str) -> None:
    wrong = specification.replace("networkCIDR: 172.20.0.0/16", "networkCIDR: 172.20.0.0/160")
    refused(account, replace, ": spec.networkCIDR: is not a CIDR", "'172.20.0.0/160'", text=wrong)


def test_overlapping_subnets(account: Account, specification: str) -> None:
    second = "  - {cidr: 172.20.128.0/17, name: second, type: Public, zone: us-east-1b}\n"
    wrong = specification.replace("  subnets:\n", f"  subnets:\n{second}")
    refused(account, replace, ": spec.subnets[1].cidr: overlaps subnet second with 172.20.128.0/17", text=wrong)


def test_unknown_field(account: Account, specification: str) -> None:
    wrong = specification.replace("networkCIDR:", "networkCDIR:")
    refused(account, replace, "spec.networkCDIR: unknown field; did you mean networkCIDR?", text=wrong)


def test_unknown_field_that_is_set_by_its_path(account: Account) -> None:
    wrong = ["cluster.spec.kubernetesVersoin=1.34.0"]
    texts = ("spec has no field kubernetesVersoin", "did you mean kubernetesVersion?")
    refused(account, account.create, *texts, zones=ZONES[:1], set=wrong)


@pytest.mark.parametrize(
    "options", [{"zones": ZONES[:2], "control_plane_count": 2}, {"zones": ZONES, "control_plane_zones": ZONES[:2]}]
)
def test_even_number_of_etcd_members(account: Account, options: dict[str, Any]) -> None:
    message = refused(
        account, account.create, "spec.etcdClusters[0].etcdMembers: the number of members must be odd", **options
    )
    assert "spec.etcdClusters[1].etcdMembers" in message


def test_all_problems_at_once(account: Account, specification: str) -> None:
    wrong = specification.replace("networkCIDR: 172.20.0.0/16", "networkCIDR: 172.20.0.0/160")
    wrong = wrong.replace("kubernetesApiAccess:\n", "kubernetesApiAccess:\n  - somewhere\n")
    refused(account, replace, "2 problems", "spec.networkCIDR", "spec.kubernetesAPIAccess[0]", text=wrong)


def test_all_problems_of_the_options_at_once(account: Account) -> None:
    wrong = {"zones": ["nowhere"], "network_cidr": ["10.0.0.0/33"], "topology": "hidden", "control_plane_count": -1}
    refused(account, account.create, "4 problems", *wrong, **wrong)


# -- what is around it ----------------------------------------------------------------------------------------------


def test_missing_credentials(account: Account, specification: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    texts = ("no AWS credentials", "AWS_PROFILE", "AWS_ACCESS_KEY_ID")
    refused(account, account.update, f"cannot read {STORE}: ", *texts)
    refused(account, account.create, f"cannot read {STORE}: ", *texts, zones=ZONES[:1])


def test_missing_credentials_for_the_cloud_only(
    account: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    texts = ("no AWS credentials", "AWS_PROFILE", "AWS_ACCESS_KEY_ID")
    refused(account, account.create, *texts, zones=ZONES[:1], cloud="aws", state_store=f"file://{tmp_path}/store")
    assert not (tmp_path / "store").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("library", "text"),
    [
        ("boto3", "Failed to import the required Python library (boto3)"),
        ("cryptography", "the Python library cryptography is missing: install it with 'pip install cryptography'"),
    ],
)
def test_missing_library(account: Account, specification: str, tmp_path: pathlib.Path, library: str, text: str) -> None:
    (tmp_path / f"{library}.py").write_text(f"raise ModuleNotFoundError(name='{library}')\n")
    interpreter = tmp_path / "python"
    interpreter.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    interpreter.chmod(0o755)

    command = ["ansible", "localhost", "-m", "kubeops.kops.update_cluster"]
    with nothing_written(account):
        output = account.ansible(*command, "-e", f"ansible_python_interpreter={interpreter}", expect=2)
    assert text in output


# -- the state store ------------------------------------------------------------------------------------------------


def test_no_state_store(account: Account) -> None:
    account.store = ""
    refused(account, account.update, "no state store was given", "state_store", "KOPS_STATE_STORE")


@pytest.mark.parametrize(
    ("store", "texts"),
    [
        ("s3://there-is-none", ("cannot read s3://there-is-none: the bucket there-is-none does not exist; create it",)),
        ("s3://", ("s3:// needs a bucket", "s3://bucket/prefix")),
        ("azureblob://bucket", ("unknown scheme azureblob://", "known are ", "file://", "gs://", "s3://")),
        ("kops-state", ("kops-state", "has no scheme; examples are s3://kops-state and file:///kops-state")),
    ],
)
def test_state_store_that_is_none(account: Account, store: str, texts: tuple[str, ...]) -> None:
    account.store = store
    refused(account, account.update, *texts)
    refused(account, account.create, *texts, zones=ZONES[:1], cloud="aws")


def test_unreachable_state_store(account: Account, specification: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The discard port: nobody listens there. The SDK's pauses between its attempts are not what is tested.
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *arguments: 0)
    texts = (f"cannot read {STORE}: ", "http://127.0.0.1:9", "check the network, proxies, and AWS_ENDPOINT_URL")
    refused(account, account.update, *texts)
    refused(account, account.create, *texts, zones=ZONES[:1])


def test_state_store_that_cannot_be_read(account: Account, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    account.store = f"file://{tmp_path}/file"
    refused(account, account.update, f"there is no cluster {NAME}", f"{tmp_path}/file/{NAME}/config")
    refused(account, account.create, f"{tmp_path}/file is a file, not a directory", zones=["us-east"], cloud="linode")


def test_cluster_that_does_not_exist(account: Account) -> None:
    texts = (f"there is no cluster {NAME} in the state store ({STORE}/{CONFIG})", "state_store", "create_cluster")
    refused(account, account.update, *texts)
    refused(account, account.update, *texts, check=True)


def test_state_store_of_another_cluster(account: Account, specification: str) -> None:
    overwrite(account, specification.replace(NAME, "other.example.com"))
    texts = (f"{STORE}/{CONFIG} is the specification of cluster other.example.com, not of {NAME}",)
    for operation in (account.update, account.delete):
        refused(account, operation, *texts)
    refused(account, account.create, *texts, zones=ZONES[:1])


@pytest.mark.parametrize(
    ("damage", "texts"),
    [
        (lambda text: f"{text[:200]}\n  - ][", ("document 1, line", "this is not YAML")),
        (lambda text: "\x00\x01", ("document 1: this is not YAML: control characters",)),
        (lambda text: "", ("must contain one Cluster; it contains nothing",)),
        (lambda text: f"{text}\n---\n{text}", ("must contain one Cluster; it contains Cluster, Cluster",)),
        (lambda text: text.replace("  channel: stable", "  channel: 3"), (", line ", ": spec.channel: expected text")),
        (
            lambda text: text.replace("  channel: stable", "  channel: stable\n  channel: alpha"),
            ("spec.channel: the key is there twice, first in line",),
        ),
    ],
    ids=["broken off", "binary", "empty", "two documents", "wrong type", "duplicate key"],
)
def test_corrupt_specification_in_the_store(
    account: Account, specification: str, damage: Callable[[str], str], texts: tuple[str, ...]
) -> None:
    overwrite(account, damage(specification))
    for operation in (account.update, account.delete):
        refused(account, operation, f"{STORE}/{CONFIG}", *texts)
        refused(account, operation, f"{STORE}/{CONFIG}", *texts, check=True)


# -- manifests ------------------------------------------------------------------------------------------------------


def test_duplicate_key_in_a_manifest(account: Account, specification: str) -> None:
    wrong = specification.replace("  channel: stable", "  channel: stable\n  channel: alpha")
    refused(account, replace, "manifest 1, document 1, line", "spec.channel: the key is there twice", text=wrong)


def test_the_same_cluster_in_several_documents(account: Account, specification: str) -> None:
    wrong = f"{specification}\n---\n{specification}"
    told = f"Cluster {NAME} is given 2 times; each object may be given once (manifest 1, document 1, line"
    refused(account, replace, told, text=wrong)


def test_another_cluster_in_a_manifest(account: Account, specification: str) -> None:
    wrong = specification.replace(NAME, "other.example.com")
    refused(
        account,
        replace,
        f"Cluster other.example.com is of cluster other.example.com; what is given here must be of {NAME}",
        text=wrong,
    )


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("a: b: c", ("manifest 1, document 1, line 1, column 5: this is not YAML",)),
        ("- 1", ("document 1: expected a mapping with apiVersion and kind",)),
        ("apiVersion: kops.k8s.io/v1alpha2\nkind: Clutser", ("unknown kind Clutser; did you mean Cluster?",)),
    ],
)
def test_what_is_no_manifest(account: Account, text: str, texts: tuple[str, ...]) -> None:
    refused(account, replace, *texts, text=text)
