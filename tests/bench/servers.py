# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clusters at Hetzner, on DigitalOcean and on vSphere cost at so many instance groups: seconds and requests.

A control plane and groups of one worker each, made, updated without a change, and deleted, against a fake on loopback
or govmomi's simulator, in one process with it. Servers take their credentials at once, and nobody waits between two
looks: so the seconds are what the collection and the fake take, and not what a cloud does. No rate is limited.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import time
import uuid
from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.bench.groups import add_groups
from ansible_collections.kubeops.kops.tests.support.digitalocean import whole_clusters as on_digitalocean
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as at_hetzner
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from ansible_collections.kubeops.kops.tests.support.vsphere import whole_clusters as on_vsphere
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import Wire

NAME = "bench.k8s.local"
# Gives the requests so far, all and those that change something.
Counter = Callable[[], tuple[int, int]]
# Opens a cloud, and stores a cluster of a control plane and a group of one worker there.
Opened = contextlib.AbstractContextManager[tuple[str, Counter]]


def _new_store() -> str:
    return f"memfs://bench-{uuid.uuid4().hex[:8]}"


@contextlib.contextmanager
def hetzner(patch: pytest.MonkeyPatch) -> Iterator[tuple[str, Counter]]:
    """A project."""
    with HetznerServer() as server:
        at_hetzner.environment(patch, server)
        patch.setenv("S3_ENDPOINT", "https://fsn1.your-objectstorage.com")
        place = {"cloud": "hetzner", "zones": ["fsn1"], "network_cidr": ["10.0.0.0/16"]}
        of_cluster = {"ssh_public_key": at_hetzner.KEY, "networking": "cilium", "kubernetes_version": "1.34.4"}
        store = _new_store()
        create_cluster({"name": NAME, "state_store": store, "node_count": 1, **place, **of_cluster}, check_mode=False)
        yield store, lambda: (len(server.calls), len(server.writes))


@contextlib.contextmanager
def digitalocean(patch: pytest.MonkeyPatch) -> Iterator[tuple[str, Counter]]:
    """An account."""
    with on_digitalocean.account_on_loopback(patch) as (server, _handed):
        store = on_digitalocean.stored(_new_store(), name=NAME, node_count=1)
        yield store, lambda: (len(server.calls), len(server.writes))


@contextlib.contextmanager
def vsphere(patch: pytest.MonkeyPatch) -> Iterator[tuple[str, Counter]]:
    """A vCenter."""
    with simulator.running() as vcenter:
        on_vsphere.environment(patch, vcenter)
        wire = Wire(patch)
        store = on_vsphere.stored(_new_store(), name=NAME, node_count=1)
        yield store, lambda: (len(wire.calls), len(wire.writes))


CLOUDS: dict[str, Callable[[pytest.MonkeyPatch], Opened]] = {
    "hetzner": hetzner,
    "digitalocean": digitalocean,
    "vsphere": vsphere,
}


def bench(cloud: str, groups: int) -> list[dict[str, str | int | float]]:
    """A row for each step."""
    steps: dict[str, Callable[[str], object]] = {
        "create": lambda store: update_cluster(UpdateOptions(store, NAME)),
        "unchanged": lambda store: update_cluster(UpdateOptions(store, NAME)),
        "delete": lambda store: delete_cluster(DeleteOptions(store, NAME)),
    }
    rows: list[dict[str, str | int | float]] = []
    with pytest.MonkeyPatch.context() as patch, CLOUDS[cloud](patch) as (store, counted):
        add_groups(store, NAME, groups)
        for step, act in steps.items():
            (calls, writes), started = counted(), time.monotonic()
            act(store)
            seconds, (calls_after, writes_after) = round(time.monotonic() - started, 2), counted()
            made = {"calls": calls_after - calls, "writes": writes_after - writes, "seconds": seconds}
            rows.append({"cloud": cloud, "groups": groups, "step": step, **made})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/bench servers", description=__doc__)
    parser.add_argument("--cloud", action="append", choices=[*CLOUDS], help="only this one; can be repeated")
    parser.add_argument("--groups", default="2,6,52", help="numbers of instance groups, separated by commas")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    arguments = parser.parse_args()
    results = []
    print(f"{'cloud':<14} {'groups':>6} {'step':<10} {'calls':>6} {'writes':>6} {'seconds':>8}")
    for cloud in arguments.cloud or CLOUDS:
        for groups in map(int, arguments.groups.split(",")):
            for row in bench(cloud, groups):
                results.append(row)
                figures = f"{row['calls']:>6} {row['writes']:>6} {row['seconds']:>8}"
                print(f"{row['cloud']:<14} {row['groups']:>6} {row['step']:<10} {figures}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
