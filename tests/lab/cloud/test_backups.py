# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd that control planes make on schedule, and a restore of one: with no SSH, over the state store only.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import VFSPath
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
# With 3 as KOPS_LAB_CONTROL_PLANES, one in each zone.
COUNT = int(os.environ.get("KOPS_LAB_CONTROL_PLANES", "1"))
OPTIONS = {
    "networking": "flannel",
    "node_count": 1,
    "zones": list(clusters.ZONES[:COUNT]),
    "set": [f"spec.etcdClusters[{number}].manager.backupInterval=1m" for number in (0, 1)],
}
WAITS = {"kops_validate_wait": 600, "kops_validate_interval": 3}
# What a restore has written down, as control planes see it.
ORDER = "main/control/kubeops-restore.json"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A cluster whose etcd is backed up every minute."""
    made = new_site(OPTIONS)
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return made


@contextlib.contextmanager
def stored(site: CloudSite) -> Iterator[VFSPath]:
    """The directory of backups in the state store."""
    with mock.patch.dict(os.environ, site.environment()):
        yield open_path(f"{site.store}/{clusters.NAME}/backups/etcd")


def backups(site: CloudSite, etcd: str) -> list[str]:
    """Names of complete backups."""
    with stored(site) as directory:
        names = [each.name for each in directory.list_tree()]
    complete = (name.split("/") for name in names if name.endswith("/_etcd_backup.meta"))
    return [parts[1] for parts in complete if parts[0] == etcd and parts[1].startswith("2")]


def gone_on(site: CloudSite) -> bool:
    """Whether control planes have been told to go on with a restore."""
    with stored(site) as directory:
        try:
            return bool(json.loads(directory.join(ORDER).read())["go"])
        except FileNotFoundError:
            return False


def marker(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"said": name}}


def config_maps(site: CloudSite) -> set[str]:
    return {each["metadata"]["name"] for each in site.objects("configmaps")}


def test_backups_are_made_on_schedule(site: CloudSite) -> None:
    site.kubectl("create", "--filename=-", stdin=json.dumps(marker("kept")))
    before = {etcd: len(backups(site, etcd)) for etcd in ("main", "events")}
    took = site.wait(lambda: all(len(backups(site, etcd)) >= count + 2 for etcd, count in before.items()), 240)
    print(f"\ntwo more backups of each etcd cluster after {took:.0f} s: {backups(site, 'main')}")
    valid = site.run("validate_cluster")
    assert valid.code == 0, valid.output
    assert "the last backup of etcd" not in valid.output


def test_deleted_objects_come_back(site: CloudSite) -> None:
    names = backups(site, "main")
    site.wait(lambda: len(backups(site, "main")) > len(names), 120)
    chosen = backups(site, "main")[-1]
    site.kubectl("delete", "configmap/kept")
    site.kubectl("create", "--filename=-", stdin=json.dumps(marker("later")))
    variables = {"kops_backups": {"main": chosen}, "kops_etcd_clusters": ["main", "events"]}
    checked = site.run("etcd_restore", "--check", **variables)
    assert checked.code == 0, checked.output
    assert "kept" not in config_maps(site)
    # It is killed as soon as the control plane stops, which goes on by itself.
    started = time.monotonic()
    killed = site.run("etcd_restore", killed_when=lambda: gone_on(site), **variables)
    assert killed.code != 0
    followed = site.run("etcd_restore", **variables)
    print(followed.output)
    assert followed.code == 0, f"{followed.output}\n{site.state()}"
    print(f"\nkilled and followed: {time.monotonic() - started:.0f} s")
    site.wait(lambda: "kept" in config_maps(site), 120)
    assert "later" not in config_maps(site)
    valid = site.run("validate_cluster", **WAITS)
    assert valid.code == 0, f"{valid.output}\n{site.state()}"
    assert site.ready() == sorted(site.instances())
    print(f"valid again after {time.monotonic() - started:.0f} s")
    # Backups go on after the restore.
    names = backups(site, "main")
    site.wait(lambda: len(backups(site, "main")) > len(names), 150)
