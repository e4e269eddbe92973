# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places that a specification names, and whose they are."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.ownership import COMPLETED, OWNER
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import StoreError, Tree

NAME, OTHER = "demo.example.com", "other.example.com"
STORE = "memfs://store"
# The field of a place -> the lines of a manifest that name it.
FIELDS = {
    "spec.configBase": "  configBase: {place}\n",
    "spec.keyStore": "  keyStore: {place}\n",
    "spec.secretStore": "  secretStore: {place}\n",
    "spec.serviceAccountIssuerDiscovery.discoveryStore": (
        "  serviceAccountIssuerDiscovery:\n    discoveryStore: {place}\n"
    ),
    "spec.etcdClusters[0].backups.backupStore": (
        "  etcdClusters:\n  - name: main\n    backups:\n      backupStore: {place}\n"
    ),
}
# A file that a cluster writes there.
FILES = {"spec.serviceAccountIssuerDiscovery.discoveryStore": "openid/v1/jwks"}
PLACE = "memfs://elsewhere/place"


@pytest.fixture(autouse=True)
def _memory() -> Iterator[None]:
    MemoryPath.clear()
    yield
    MemoryPath.clear()


def _cluster(name: str, field: str = "", place: str = PLACE) -> Cluster:
    text = f"apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nmetadata:\n  name: {name}\nspec:\n  cloudProvider: aws\n"
    (found,) = manifest.load(text + (FIELDS[field].format(place=place) if field else ""))
    assert isinstance(found, Cluster)
    return found


def _write(name: str, field: str = "", store: str = STORE, *adopt: str, place: str = PLACE) -> ClusterStore:
    opened = ClusterStore.open(store, name, adopt=adopt)
    with opened.lease("test"):
        opened.write_cluster(_cluster(name, field, place))
    return opened


def _use(field: str) -> None:
    open_path(PLACE).join(FILES.get(field, "private/kubernetes-ca/keyset.yaml")).write(b"x")


@pytest.mark.parametrize("field", FIELDS)
def test_a_place_is_the_first_clusters_until_it_is_taken_over(field: str) -> None:
    _write(NAME, field)
    _use(field)
    before = {file.name: file.path.read() for file in open_path("memfs://").list_tree()}
    with pytest.raises(ValidationError) as raised:
        _write(OTHER, field)
    (problem,) = raised.value.errors
    assert (problem.path, problem.value) == (field, PLACE)
    is_public = "discovery" in field
    name = PLACE if is_public else f"{STORE}/{NAME}"
    assert f"adopt: {name} (kops_adopt={name} in a playbook)" in problem.message
    after = {file.name: file.path.read() for file in open_path("memfs://").list_tree() if "lease" not in file.name}
    assert after == {path: content for path, content in before.items() if "lease" not in path}
    with pytest.raises(ValidationError):
        _write(OTHER, field, STORE, "memfs://elsewhere")

    taker = _write(OTHER, field, STORE, name)
    assert [f"{PLACE} is taken over from" in each for each in taker.takeovers] == [True]
    # What was taken over needs no permission any more; and the first one has lost it.
    ClusterStore.open(STORE, OTHER).refuse_foreign_places()
    with pytest.raises(ValidationError, match="is a place of|nothing says that they are"):
        ClusterStore.open(STORE, NAME).refuse_foreign_places()
    if is_public:
        assert STORE not in open_path(PLACE).join(OWNER).read().decode()


@pytest.mark.parametrize("field", FIELDS)
def test_a_cluster_of_the_same_name_in_another_store_is_another_one(field: str) -> None:
    _write(NAME, field)
    _use(field)
    with pytest.raises(ValidationError, match="is a place of cluster|nothing says that they are"):
        _write(NAME, field, "memfs://second")


@pytest.mark.parametrize("field", FIELDS)
def test_without_a_mark_a_place_is_that_of_the_last_update(field: str) -> None:
    """As kops leaves it, and older releases of this collection."""
    _write(NAME, field)
    _use(field)
    open_path(PLACE).join(OWNER).remove()
    with pytest.raises(ValidationError, match="nothing says that they are"):
        ClusterStore.open(STORE, NAME).refuse_foreign_places()
    base = PLACE if field == "spec.configBase" else f"{STORE}/{NAME}"
    open_path(base).join(COMPLETED).write(manifest.dump(_cluster(NAME, field)).encode())
    ClusterStore.open(STORE, NAME).refuse_foreign_places()
    with pytest.raises(ValidationError):
        _write(OTHER, field)
    # The next write marks it.
    store = ClusterStore.open(STORE, NAME)
    store.read_cluster()
    with store.lease("test"):
        pass
    assert open_path(PLACE).join(OWNER).read()


@pytest.mark.parametrize("below", ["", "/pki", "/backups/etcd/new"])
@pytest.mark.parametrize("field", FIELDS)
def test_the_directory_of_another_cluster(field: str, below: str) -> None:
    _write(OTHER)
    with pytest.raises(ValidationError, match=rf"is a place of cluster {OTHER} \({STORE}/{OTHER}\)"):
        _write(NAME, field, place=f"{STORE}/{OTHER}{below}")


def test_a_new_cluster_in_a_directory_that_another_one_uses() -> None:
    _write(NAME, "spec.configBase", place=f"{STORE}/{OTHER}")
    with pytest.raises(ValidationError, match=f"is a place of cluster {NAME}"):
        _write(OTHER)
    assert json.loads(open_path(f"{STORE}/{OTHER}").join(OWNER).read())["cluster"] == NAME


@pytest.mark.parametrize("below", ["", "/backups", "/clusters/eu"])
def test_a_state_store_in_the_directory_of_another_cluster(below: str) -> None:
    """Deleting that one would delete all that is in its known directories."""
    _write(OTHER)
    store = f"{STORE}/{OTHER}{below}"
    with pytest.raises(ValidationError, match=f"spec.configBase: is a place of cluster {OTHER} "):
        _write(NAME, store=store)
    _write(NAME, store=f"{STORE}/beside")
    # What is stored there already can still be changed, and be deleted.
    _write(NAME, "", store, f"{STORE}/{OTHER}")
    _write(NAME, store=store)


@pytest.mark.parametrize(("field", "below"), [(field, "") for field in FIELDS] + [("spec.keyStore", "/pki")])
def test_what_was_taken_over_of_a_directory_is_not_deleted_with_it(field: str, below: str) -> None:
    former = _write(OTHER)
    place = f"{STORE}/{OTHER}{below}"
    _write(NAME, field, STORE, f"{STORE}/{OTHER}", place=place)
    open_path(place).join("pki", "theirs").write(b"theirs")
    former = ClusterStore.open(STORE, OTHER)
    (problem,) = former.foreign_places(former.read_cluster(), Tree.of(former.path))
    assert problem.value == place and "was taken over by" in problem.message
    with former.lease("delete cluster"), pytest.raises(StoreError, match=f"taken over by others: {place} "):
        former.remove()
    assert open_path(place).join("pki", "theirs").read() == b"theirs"
    # What the message names.
    assert f"{place}/{OWNER}" in problem.message
    open_path(place).join(OWNER).remove()
    with former.lease("delete cluster"):
        former.remove()


def test_keys_and_secrets_of_another_cluster_are_not_read_nor_removed() -> None:
    _write(OTHER).keysets.root.join("private", "kubernetes-ca", "keyset.yaml").write(b"theirs")
    # As a release without marks has stored it.
    text = manifest.dump(_cluster(NAME, "spec.keyStore", f"{STORE}/{OTHER}/pki"))
    open_path(f"{STORE}/{NAME}").join("config").write(text.encode())
    store = ClusterStore.open(STORE, NAME)
    with pytest.raises(ValidationError, match=f"is a place of cluster {OTHER}"):
        store.keysets.list()
    with store.lease("delete cluster"):
        store.remove()
    assert open_path(f"{STORE}/{OTHER}/pki/private/kubernetes-ca/keyset.yaml").read() == b"theirs"
    assert open_path(f"{STORE}/{NAME}").list_tree() == []


def test_a_specification_can_be_corrected() -> None:
    _write(OTHER)
    text = manifest.dump(_cluster(NAME, "spec.keyStore", f"{STORE}/{OTHER}/pki"))
    open_path(f"{STORE}/{NAME}").join("config").write(text.encode())
    store = ClusterStore.open(STORE, NAME)
    store.read_cluster()
    assert store.write_cluster(_cluster(NAME))
    ClusterStore.open(STORE, NAME).refuse_foreign_places()
