# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an update of a cluster on bare metal writes: its addons are in the state store, as kops has them; its secret."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import dump_all
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import Secrets, new_encryption_config
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"
OWN = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}}


@pytest.fixture()
def options(tmp_path: pathlib.Path) -> UpdateOptions:
    url = f"file://{tmp_path}"
    arguments = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "flannel"}
    create_cluster(arguments, check_mode=False)
    return UpdateOptions(url, NAME)


def store_of(options: UpdateOptions) -> ClusterStore:
    return ClusterStore.open(options.state_store, options.name)


def stored(options: UpdateOptions) -> dict[str, bytes]:
    """The files below addons/."""
    files = {file.name: file.path.read() for file in store_of(options).files()}
    return {name.removeprefix("addons/"): text for name, text in files.items() if name.startswith("addons/")}


def index(options: UpdateOptions) -> list[dict[str, Any]]:
    return yaml.safe_load(stored(options)["bootstrap-channel.yaml"])["spec"]["addons"]


def planned(options: UpdateOptions) -> dict[str, str]:
    """What an update would do to addons: the key of a task, and the action."""
    plan = update_cluster(options, check=True).plan.as_data()
    return {each["task"]: each["action"] for each in plan if "-addons-" in each["task"]}


def test_a_manifest_for_each_addon_and_an_index_of_them(options: UpdateOptions) -> None:
    would = planned(options)
    assert set(would.values()) == {"create"}
    assert stored(options) == {}
    update_cluster(options)
    files = stored(options)
    manifests = {entry["manifest"]: entry["manifestHash"] for entry in index(options)}
    assert files.keys() == {"bootstrap-channel.yaml", *manifests}
    assert len(files) == len(would)
    assert {name: hashlib.sha256(files[name]).hexdigest() for name in manifests} == manifests
    assert f"ManagedFile/{NAME}-addons-coredns.addons.k8s.io-k8s-1.12" in would
    assert f"ManagedFile/{NAME}-addons-bootstrap" in would
    assert not update_cluster(options).changed


def test_what_changes_an_addon_changes_its_manifest_and_the_index(options: UpdateOptions) -> None:
    update_cluster(options)
    store_of(options).write_additional_objects([AdditionalObject(OWN)])
    own, bootstrap = (f"ManagedFile/{NAME}-addons-{key}" for key in ("cluster-addons.kops.k8s.io", "bootstrap"))
    assert planned(options) == {own: "create", bootstrap: "update"}
    update_cluster(options)
    assert yaml.safe_load(stored(options)["cluster-addons.kops.k8s.io/default.yaml"]) == OWN
    assert index(options)[-1]["name"] == "cluster-addons.kops.k8s.io"


def test_a_plan_knows_objects_that_are_not_stored_yet(options: UpdateOptions) -> None:
    cluster, groups = store_of(options).read()
    manifest = dump_all([cluster, *groups, AdditionalObject(OWN)])
    would = planned(UpdateOptions(options.state_store, NAME, manifest=manifest))
    assert f"ManagedFile/{NAME}-addons-cluster-addons.kops.k8s.io" in would


# -- the key that Secrets are encrypted with ---------------------------------------------------------------------------


SECRET = "encryptionconfig"


@pytest.fixture()
def hardened(tmp_path: pathlib.Path) -> UpdateOptions:
    """How the playbook creates a hardened cluster: it is not stored yet."""
    url = f"file://{tmp_path}"
    arguments = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "flannel"}
    outcome = create_cluster({**arguments, "hardened": True}, check_mode=True)
    return UpdateOptions(url, NAME, manifest=outcome.values["manifest"])


def test_a_key_is_generated_with_the_cluster(hardened: UpdateOptions, tmp_path: pathlib.Path) -> None:
    planned = update_cluster(hardened, check=True).plan
    assert f"Secret/{SECRET}" in {each["task"] for each in planned.as_data() if each["action"] == "create"}
    assert list(tmp_path.iterdir()) == []
    said: list[str] = []
    done = update_cluster(dataclasses.replace(hardened, plan_id=planned.id), progress=said.append)
    value = store_of(hardened).secrets.find(SECRET)
    assert value is not None
    (key,) = yaml.safe_load(value)["resources"][0]["providers"][0]["secretbox"]["keys"]
    assert any(SECRET in line for line in said)
    assert key["secret"] not in f"{said} {done.plan.as_data()} {planned.as_data()}"
    assert not update_cluster(hardened).changed
    assert store_of(hardened).secrets.find(SECRET) == value


def test_a_configuration_that_an_older_version_stored_is_refused(hardened: UpdateOptions) -> None:
    store = store_of(hardened)
    bad = b"kind: EncryptionConfiguration\nresourses: []\n"
    store.secrets.root.join(SECRET).write(json.dumps({"Data": base64.b64encode(bad).decode()}).encode())
    with pytest.raises(ValidationError, match=r"spec.encryptionConfig: .*resourses is unknown here"):
        update_cluster(hardened, check=True)
    text = hardened.manifest.replace("kubernetesVersion: ", "kubernetesVersion: 99.1.0 # ", 1)
    assert text != hardened.manifest
    with pytest.raises(ValidationError, match="KOPS_RUN_TOO_NEW_VERSION"):
        update_cluster(dataclasses.replace(hardened, manifest=text), check=True)


def test_a_key_that_was_stored_before_is_used(hardened: UpdateOptions) -> None:
    mine = new_encryption_config()
    store_of(hardened).secrets.store(SECRET, mine)
    changed = {each["task"] for each in update_cluster(hardened).plan.as_data() if each["action"] != "none"}
    assert "Keypair/kubernetes-ca" in changed
    assert f"Secret/{SECRET}" not in changed
    assert store_of(hardened).secrets.find(SECRET) == mine


@pytest.mark.parametrize("kept", ["cluster-completed.spec", "kops-version.txt"])
def test_a_lost_key_is_not_replaced(hardened: UpdateOptions, kept: str) -> None:
    """What it has encrypted, a new one could not read."""
    update_cluster(hardened)
    store = store_of(hardened)
    store.secrets.remove(SECRET)
    for name in {"cluster-completed.spec", "kops-version.txt"} - {kept}:
        store.path.join(name).remove()
    with pytest.raises(ValidationError, match=r"spec.encryptionConfig: .*needs the secret encryptionconfig"):
        update_cluster(hardened)
    assert store_of(hardened).secrets.find(SECRET) is None


def test_an_update_that_broke_off_goes_on(hardened: UpdateOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object, **_options: object) -> None:
        raise KopsError("the disk is full")

    with monkeypatch.context() as patch, pytest.raises(KopsError, match="the disk is full"):
        patch.setattr(Secrets, "store", broken)
        update_cluster(hardened)
    assert store_of(hardened).secrets.find(SECRET) is None
    update_cluster(hardened)
    assert store_of(hardened).secrets.find(SECRET) is not None


def test_encryption_of_a_running_cluster_needs_a_key(options: UpdateOptions) -> None:
    update_cluster(options)
    store = store_of(options)
    cluster = store.read_cluster()
    cluster.spec.encryption_config = True
    with store.lease("test"):
        store.write_cluster(cluster)
    with pytest.raises(ValidationError, match="needs the secret encryptionconfig"):
        update_cluster(options, check=True)
