# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storing manifests: read once, in an order that survives an end; the modules' tests show the rest."""

from __future__ import annotations

import json
import pathlib
import uuid
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import dump_all
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.edit import Edit, edit_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    WantedCluster,
    load_manifests,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import (
    GROUP_COPY,
    LEASE,
    ClusterStore,
    StateStore,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import VFSPath

NAME = "minimal-aws.example.com"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me"


@pytest.fixture
def options() -> StoreOptions:
    """An empty store, of a kind that keeps a copy of the groups."""
    return StoreOptions(f"memfs://{uuid.uuid4()}")


@pytest.fixture
def wanted(golden: pathlib.Path) -> WantedCluster:
    """A cluster with the groups nodes and master-us-test-1a."""
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text()
    (found,) = sort_objects(load_manifests(["".join(x for x in text.splitlines(True) if "configBase" not in x)]))
    return found


def store_of(options: StoreOptions) -> ClusterStore:
    return StateStore(options.state_store).cluster(NAME)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What was read, and what was listed, and how often."""
    counted: Counter[str] = Counter()

    def count(method: str) -> None:
        original = getattr(MemoryPath, method)

        def counting(self: VFSPath, *arguments: Any) -> Any:
            counted[self.path.partition(NAME)[2].lstrip("/") or self.path] += 1
            return original(self, *arguments)

        monkeypatch.setattr(MemoryPath, method, counting)

    for method in ("read_tagged", "list_tree"):
        count(method)
    return counted


def test_everything_is_read_once(options: StoreOptions, wanted: WantedCluster, reads: Counter[str]) -> None:
    for generation in (1, 2):
        wanted.groups[0].spec.max_size = 5 + generation
        reads.clear()
        assert put(options, [wanted]).changes
        assert {reads[LEASE], reads["config"], reads["instancegroup"]} == {1}
        assert max(reads.values()) == 1, reads
    reads.clear()
    edit_groups(options, NAME, ["nodes"], Edit(sets=["spec.minSize=1"]))
    assert reads["config"] == 1
    assert max(reads.values()) == 1, reads


def test_groups_that_a_creation_left_are_no_part_of_the_next(options: StoreOptions, wanted: WantedCluster) -> None:
    kept, left = wanted.groups
    for size, group in ((7, kept), (8, left)):
        group.spec.max_size = size
        store_of(options).write_group(group)
    kept.spec.max_size, wanted.groups = 9, [kept]
    assert [each.kind for each in put(options, [wanted]).changes] == ["Cluster", "InstanceGroup"]
    (stored,) = store_of(options).read_groups()
    assert (stored.metadata.name, stored.spec.max_size) == (kept.metadata.name, 9)


def test_keys_go_where_the_new_cluster_has_them(options: StoreOptions, wanted: WantedCluster) -> None:
    assert wanted.cluster is not None
    wanted.cluster.spec.config_store.keypairs = f"memfs://{uuid.uuid4()}/elsewhere"
    wanted.ssh_public_keys = [KEY]
    put(options, [wanted])
    assert store_of(options).ssh_public_keys.list() == [KEY]
    assert not any("pki" in file.name for file in store_of(options).files())
    assert put(options, [wanted]).changes == []


def test_a_plan_of_several_clusters_says_which_one(options: StoreOptions, wanted: WantedCluster) -> None:
    assert wanted.cluster is not None
    other = load_manifests([dump_all([wanted.cluster]).replace(NAME, "other.example.com")])
    lines: list[str] = []
    both = [wanted, *sort_objects(other)]
    result = put(replace(options, progress=lines.append), both)
    assert [(each["task"], each["reason"]) for each in result.entries()][-1] == (
        "other.example.com/Cluster/other.example.com",
        "cluster other.example.com",
    )
    assert lines[-1] == "[1/1] stored Cluster/other.example.com"
    assert lines[-2] == f"[3/3] stored Cluster/{NAME}"


def test_a_copy_that_is_out_of_date_is_renewed(options: StoreOptions, wanted: WantedCluster) -> None:
    put(options, [wanted])
    copy = store_of(options).path.join(GROUP_COPY)
    before = copy.read()
    copy.write(b"{}")
    put(options, [wanted], check=True)
    assert copy.read() == b"{}"
    assert put(options, [wanted]).changes == []
    assert json.loads(copy.read()) == json.loads(before)
