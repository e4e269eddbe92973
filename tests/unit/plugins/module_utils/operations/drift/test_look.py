# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of a cluster on bare metal: the state store and the API are asked, and hosts if there is an inventory."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.hosts import Compared
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"


@pytest.fixture()
def store(tmp_path: pathlib.Path) -> str:
    url = f"file://{tmp_path}"
    options = {"name": NAME, "state_store": url, "cloud": "metal", "zones": ["main"], "networking": "cni"}
    create_cluster(options, check_mode=False)
    return url


def test_bare_metal(store: str) -> None:
    update_cluster(UpdateOptions(store, NAME))
    options = DriftOptions(store, NAME, api_server="https://127.0.0.1:1")
    drift = look_for_drift(options)
    assert drift.found == []
    assert [(each.what, each.failed) for each in drift.unseen] == [
        ("the hosts", False),
        ("what runs in the cluster", True),
    ]
    path = ClusterStore.open(store, NAME).path.join("addons/bootstrap-channel.yaml")
    path.write(b"kind: Addons")
    (changed,) = look_for_drift(options).found
    assert (changed.where, changed.what, changed.kind) == ("store", "different", "ManagedFile")


def test_hosts_of_an_inventory(store: str) -> None:
    update_cluster(UpdateOptions(store, NAME))
    hosts = Compared({"c1": {"changes": [{"item": "file:/etc/hosts", "before": {"mode": "0600"}, "after": {}}]}})
    drift = look_for_drift(DriftOptions(store, NAME, parts=["store", "hosts"], hosts=hosts))
    assert [(each.where, each.name) for each in drift.found] == [("hosts", "c1: /etc/hosts")]
    assert drift.unseen == []
    others = look_for_drift(DriftOptions(store, NAME, parts=["store", "cloud"], hosts=hosts))
    assert (others.found, others.unseen) == ([], [])


def test_a_cluster_that_was_never_updated(store: str) -> None:
    drift = look_for_drift(DriftOptions(store, NAME, parts=["store"]))
    assert {(each.where, each.what) for each in drift.found} == {("store", "missing")}
    assert drift.is_complete
