# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a cluster whose state store is in Cloud Storage: the nodes of bare metal, which any store serves."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import LeaseHeld
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import GROUP_COPY, LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support import storage_server
from ansible_collections.kubeops.kops.tests.support.killable import Killable, Killed
from ansible_collections.kubeops.kops.tests.support.storage_server import Fault, Service, StoredBucket

NAME = "metal.example.com"
STORE = "gs://state/clusters"
GIVEN = {"name": NAME, "state_store": STORE, "cloud": "metal", "zones": ["main"], "networking": "cni"}
WRITES = "^(POST|PUT|DELETE) "


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A Cloud Storage with the bucket, and no other credentials or stores."""
    with storage_server.running() as (url, found):
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", url)
        monkeypatch.setenv("no_proxy", "*")
        found.buckets["state"] = StoredBucket(settings={"versioning": {"enabled": True}})
        yield found


def stored(service: Service) -> dict[str, str]:
    """The objects of the cluster and their contents, without what each run has of its own."""
    return {
        name: re.sub(r"creationTimestamp: .*", "", each.content.decode(errors="surrogateescape"))
        for name, each in service.buckets["state"].objects.items()
        if not name.endswith((LEASE, GROUP_COPY))
    }


def writes(service: Service) -> list[str]:
    return [each for each in service.asked if re.search(WRITES, each)]


def play(playbook: str, directory: pathlib.Path, **variables: Any) -> str:
    given = {"kops_cluster_name": NAME, "kops_state_store": STORE, **variables}
    output = run_ansible("ansible-playbook", f"kubeops.kops.{playbook}", "-e", json.dumps(given), directory=directory)
    assert "PRIVATE KEY" not in output
    return output


def module(name: str, directory: pathlib.Path, *options: str, **arguments: Any) -> str:
    given = {"name": NAME, "state_store": STORE, **arguments}
    command = ("ansible", "localhost", "-m", f"kubeops.kops.{name}", "-a", json.dumps(given), *options)
    output = run_ansible(*command, directory=directory)
    assert "PRIVATE KEY" not in output
    return output


def test_modules_and_playbooks_create_get_edit_and_delete(service: Service, tmp_path: pathlib.Path) -> None:
    options = {"cloud": "metal", "zones": ["main"], "networking": "cni"}
    assert "CHANGED" in module("create_cluster", tmp_path, "--check", **options)
    assert writes(service) == []
    assert "CHANGED" in module("create_cluster", tmp_path, **options)
    assert "CHANGED" in module("update_cluster", tmp_path)
    before = stored(service)
    assert f"clusters/{NAME}/config" in before and f"clusters/{NAME}/cluster-completed.spec" in before
    # Files are compared by one listing; only keys are read.
    service.asked.clear()
    assert "SUCCESS" in module("update_cluster", tmp_path)
    assert writes(service) == []
    assert len([each for each in service.asked if "/o?prefix=" in each]) == 1
    assert [each for each in service.asked if "addons" in each or "manifests" in each] == []
    assert NAME in play("get", tmp_path)
    play("edit", tmp_path, kops_set=["spec.api.access=192.0.2.0/24"])
    assert [name for name, content in stored(service).items() if content != before.get(name)] == [
        f"clusters/{NAME}/config"
    ]
    assert "CHANGED" in module("delete_cluster", tmp_path, hosts_cleared=True)
    assert [*service.buckets["state"].objects] == []


def _killed_at(service: Service, write: int, act: bool, operation: str, arguments: dict[str, Any]) -> str:
    """End an operation at a write, before or after that is carried out. Returns the write; "" if it was done before."""
    process = Killable(operation, arguments)

    def kill() -> None:
        os.kill(process.pid, signal.SIGKILL)

    service.asked.clear()
    service.faults = [Fault(WRITES, act=act, then=kill, passes=write)]
    process.go()
    try:
        process.changed()
    except Killed:
        return writes(service)[-1]
    service.faults = []
    return ""


def names_in(service: Service) -> set[str]:
    """Names of all files, whatever their content is."""
    return {re.sub(r"[0-9a-f]{64}|[0-9a-f]{32}", "HASH", name) for name in stored(service)}


@pytest.mark.parametrize("act", [False, True], ids=["before", "after"])
@pytest.mark.long
def test_killed_at_any_write_it_ends_in_the_same_cluster(service: Service, act: bool) -> None:
    def life(step: str, arguments: dict[str, Any]) -> int:
        ended, write = 0, 0
        while _killed_at(service, write, act, step, arguments):
            ended += 1
            write = (write + 1) % 4
        return ended

    create_cluster(GIVEN, check_mode=False)
    update_cluster(UpdateOptions(STORE, NAME))
    names, ended = names_in(service), 0
    place = {"state_store": STORE, "name": NAME}
    # Several writes are under way at each kill, so that how many an update survives is chance.
    while ended < 10:
        assert delete_cluster(DeleteOptions(STORE, NAME, hosts_cleared=True)).changed
        assert life("create", GIVEN) >= 3
        ended += life("update", place)
        assert names_in(service) == names
        assert not update_cluster(UpdateOptions(STORE, NAME)).changed
    assert life("delete", {**place, "hosts_cleared": True}) >= 3
    assert service.buckets["state"].objects == {}


def test_two_writers(service: Service) -> None:
    """One of them waits for the other, and then has nothing to do; one that does not wait is told who writes."""
    create_cluster(GIVEN, check_mode=False)
    results: list[bool] = []

    def update() -> None:
        results.append(update_cluster(UpdateOptions(STORE, NAME)).changed)

    threads = [threading.Thread(target=update) for _number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, True]
    store = ClusterStore.open(STORE, NAME)
    with store.holding(store.lease_for("somebody's work")), pytest.raises(LeaseHeld, match="somebody's work"):
        delete_cluster(DeleteOptions(STORE, NAME, hosts_cleared=True, lease_wait=0))
    assert f"clusters/{NAME}/config" in service.buckets["state"].objects


def test_faults_of_the_store_end_in_the_same_cluster(service: Service) -> None:
    """Each fifth request is refused, and of writes each third is done and its answer lost."""
    for _time in range(40):
        service.faults += [Fault("", 503, passes=4), Fault(WRITES, act=True, passes=2)]
    create_cluster(GIVEN, check_mode=False)
    update_cluster(UpdateOptions(STORE, NAME))
    assert 0 < len(service.faults) < 70
    service.faults = []
    assert not update_cluster(UpdateOptions(STORE, NAME)).changed
