# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters in stores of every kind: kops' layout, metadata as kops keeps it, clear errors, few requests."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ManifestError
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import LeaseHeld, LeaseLost
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, Subject
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import (
    ClusterNotFound,
    ClusterStore,
    StateStore,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.local import LocalPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError, VFSPath, WriteConflict

NAME = "demo.example.com"
CLUSTER = """apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: demo.example.com
spec:
  cloudProvider: aws
  kubernetesVersion: 1.34.0
  networkCIDR: 172.20.0.0/16
"""
GROUP = """apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  name: {name}
spec:
  image: ubuntu
  machineType: t3.medium
  maxSize: {size}
  minSize: {size}
  role: {role}
"""
CREATED = "2026-01-02T03:04:05Z"


def cluster(text: str = CLUSTER):
    return manifest.load(text)[0]


def group(name: str = "nodes", size: int = 1, role: str = "Node") -> InstanceGroup:
    (found,) = manifest.load(GROUP.format(name=name, size=size, role=role))
    assert isinstance(found, InstanceGroup)
    return found


@pytest.fixture
def store(url: str) -> ClusterStore:
    return ClusterStore.open(url, NAME)


@pytest.fixture
def written(store: ClusterStore, url: str) -> Callable[[], ClusterStore]:
    """A stored cluster with two groups; opens it as a new process would."""
    with store.lease("create cluster"):
        store.write_group(group("nodes"))
        store.write_group(group("control-plane-a", role="Master"))
        store.write_cluster(cluster())
    return lambda: ClusterStore.open(url, NAME)


def names(root: VFSPath) -> list[str]:
    return [file.name for file in root.list_tree()]


def test_the_layout_is_kops_own(written, root: VFSPath) -> None:
    store = written()
    store.write_additional_objects(
        [AdditionalObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}})]
    )
    store.secrets.store("dockerconfig", b"{}")
    store.ssh_public_keys.add("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDItmSdsVALsMghb4Zxl2sOkqoRTxKT/R84TqSkCdO9p")
    store.keysets.create("kubernetes-ca", CertificateRequest("ca", Subject("kubernetes-ca")))
    ours = [f"{NAME}/igconfig/instancegroups.json"] if root.remote else []
    assert names(root) == sorted(
        [
            f"{NAME}/clusteraddons/default",
            f"{NAME}/config",
            f"{NAME}/igconfig/lease.json",
            f"{NAME}/instancegroup/control-plane-a",
            f"{NAME}/instancegroup/nodes",
            f"{NAME}/pki/private/kubernetes-ca/keyset.yaml",
            f"{NAME}/pki/ssh/public/admin/2ab8c533bd7de3d46583f3d1fa3dcfc4",
            f"{NAME}/secrets/dockerconfig",
            *ours,
        ]
    )


def test_reads_what_was_written(written, root: VFSPath) -> None:
    found, groups = written().read()
    assert found.metadata.name == NAME
    assert found.spec.config_store.base == f"{root}/{NAME}"
    assert found.spec.networking.network_cidr == "172.20.0.0/16"
    assert [(each.metadata.name, each.spec.role) for each in groups] == [
        ("control-plane-a", "ControlPlane"),
        ("nodes", "Node"),
    ]
    assert all(each.metadata.labels == {"kops.k8s.io/cluster": NAME} for each in groups)


def test_stores_v1alpha2_as_the_user_wrote_it(written, root: VFSPath) -> None:
    text = root.join(NAME, "config").read().decode()
    created = manifest.load(text)[0].metadata.creation_timestamp
    head = f'metadata:\n  creationTimestamp: "{created}"\n  name: {NAME}\nspec:\n'
    assert text.startswith(f"apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\n{head}")
    assert "\n  cloudProvider: aws\n" in text
    assert "configBase" not in text


def test_writing_the_same_again_changes_nothing(written, root: VFSPath) -> None:
    before = {file.name: file.etag for file in root.list_tree()}
    store = written()
    store.read()
    assert not store.write_cluster(cluster())
    assert not store.write_group(group())
    fresh = written()
    assert not fresh.write_cluster(cluster())
    assert not fresh.write_group(group())
    assert {file.name: file.etag for file in root.list_tree()} == before


def test_metadata_is_kept_up_as_kops_does(store: ClusterStore, url: str) -> None:
    first = cluster()
    first.metadata.creation_timestamp = CREATED
    assert store.write_cluster(first)
    changed = cluster(CLUSTER.replace("1.34.0", "1.34.1"))
    for generation in (1, 2):
        store = ClusterStore.open(url, NAME)
        assert store.write_cluster(changed)
        meta = ClusterStore.open(url, NAME).read_cluster().metadata
        assert (meta.creation_timestamp, meta.generation) == (CREATED, generation)
        changed.spec.kubernetes_version = "1.34.2"
    changed.metadata.labels["team"] = "x"
    assert store.write_cluster(changed)
    assert ClusterStore.open(url, NAME).read_cluster().metadata.generation == 2


def test_groups_have_generations_too(written) -> None:
    store = written()
    created = store.read_groups()[1].metadata.creation_timestamp
    assert store.write_group(group(size=3))
    meta = written().read_groups()[1].metadata
    assert (meta.creation_timestamp, meta.generation) == (created, 1)


def test_what_is_given_stays_as_it_is(written) -> None:
    given, store = group(size=5), written()
    copied = codec.copy(given)
    store.write_group(given)
    assert given == copied


def test_removes_a_group(written) -> None:
    written().remove_group("nodes")
    written().remove_group("nodes")
    assert [each.metadata.name for each in written().read_groups()] == ["control-plane-a"]


def test_lists_clusters(written, root: VFSPath, url: str) -> None:
    root.join("other.example.com", "config").write(b"x")
    root.join("no-cluster", "cluster.spec").write(b"x")
    assert StateStore(url).clusters() == [NAME, "other.example.com"]


def test_a_cluster_that_is_not_there(store: ClusterStore) -> None:
    assert store.find_cluster() is None
    assert not store.exists()
    assert store.completed() is None
    assert store.kops_version() == ""
    assert store.additional_objects() == []
    with pytest.raises(ClusterNotFound, match=f"there is no cluster {NAME} in the state store .*/config"):
        store.read()
    with pytest.raises(FileNotFoundError):
        store.read()


def test_the_store_of_another_cluster(root: VFSPath, url: str) -> None:
    root.join("other.example.com", "config").write(CLUSTER.encode())
    store = ClusterStore.open(url, "other.example.com")
    for use in (store.read, lambda: store.write_cluster(cluster(CLUSTER.replace(NAME, "other.example.com")))):
        with pytest.raises(StoreError, match=f"is the specification of cluster {NAME}, not of other.example.com"):
            use()
    with pytest.raises(StoreError, match="cannot be written to"):
        store.write_cluster(cluster())
    assert root.join("other.example.com", "config").read().decode() == CLUSTER


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spec: [broken", "demo.example.com/config"),
        ("just text", "demo.example.com/config"),
        (CLUSTER.replace("1.34.0", "[]"), "kubernetesVersion"),
        (GROUP.format(name="x", size=1, role="Node"), "must contain one Cluster; it contains InstanceGroup"),
        (f"{CLUSTER}\n---\n{CLUSTER}", "must contain one Cluster; it contains Cluster, Cluster"),
        ("", "must contain one Cluster; it contains nothing"),
    ],
)
def test_a_corrupt_cluster_is_one_clear_error(store: ClusterStore, root: VFSPath, text: str, message: str) -> None:
    root.join(NAME, "config").write(text.encode())
    for use in (store.read, lambda: store.write_cluster(cluster())):
        with pytest.raises(KopsError, match=message):
            use()
    assert root.join(NAME, "config").read().decode() == text


def test_a_corrupt_group_is_one_clear_error(written, root: VFSPath) -> None:
    root.join(NAME, "instancegroup", "nodes").write(b"spec: [broken")
    with pytest.raises(ManifestError, match="instancegroup/nodes"):
        written().read()
    root.join(NAME, "instancegroup", "nodes").write(GROUP.format(name="other", size=1, role="Node").encode())
    with pytest.raises(StoreError, match="is the specification of instance group other, not of nodes"):
        written().read()
    root.join(NAME, "config").write(b"\xff\xfe")
    with pytest.raises(StoreError, match="is not text"):
        written().read()


def test_fields_of_another_kops_are_named(written, root: VFSPath) -> None:
    root.join(NAME, "config").write((CLUSTER + "  fieldOfTomorrow: x\n").encode())
    store = written()
    store.read()
    assert len(store.warnings) == 1
    assert "fieldOfTomorrow is an unknown field" in store.warnings[0]


def test_a_group_of_another_cluster(store: ClusterStore) -> None:
    foreign = group()
    foreign.metadata.labels["kops.k8s.io/cluster"] = "other.example.com"
    with pytest.raises(KopsError, match="has the label of cluster other.example.com, not of demo.example.com"):
        store.write_group(foreign)
    assert store.files() == []


def test_a_change_in_between_is_not_overwritten(written) -> None:
    mine, theirs = written(), written()
    mine.read()
    theirs.read()
    theirs.write_group(group(size=7))
    theirs.write_cluster(cluster(CLUSTER.replace("1.34.0", "1.34.7")))
    with pytest.raises(WriteConflict, match="instancegroup/nodes was changed meanwhile"):
        mine.write_group(group(size=8))
    with pytest.raises(WriteConflict, match="config was changed meanwhile"):
        mine.write_cluster(cluster(CLUSTER.replace("1.34.0", "1.34.8")))
    found, groups = written().read()
    assert (found.spec.kubernetes_version, groups[1].spec.max_size) == ("1.34.7", 7)


def test_groups_written_by_kops_are_seen(written, root: VFSPath) -> None:
    """kops does not know our copy of all groups."""
    root.join(NAME, "instancegroup", "nodes").write(GROUP.format(name="nodes", size=9, role="Node").encode())
    root.join(NAME, "instancegroup", "more").write(GROUP.format(name="more", size=4, role="Node").encode())
    root.join(NAME, "instancegroup", "control-plane-a").remove()
    sizes = {each.metadata.name: each.spec.max_size for each in written().read_groups()}
    assert sizes == {"more": 4, "nodes": 9}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"groups": {"nodes": 5}}', '{"groups": {"nodes": {"etag": "x"}}}'])
def test_a_broken_copy_does_not_matter(written, root: VFSPath, text: str) -> None:
    root.join(NAME, "igconfig", "instancegroups.json").write(text.encode())
    assert len(written().read_groups()) == 2
    store = written()
    with store.lease("scale"):
        store.write_group(group(size=2))
    assert written().read_groups()[1].spec.max_size == 2


@pytest.mark.parametrize("url", ["s3"], indirect=True)
def test_many_groups_cost_as_many_reads_as_few(url: str, root) -> None:
    store = ClusterStore.open(url, NAME)
    with store.lease("create cluster"):
        for number in range(20):
            store.write_group(group(f"nodes-{number:02}"))
        store.write_cluster(cluster())
    calls: list[str] = []

    def handler(model, **rest) -> None:
        calls.append(model.name)

    root.bucket.client.meta.events.register("before-call.s3", handler)
    try:
        _cluster, groups = ClusterStore.open(url, NAME).read()
    finally:
        root.bucket.client.meta.events.unregister("before-call.s3", handler)
    assert len(groups) == 20
    assert sorted(calls) == ["GetObject", "GetObject", "ListObjectsV2"]


def test_the_copy_holds_only_groups_that_are_there(written, root: VFSPath) -> None:
    if not root.remote:
        pytest.skip("a directory needs no copy")
    store = written()
    with store.lease("remove"):
        store.read_groups()
        store.remove_group("nodes")
        store.write_group(group("more"))
    copied = json.loads(root.join(NAME, "igconfig", "instancegroups.json").read())["groups"]
    assert sorted(copied) == ["control-plane-a", "more"]


def test_a_writer_brings_the_copy_up_to_date(written, root: VFSPath) -> None:
    """kops has written a group and removed another; an update reads all of them, and writes none."""
    if not root.remote:
        pytest.skip("a directory needs no copy")
    root.join(NAME, "instancegroup", "nodes").write(GROUP.format(name="nodes", size=9, role="Node").encode())
    root.join(NAME, "instancegroup", "control-plane-a").remove()
    copy = root.join(NAME, "igconfig", "instancegroups.json")
    before = copy.read()
    written().read_groups()
    assert copy.read() == before
    store = written()
    with store.lease("update cluster"):
        store.read_groups()
    copied = json.loads(copy.read())["groups"]
    assert list(copied) == ["nodes"] and "maxSize: 9" in copied["nodes"]["text"]


def test_one_listing_answers_for_the_whole_cluster(written, root: VFSPath, monkeypatch) -> None:
    store = written()
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me"
    store.ssh_public_keys.add(key)
    root.join(NAME, "kops-version.txt").write(b"1.36.0")
    tree = store.tree()
    assert tree.file(root.join(NAME, "config")) and not tree.file(root.join(NAME, "no-such"))
    monkeypatch.setattr(type(root), "list_tree", lambda self: pytest.fail(f"{self} was listed"))
    assert [each.metadata.name for each in store.read_groups(tree)] == ["control-plane-a", "nodes"]
    assert store.ssh_public_keys.list(tree) == [key]
    assert store.kops_version("1.37.0", tree) == "1.36.0"
    root.join(NAME, "kops-version.txt").remove()
    # What the listing says is enough: the file is not read.
    assert store.kops_version("1.36.0", tree) == "1.36.0"


def test_what_lies_outside_of_a_listing_is_listed(written, root: VFSPath) -> None:
    tree = written().tree()
    root.join("elsewhere", "ssh", "key").write(b"text")
    assert [file.name for file in tree.below(root.join("elsewhere"))] == ["ssh/key"]
    assert [file.name for file in tree.below(tree.root)] == [file.name for file in tree.files]
    assert written().kops_version("1.37.0", tree) == ""


def test_additional_objects(store: ClusterStore, root: VFSPath) -> None:
    wanted = [
        AdditionalObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}) for name in ("a", "b")
    ]
    assert not store.write_additional_objects([])
    assert store.files() == []
    assert store.write_additional_objects(wanted)
    assert not store.write_additional_objects(wanted)
    assert root.join(NAME, "clusteraddons", "default").read().decode() == (
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n"
        "\n---\n\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n"
    )
    assert store.additional_objects() == wanted
    assert store.write_additional_objects([])
    assert store.additional_objects() == []


def test_keys_and_secrets_that_lie_elsewhere(url: str, root: VFSPath) -> None:
    text = f"{CLUSTER}  keyStore: {root}/keys\n  secretStore: {root}/secret\n"
    ClusterStore.open(url, NAME).write_cluster(cluster(text))
    store = ClusterStore.open(url, NAME)
    store.secrets.store("dockerconfig", b"{}")
    store.keysets.create("kubernetes-ca", CertificateRequest("ca", Subject("kubernetes-ca")))
    assert names(root) == [
        f"{NAME}/config",
        "keys/igconfig/owner.json",
        "keys/private/kubernetes-ca/keyset.yaml",
        "secret/dockerconfig",
        "secret/igconfig/owner.json",
    ]
    assert store.secrets.list() == ["dockerconfig"]
    store.remove()
    assert names(root) == []


def test_a_configuration_base_elsewhere(url: str, root: VFSPath) -> None:
    ClusterStore.open(url, NAME).write_cluster(cluster(f"{CLUSTER}  configBase: {root}/base\n"))
    ClusterStore.open(url, NAME).secrets.store("dockerconfig", b"{}")
    assert names(root) == ["base/igconfig/owner.json", "base/secrets/dockerconfig", f"{NAME}/config"]


def test_removes_a_cluster_and_nothing_else(written, root: VFSPath) -> None:
    root.join("other.example.com", "config").write(b"x")
    root.join(f"{NAME}.other", "config").write(b"x")
    discovery = f"{CLUSTER}  serviceAccountIssuerDiscovery:\n    discoveryStore: {root}/public/{NAME}\n"
    store = written()
    store.write_cluster(cluster(discovery))
    for name in ("openid/v1/jwks", ".well-known/openid-configuration"):
        root.join("public", NAME, name).write(b"{}")
    with store.lease("delete cluster"):
        store.remove()
    assert names(root) == [f"{NAME}.other/config", "other.example.com/config"]
    directory = open_path(root.path).join(NAME)
    if isinstance(directory, LocalPath):
        assert not directory.location.exists()


def test_unknown_files_keep_a_cluster_from_being_removed(written, root: VFSPath) -> None:
    for name in ("notes.txt", "terraform/state"):
        root.join(NAME, name).write(b"x")
    before = names(root)
    with pytest.raises(StoreError, match=r"not part of a cluster \(notes.txt, terraform/state\); move them away"):
        written().remove()
    assert names(root) == before


def test_only_one_writer(written) -> None:
    with (
        written().lease("update cluster"),
        pytest.raises(LeaseHeld, match="for 'update cluster'"),
        written().lease("delete cluster", wait=0),
    ):
        pass


def test_a_writer_whose_lease_was_broken_writes_nothing(written, root: VFSPath) -> None:
    first, second = written(), written()
    with first.lease("first") as lease, second.lease("second", break_existing=True):
        lease._renew()
        before = {file.name: file.etag for file in root.list_tree()}
        for write in (
            lambda: first.write_cluster(cluster(CLUSTER.replace("1.34.0", "1.34.9"))),
            lambda: first.write_group(group(size=9)),
            lambda: first.remove_group("nodes"),
            first.remove,
        ):
            with pytest.raises(LeaseLost, match="'second'"):
                write()
        assert {file.name: file.etag for file in root.list_tree()} == before


def test_what_was_read_before_the_lease_is_read_again(written) -> None:
    mine = written()
    mine.read()
    written().write_group(group(size=7))
    with mine.lease("scale"):
        mine.read()
        assert mine.write_group(group(size=8))
    assert written().read_groups()[1].spec.max_size == 8


def test_what_was_read_counts_under_an_undisturbed_lease(written, root: VFSPath) -> None:
    mine = written()
    lease = mine.lease_for("scale")
    assert lease.look()
    mine.read()
    with mine.holding(lease):
        root.join(NAME, "instancegroup", "nodes").write(b"by kops, which knows no leases")
        with pytest.raises(WriteConflict):
            mine.write_group(group(size=8))


def test_leftovers_of_a_creation_that_broke_off(store: ClusterStore, root: VFSPath) -> None:
    assert store.leftovers() == []
    with store.lease("create cluster"):
        assert store.leftovers() == []
        store.write_group(group())
    assert {"instancegroup/nodes", "igconfig/lease.json"} <= {file.name for file in store.leftovers()}
    # Keys are made for clusters that exist: somebody has lost a specification, and may find it again.
    key = root.join(NAME, "pki", "private", "kubernetes-ca", "keyset.yaml")
    key.write(b"x")
    assert store.leftovers() == []
    key.remove()
    store.write_cluster(cluster())
    assert store.leftovers() == []


@pytest.mark.parametrize(("url", "message"), [("", "KOPS_STATE_STORE"), ("bucket", "examples are s3://bucket")])
def test_what_is_no_store(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        StateStore(url)


@pytest.mark.parametrize("name", ["", "..", "a/b"])
def test_what_is_no_cluster_name(name: str) -> None:
    with pytest.raises(StoreError, match="no cluster was named|is not a valid cluster name"):
        StateStore("memfs://tests").cluster(name)


def test_reads_what_an_update_left(written, root: VFSPath, golden) -> None:
    case = next((golden / "update_cluster" / "minimal-aws" / "data").glob("*cluster-completed.spec_content"))
    root.join(NAME, "cluster-completed.spec").write(
        case.read_bytes().replace(b"minimal-aws.example.com", NAME.encode())
    )
    root.join(NAME, "kops-version.txt").write(b"1.34.0-beta.1\n")
    completed = written().completed()
    assert completed is not None
    assert completed.metadata.name == NAME
    assert written().kops_version() == "1.34.0-beta.1"
