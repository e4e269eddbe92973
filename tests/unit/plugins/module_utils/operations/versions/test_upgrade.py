# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newer versions in a stored cluster."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.channels.loader import load_channel
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions
from ansible_collections.kubeops.kops.plugins.module_utils.operations.versions.upgrade import (
    Upgraded,
    UpgradeOptions,
    upgrade_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "metal.example.com"


def stored(directory: pathlib.Path, version: str) -> StoreOptions:
    url = f"file://{directory}"
    create_cluster(
        {
            "name": NAME,
            "state_store": url,
            "cloud": "metal",
            "zones": ["main"],
            "networking": "cni",
            "kubernetes_version": version,
        },
        check_mode=False,
    )
    return StoreOptions(url)


def version_of(store: StoreOptions) -> str | None:
    return ClusterStore.open(store.state_store, NAME).read_cluster().spec.kubernetes_version


def test_the_channel_recommends_the_next_minor_version(tmp_path: pathlib.Path) -> None:
    store = stored(tmp_path, "1.33.1")
    recommended = str(load_channel("stable").kubernetes_upgrade("1.34.0").recommended)
    planned = upgrade_cluster(store, UpgradeOptions(NAME), check=True)
    assert planned.upgrades == [Upgraded("Cluster", "KubernetesVersion", "1.33.1", recommended)]
    assert version_of(store) == "1.33.1"
    done = upgrade_cluster(store, UpgradeOptions(NAME))
    assert (done.upgrades, version_of(store)) == (planned.upgrades, recommended)
    assert recommended.startswith("1.34.")


def test_an_upgrade_that_is_done_is_no_change(tmp_path: pathlib.Path) -> None:
    store = stored(tmp_path, "1.33.1")
    options = UpgradeOptions(NAME, kubernetes_version="v1.34.2")
    assert upgrade_cluster(store, options).stored.changes
    again = upgrade_cluster(store, options)
    assert (again.stored.changes, again.upgrades, version_of(store)) == ([], [], "1.34.2")


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.33.1", "is older than 1.34.2, which the cluster has"),
        ("1.36.0", r"skips versions: from 1.34.2 the next step is 1.35"),
    ],
)
def test_kubernetes_is_neither_downgraded_nor_hurried(tmp_path: pathlib.Path, version: str, message: str) -> None:
    store = stored(tmp_path, "1.34.2")
    with pytest.raises(ValidationError, match=message):
        upgrade_cluster(store, UpgradeOptions(NAME, kubernetes_version=version))
    assert version_of(store) == "1.34.2"


def test_another_channel_is_a_change_of_its_own(tmp_path: pathlib.Path) -> None:
    store = stored(tmp_path, "1.34.2")
    done = upgrade_cluster(store, UpgradeOptions(NAME, kubernetes_version="1.34.2", channel="alpha"))
    assert done.upgrades == [Upgraded("Cluster", "Channel", "stable", "alpha")]
