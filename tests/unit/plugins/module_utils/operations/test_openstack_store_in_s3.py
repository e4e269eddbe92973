# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in OpenStack whose state store, or a part of it, is in S3: control planes alone are given the key."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import pathlib
import re
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import boto3
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import OPENSTACK
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd import EtcdBackupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.pool import ServerPool
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.provider import OpenStackProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.sealing import is_sealed
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.replacing import PoolReplacing
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.user_data import boot_of
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import (
    CREDENTIAL,
    STORE_KEY,
    sealed_in,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.loader_text import (
    from_store,
    loader_text,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack import load_s3, sealed
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.instance import OpenStackServer
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.repair import Repair, repair
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import outcome
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.moto_here import moto_here
from ansible_collections.kubeops.kops.tests.support.openstack.memory import Project, private_key
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

from .test_openstack import NAME, NODES, left, project, server_of, stored, update

__all__ = ["project"]

CONTROL_PLANE = "control-plane-nova"
KEY, OTHER = ("of-clusters", "secret-of-clusters"), ("of-clusters", "another-secret")
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The address of a service that is compatible with S3."""
    with moto_here() as url:
        yield url


def give(monkeypatch: pytest.MonkeyPatch, key: tuple[str, str]) -> None:
    for name, value in zip(("S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"), key, strict=True):
        monkeypatch.setenv(name, value)


@pytest.fixture
def bucket(service: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a new bucket, with an environment that has its key."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "S3_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("S3_ENDPOINT", service)
    give(monkeypatch, KEY)
    name = f"state-{next(_NUMBERS)}"
    given = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "us-east-1"}
    boto3.client("s3", endpoint_url=service, **given).create_bucket(Bucket=name)
    return f"s3://{name}"


def contents(store: str) -> dict[str, bytes]:
    return {each.name: each.path.read() for each in open_path(store).list_tree()}


def opened(server: Mapping[str, Any], what: str) -> list[str]:
    found, digest = sealed_in(server["metadata"], what), hashes.SHA256()
    assert found is not None
    text = private_key().decrypt(found, padding.OAEP(padding.MGF1(digest), digest, None))
    return text.decode().split("\0")


def user_data(server: Mapping[str, Any]) -> str:
    return base64.b64decode(server["user_data"]).decode()


def as_server(server: Mapping[str, Any], directory: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be this server from now on: without keys in the environment, with its own key, and what Nova says of it."""
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    directory.mkdir()
    (directory / "key.pem").write_bytes(private_key().private_bytes(*form))
    monkeypatch.setattr(sealed, "DIRECTORY", str(directory))
    monkeypatch.setattr(sealed, "described", lambda: {"meta": server["metadata"]})
    for name in ("S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    boot = boot_of(user_data(server))
    assert boot is not None
    for name, value in boot["environment"].items():
        monkeypatch.setenv(name, value)


def test_a_control_plane_gets_the_key_and_loads_its_program(
    project: Project, bucket: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(bucket)
    before = contents(bucket)
    planned = update(bucket, check=True)
    assert (left(project), contents(bucket)) == ([], before)
    done = update(bucket)
    assert done.plan.id == planned.plan.id
    writes = len(project.writes)
    assert not update(bucket).changed
    assert not look_for_drift(DriftOptions(bucket, NAME)).found
    assert len(project.writes) == writes
    server = server_of(project, "ControlPlane")
    (credential,) = project.of(kinds.application_credential("u1")).values()
    assert opened(server, CREDENTIAL) == [credential["id"], credential["secret"]]
    assert opened(server, STORE_KEY) == [*KEY]
    as_server(server, tmp_path / "openstack", monkeypatch)
    boot = boot_of(user_data(server))
    assert boot is not None
    # The same as one file.
    loader = types.ModuleType("loader")
    monkeypatch.setitem(sys.modules, "loader", loader)
    exec(loader_text(from_store(OPENSTACK, "s3")), vars(loader))
    vars(loader).update(DIRECTORY=sealed.DIRECTORY, described=lambda: {"meta": server["metadata"]})
    for fetch in (load_s3.fetch, vars(loader)["fetch"]):
        assert hashlib.sha256(fetch(boot)).hexdigest() == boot["program"]["sha256"]
    assert OpenStackServer().access_to("s3").credentials().access_key_id == KEY[0]


def test_the_key_is_told_nowhere(project: Project, bucket: str) -> None:
    stored(bucket)
    planned = outcome(update(bucket, check=True), check=True)
    done = update(bucket)
    told = [json.dumps(done.plan.as_data(), default=str), repr(planned), repr(outcome(done, check=False))]
    told += [json.dumps(project.objects), *map(user_data, project.of(kinds.SERVER).values())]
    told += [each.decode("latin-1") for each in contents(bucket).values()]
    assert all(part not in text for text in told for part in KEY)
    worker = server_of(project, "Node")
    assert (sealed_in(worker["metadata"], STORE_KEY), "store-key" in worker["metadata"]["kubeops-made-from"]) == (
        None,
        False,
    )


def test_with_another_key_control_planes_are_outdated(
    project: Project, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(bucket)
    update(bucket)
    give(monkeypatch, OTHER)
    (step,) = update(bucket, check=True).plan.as_data()
    assert (step["action"], step["kind"], step["name"]) == ("update", "ServerTemplate", CONTROL_PLANE)
    assert "another key of the state store" in step["reason"]
    assert OTHER[1] not in json.dumps(step)
    update(bucket)
    assert not update(bucket).changed
    cloud = project.client(NAME, f"{bucket}/{NAME}")
    machines = OpenStackProvider().looking.machines(cloud, why=True)
    outdated = {group: {each.outdated for each in found} for group, found in machines.items()}
    why = "new servers of its group have another key of the state store"
    assert outdated == {CONTROL_PLANE: {why}, NODES: {""}}
    # A rolling update ends it, and makes another one, with the key that is planned and no other.
    (machine,) = machines[CONTROL_PLANE]
    replacing = PoolReplacing(ServerPool())
    give(monkeypatch, KEY)
    with pytest.raises(KopsError, match="this environment has another key of S3 than the one for which"):
        replacing.terminate(cloud, machine)
    assert server_of(project, "ControlPlane")["name"] == machine.name
    give(monkeypatch, OTHER)
    replacing.terminate(cloud, machine)
    give(monkeypatch, KEY)
    with pytest.raises(KopsError, match="this environment has another key of S3 than the one for which"):
        replacing.replenish(cloud, CONTROL_PLANE)
    assert len(project.of(kinds.SERVER)) == 2
    give(monkeypatch, OTHER)
    replacing.replenish(cloud, CONTROL_PLANE)
    assert opened(server_of(project, "ControlPlane"), STORE_KEY) == [*OTHER]
    assert not update(bucket).changed


def test_a_control_plane_that_was_lost_gets_the_key_again(project: Project, bucket: str) -> None:
    stored(bucket)
    update(bucket)
    gone = server_of(project, "ControlPlane")
    del project.of(kinds.SERVER)[gone["id"]]
    assert repair(Repair(bucket, NAME), print).made == {CONTROL_PLANE: 1}
    assert opened(server_of(project, "ControlPlane"), STORE_KEY) == [*KEY]


@pytest.mark.parametrize("missing", ["kubeops-store-key", "kubeops-sealed"])
def test_a_server_that_lacks_one_of_them_is_given_both(project: Project, bucket: str, missing: str) -> None:
    stored(bucket)
    update(bucket)
    server = server_of(project, "ControlPlane")
    server["metadata"] = {key: value for key, value in server["metadata"].items() if not key.startswith(missing)}
    assert not is_sealed(server)
    (step,) = update(bucket, check=True).plan.as_data()
    assert (step["before"], step["after"]) == ({"state": "without its credential"}, {"state": "ready"})
    update(bucket)
    assert is_sealed(server)
    assert not update(bucket).changed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"AWS_SESSION_TOKEN": "of-a-session"}, "the key of this environment is of a session, and ends"),
        ({"AWS_ACCESS_KEY_ID": "a" * 300}, "the key of this environment is too long"),
    ],
)
def test_a_key_that_cannot_stay_is_refused_before_anything_is_written(
    project: Project, bucket: str, service: str, given: Mapping[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(bucket)
    monkeypatch.delenv("S3_ENDPOINT")
    of_sdk = {"AWS_ENDPOINT_URL": service, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": KEY[1]}
    for name, value in {**of_sdk, "AWS_DEFAULT_REGION": "us-east-1", **given}.items():
        monkeypatch.setenv(name, value)
    before = contents(bucket)
    for check in (True, False):
        with pytest.raises(ValidationError, match=re.escape(said)) as caught:
            update(bucket, check=check)
        where = {(problem.path, problem.value) for problem in caught.value.errors}
        assert where == {("spec.configBase", f"{bucket}/{NAME}")}
        assert "give the service by S3_ENDPOINT, not by AWS_ENDPOINT_URL" in caught.value.errors[1].message
        assert all(value not in str(caught.value) for value in (KEY[1], *given.values()))
    assert (left(project), contents(bucket)) == ([], before)


def test_backups_alone_may_be_in_s3(project: Project, bucket: str, tmp_path: pathlib.Path) -> None:
    """Servers that were made before have no key, and are outdated; those in memory alone need none."""
    store = stored(f"memfs://{tmp_path.name}")
    update(store)
    plain = server_of(project, "ControlPlane")
    assert sealed_in(plain["metadata"], STORE_KEY) is None
    template = json.loads(contents(store)[f"{NAME}/igconfig/control-plane/{CONTROL_PLANE}/server-template.json"])
    assert "storeKey" not in template
    opened_store = ClusterStore.open(store, NAME)
    cluster, _groups = opened_store.read()
    for etcd in cluster.spec.etcd_clusters:
        etcd.backups = EtcdBackupSpec(backup_store=f"{bucket}/backups/{etcd.name}")
    opened_store.write_cluster(cluster)
    steps = {(each["kind"], each["name"]): each for each in update(store, check=True).plan.as_data()}
    assert "another key of the state store" in steps["ServerTemplate", CONTROL_PLANE]["reason"]
    update(store)
    # It waits for nothing, and stays as it is until it is replaced.
    assert is_sealed(plain)
    assert not update(store).changed
    cloud = project.client(NAME, f"{store}/{NAME}")
    (machine,) = OpenStackProvider().looking.machines(cloud, why=True)[CONTROL_PLANE]
    assert "another key of the state store" in machine.outdated
    replacing = PoolReplacing(ServerPool())
    replacing.terminate(cloud, machine)
    replacing.replenish(cloud, CONTROL_PLANE)
    assert opened(server_of(project, "ControlPlane"), STORE_KEY) == [*KEY]
