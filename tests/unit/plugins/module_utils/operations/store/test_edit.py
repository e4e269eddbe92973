# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing stored objects while others write; tests/unit/plugins/modules/test_edit_modules.py shows the rest."""

from __future__ import annotations

import pathlib
import uuid
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.edit import Edit, edit_cluster, edit_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    load_manifests,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "minimal-aws.example.com"


@pytest.fixture
def options(golden: pathlib.Path) -> StoreOptions:
    """A store that holds a cluster with the groups nodes and master-us-test-1a."""
    found = StoreOptions(f"memfs://{uuid.uuid4()}")
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text()
    put(found, sort_objects(load_manifests(["".join(x for x in text.splitlines(True) if "configBase" not in x)])))
    return found


def group(options: StoreOptions, name: str = "nodes") -> Any:
    found = ClusterStore.open(options.state_store, NAME).read_groups()
    return next(each for each in found if each.metadata.name == name)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch, options: StoreOptions) -> list[Edit]:
    """Edits of the group nodes that somebody else makes while we wait for the lease, the first one first."""
    edits: list[Edit] = []
    holding = ClusterStore.holding

    def contended(self: ClusterStore, lease: Lease) -> Any:
        if edits:
            edit_groups(options, NAME, ["nodes"], edits.pop(0))
        return holding(self, lease)

    monkeypatch.setattr(ClusterStore, "holding", contended)
    return edits


def test_what_somebody_else_changes_meanwhile_stays(options: StoreOptions, meanwhile: list[Edit]) -> None:
    meanwhile.append(Edit(sets=["spec.maxSize=9"]))
    result = edit_groups(options, NAME, ["nodes"], Edit(sets=["spec.minSize=1"]))
    spec = group(options).spec
    assert (spec.min_size, spec.max_size) == (1, 9)
    (change,) = result.changes
    assert change.before.spec.max_size == 9


def test_what_has_become_wrong_meanwhile_is_refused(options: StoreOptions, meanwhile: list[Edit]) -> None:
    edit_groups(options, NAME, ["nodes"], Edit(sets=["spec.maxSize=9"]))
    meanwhile.append(Edit(sets=["spec.maxSize=4"]))
    with pytest.raises(ValidationError, match="instance group nodes"):
        edit_groups(options, NAME, ["nodes"], Edit(sets=["spec.minSize=6"]))
    assert (group(options).spec.min_size, group(options).spec.max_size) == (2, 4)


def test_what_somebody_else_has_done_already_is_no_change(options: StoreOptions, meanwhile: list[Edit]) -> None:
    meanwhile.append(Edit(sets=["spec.maxSize=9"]))
    assert edit_groups(options, NAME, ["nodes"], Edit(sets=["spec.maxSize=9"])).changes == []
    assert group(options).metadata.generation == 1


def test_all_groups_or_none(options: StoreOptions) -> None:
    with pytest.raises(KopsError, match="has no instance group node; did you mean nodes\\?, nor other"):
        edit_groups(options, NAME, ["nodes", "node", "other"], Edit(sets=["spec.minSize=1"]))
    with pytest.raises(ValidationError, match="must be 1 in a control-plane group"):
        edit_groups(options, NAME, ["nodes", "master-us-test-1a"], Edit(sets=["spec.maxSize=7"]))
    assert group(options).spec.max_size == 2


def test_a_cluster_keeps_its_etcd_once_it_runs(options: StoreOptions) -> None:
    directory = ClusterStore.open(options.state_store, NAME).path
    directory.join("cluster-completed.spec").write(directory.join("config").read())
    with pytest.raises(ValidationError, match="etcdClusters"):
        edit_cluster(options, NAME, Edit(sets=["spec.etcdClusters[0].etcdMembers[0].instanceGroup=nodes"]))


def test_lists_that_keep_what_they_had_are_told(options: StoreOptions) -> None:
    """As in kops, values are added: an access that was to be narrowed stays open."""
    narrow = Edit(sets=["spec.sshAccess=10.0.0.0/8"])
    (told,) = (each for each in edit_cluster(options, NAME, narrow, check=True).warnings if "sshAccess" in each)
    assert told == (
        f"cluster {NAME}: spec.sshAccess: the list keeps what it had (0.0.0.0/0); to replace that, unset spec.sshAccess"
        " as well"
    )
    replaced = edit_cluster(options, NAME, Edit(narrow.sets, unsets=["spec.sshAccess"]))
    again = edit_cluster(options, NAME, narrow)
    assert [each for found in (replaced, again) for each in found.warnings if "sshAccess" in each] == []
    assert ClusterStore.open(options.state_store, NAME).read_cluster().spec.ssh_access == ["10.0.0.0/8"]
    taint = Edit(sets=["spec.taints=b=c:NoSchedule"])
    edit_groups(options, NAME, ["nodes"], Edit(sets=["spec.taints=a=c:NoSchedule"]))
    (told,) = (each for each in edit_groups(options, NAME, ["nodes"], taint).warnings if "taints" in each)
    assert told.startswith("instance group nodes: spec.taints: the list keeps what it had (a=c:NoSchedule)")


@pytest.mark.parametrize("channel", ["foo", "file:///nowhere/channel", "./nowhere"])
def test_a_channel_that_is_none_is_not_stored(options: StoreOptions, channel: str) -> None:
    """Every later run would fail with it, the one that mends it, too."""
    with pytest.raises(ValidationError, match=r"spec\.channel: .*channel"):
        edit_cluster(options, NAME, Edit(sets=[f"spec.channel={channel}"]))
    # That one is read when it is needed.
    assert edit_cluster(options, NAME, Edit(sets=["spec.channel=https://example.com/channel"])).changes
