# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd that control planes make on schedule, and a restore of one: with no SSH, over the state store only.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import account, clusters
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
STORE = f"{account.STORE}/{clusters.NAME}"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A cluster whose etcd is backed up every minute."""
    made = new_site(OPTIONS)
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return made


def keys() -> list[str]:
    """All objects below the directory of backups."""
    bucket, _slash, prefix = STORE.removeprefix("s3://").partition("/")
    pages = account.pages("s3", "list_objects_v2", "Contents", Bucket=bucket, Prefix=f"{prefix}/backups/etcd/")
    return sorted(each["Key"].partition("/backups/etcd/")[2] for each in pages)


def backups(etcd: str) -> list[str]:
    """Names of complete backups."""
    return [key.split("/")[1] for key in keys() if key.startswith(f"{etcd}/2") and key.endswith("/_etcd_backup.meta")]


def marker(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"said": name}}


def config_maps(site: CloudSite) -> set[str]:
    return {each["metadata"]["name"] for each in site.objects("configmaps")}


def test_backups_are_made_on_schedule(site: CloudSite) -> None:
    site.kubectl("create", "--filename=-", stdin=json.dumps(marker("kept")))
    before = {etcd: backups(etcd) for etcd in ("main", "events")}
    took = site.wait(
        lambda: all(len(backups(etcd)) >= len(before[etcd]) + 2 for etcd in before) and len(backups("main")) >= 2, 240
    )
    print(f"\ntwo more backups of each etcd cluster after {took:.0f} s: {backups('main')}")
    valid = site.run("validate_cluster")
    assert valid.code == 0, valid.output
    assert "the last backup of etcd" not in valid.output


def test_deleted_objects_come_back(site: CloudSite) -> None:
    names = backups("main")
    site.wait(lambda: len(backups("main")) > len(names), 120)
    chosen = backups("main")[-1]
    site.kubectl("delete", "configmap/kept")
    site.kubectl("create", "--filename=-", stdin=json.dumps(marker("later")))
    variables = {"kops_backups": {"main": chosen}, "kops_etcd_clusters": ["main", "events"]}
    checked = site.run("etcd_restore", "--check", **variables)
    assert checked.code == 0, checked.output
    assert "kept" not in config_maps(site)
    # It is killed as soon as the control plane stops, which goes on by itself.
    order = f"{clusters.NAME}/backups/etcd/main/control/kubeops-restore.json"

    def gone_on() -> bool:
        found = [key for key in keys() if key == "main/control/kubeops-restore.json"]
        bucket = account.STORE.removeprefix("s3://")
        return (
            bool(found) and json.loads(account.client("s3").get_object(Bucket=bucket, Key=order)["Body"].read())["go"]
        )

    started = time.monotonic()
    killed = site.run("etcd_restore", killed_when=gone_on, **variables)
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
    names = backups("main")
    site.wait(lambda: len(backups("main")) > len(names), 150)
