# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes is upgraded on three control planes and two workers, while a client asks the API five times a second.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import dataclasses
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock
from urllib.parse import urlsplit

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.export import (
    api_server_url,
    internal_name,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
)
from ansible_collections.kubeops.kops.tests.lab import binaries
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import ADMIN, CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
MINORS = (binaries.NEWEST, "1.33")
NEW, OLD = (binaries.KUBERNETES[minor] for minor in MINORS)
OPTIONS = {
    "networking": "flannel",
    "zones": [*clusters.ZONES],
    "control_plane_count": 3,
    "node_count": 2,
    "kubernetes_version": OLD,
}
WAITS = {"kops_validate_wait": 600, "kops_validate_interval": 3}
MARKERS = 20
PER_SECOND = 5
# Of the requests of a whole upgrade. Each of three API servers ends once, and may break off what it is being asked.
FEW = 0.02


@dataclasses.dataclass(frozen=True)
class Sample:
    """What ran at one moment: API server -> its version, by itself; node -> that of its kubelet, by its Node."""

    servers: dict[str, str]
    kubelets: dict[str, str]

    def ahead(self, workers: set[str]) -> list[str]:
        """The workers whose kubelets are newer than an API server."""
        oldest = min(map(number, self.servers.values()), default=(9, 9, 9))
        return [name for name, version in self.kubelets.items() if name in workers and number(version) > oldest]


def number(version: str) -> tuple[int, ...]:
    """1.33.13 of v1.33.13-lab."""
    return tuple(int(part) for part in version.lstrip("v").partition("-")[0].split("."))


class Sampler:
    """Asks each API server and all nodes for their versions, again and again, until it is stopped."""

    def __init__(self, site: CloudSite) -> None:
        self.site = site
        self.samples: list[Sample] = []
        self.workers: set[str] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            workers = set(self.site.workers())
            servers = {name: found for name in self.site.control_planes() if (found := _version_of(name))}
            nodes = self.site.nodes()
            kubelets = {name: node["status"]["nodeInfo"]["kubeletVersion"] for name, node in nodes.items()}
            self.workers |= workers
            if servers and kubelets:
                self.samples.append(Sample(servers, kubelets))
            self._ended.wait(1)


def _version_of(name: str) -> str:
    """What the API server on an instance says that it is; "" while it does not answer."""
    # Its own kubeconfig names the API server on the same instance; nobody else may ask without a name.
    ask = ("kubectl", f"--kubeconfig={ADMIN}", "get", "--raw=/version", "--request-timeout=2s")
    answer = machines.within(name, *ask, check=False)
    try:
        return str(json.loads(answer)["gitVersion"])
    except (ValueError, KeyError):
        return ""


@contextmanager
def sampled(site: CloudSite) -> Iterator[Sampler]:
    sampler = Sampler(site)
    try:
        yield sampler
    finally:
        sampler.stop()


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A cluster of the older version, with objects to find again."""
    made = new_site(OPTIONS)
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    items = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"marker-{each}"}, "data": {"it": str(each)}}
        for each in range(MARKERS)
    ]
    made.kubectl("apply", "--filename=-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return made


class Client:
    """A user of the API, over its load balancer: with a new connection each time, for what etcd is asked for."""

    def __init__(self, site: CloudSite) -> None:
        with mock.patch.dict(os.environ, site.environment()):
            validator = CloudValidator.open(CloudExpectation(site.store, clusters.NAME))
            url = api_server_url(validator.cluster, api_server="", lifetime=None, warnings=[])
        self._host, self._credentials = urlsplit(url).hostname or "", validator.credentials
        self.asked, self.failed = 0, list[str]()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        following = time.monotonic()
        while not self._ended.is_set():
            self.asked += 1
            try:
                self._ask()
            except KopsError as error:
                self.failed.append(f"{time.strftime('%H:%M:%S')} {error}")
            following += 1 / PER_SECOND
            self._ended.wait(max(0, following - time.monotonic()))

    def _ask(self) -> None:
        name, once = internal_name(clusters.NAME), RetryPolicy(deadline=0, timeout=2)
        client = KubernetesClient(f"https://{name}", self._credentials, address=self._host, retry=once)
        try:
            client.get("/api/v1/namespaces/default/configmaps/marker-0")
        finally:
            client.close()

    def __enter__(self) -> Client:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()


def test_an_update_alone_does_not_give_workers_the_new_version(site: CloudSite) -> None:
    edited = site.run("edit", kops_set=f"spec.kubernetesVersion={NEW}")
    assert edited.code == 0, edited.output
    updated = site.run("update_cluster")
    assert updated.code == 0, updated.output
    assert f"workers keep Kubernetes {OLD}, because API servers still run {OLD}" in updated.output
    # One that joins now, in the middle of it.
    seconds = site.replaced(site.workers()[0])
    print(f"\na worker was replaced in {seconds:.0f} s")
    assert {node["status"]["nodeInfo"]["kubeletVersion"] for node in site.nodes().values()} == {f"v{OLD}"}


def test_an_upgrade_goes_through_all_nodes(site: CloudSite) -> None:
    before = site.serials()
    planned = site.run("upgrade_cluster", "--check", kops_kubernetes_version=NEW)
    assert planned.code == 0, planned.output
    assert (site.serials(), planned.changed) == (before, 2), planned.output
    with sampled(site) as sampler, Client(site) as client:
        run = site.run("upgrade_cluster", kops_kubernetes_version=NEW, **WAITS)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    print("\n".join(run.output.splitlines()))
    print(f"\nupgrade of {len(before)} nodes in {run.seconds:.0f} s")
    print(f"{len(client.failed)} of {client.asked} requests failed")
    print("\n".join(client.failed))
    versions = {tuple(sorted({*each.servers.values(), *each.kubelets.values()})) for each in sampler.samples}
    print(f"{len(sampler.samples)} samples; versions at the same moment: {versions}")
    assert not set(before.values()) & set(site.serials().values())
    assert {node["status"]["nodeInfo"]["kubeletVersion"] for node in site.nodes().values()} == {f"v{NEW}"}
    assert len(sampler.samples) > 20
    assert any(len({*each.servers.values()}) == 2 for each in sampler.samples)
    ahead = [(each.ahead(sampler.workers), each) for each in sampler.samples if each.ahead(sampler.workers)]
    assert not ahead, ahead[0]
    assert len(client.failed) <= client.asked * FEW
    found = {each["metadata"]["name"]: each.get("data") for each in site.objects("configmaps")}
    assert {f"marker-{each}": {"it": str(each)} for each in range(MARKERS)}.items() <= found.items()


def test_a_second_upgrade_changes_nothing(site: CloudSite) -> None:
    again = site.run("upgrade_cluster", kops_kubernetes_version=NEW, **WAITS)
    assert (again.code, again.changed) == (0, 0), again.output
    print(f"\nnothing to do in {again.seconds:.0f} s")
