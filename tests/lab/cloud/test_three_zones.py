# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three control planes and three workers in three zones, without DNS: what fails when one of the former is replaced."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import balancers, clusters
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Reader
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)


@pytest.fixture(scope="module")
def cluster(new_site: Callable[..., CloudSite]) -> CloudSite:
    """The cluster, valid."""
    site = new_site(
        {"networking": "flannel", "zones": [*clusters.ZONES], "control_plane_count": 3, "node_count": 3},
    )
    run = site.create(kops_validate_wait=900)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return site


class Requests:
    """Five requests a second to the API through its load balancer, by new connections."""

    def __init__(self) -> None:
        (self._balancer,) = balancers.read(Reader().read())
        self.failed: list[str] = []
        self.sent = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Requests:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        # Who answers is not the question here.
        tls = ssl._create_unverified_context()
        while not self._stop.wait(0.2):
            self.sent += 1
            address = self._balancer.addresses[self.sent % len(self._balancer.addresses)]
            connection = http.client.HTTPSConnection(address, 443, timeout=5, context=tls)
            try:
                connection.request("GET", "/version")
                connection.getresponse().read()
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(f"{time.strftime('%T')} {error or type(error).__name__}")
            finally:
                connection.close()


def replaced(cluster: CloudSite, gone: str) -> float:
    """Terminate an instance, and wait until another one is a node in its place; returns how long it took."""
    cluster.terminate(gone)
    return cluster.wait(lambda: gone not in cluster.instances() and cluster.ready() == sorted(cluster.instances()), 600)


def test_there_is_a_control_plane_in_each_zone(cluster: CloudSite) -> None:
    zones = [each["Placement"]["AvailabilityZone"] for each in cluster.instances(control_planes=True).values()]
    assert sorted(zones) == [*clusters.ZONES]
    assert len(cluster.workers()) == 3


def test_a_control_plane_that_is_terminated_comes_back_as_the_same_member(cluster: CloudSite) -> None:
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    gone = cluster.control_planes()[0]
    with Requests() as requests:
        seconds = replaced(cluster, gone)
    print(f"\nreplaced in {seconds:.0f} s; of {requests.sent} requests {len(requests.failed)} failed")
    assert len(requests.failed) < requests.sent / 10, requests.failed
    run = cluster.run("validate_cluster", kops_validate_wait=300)
    assert run.code == 0, run.output


def test_all_control_planes_one_after_the_other_lose_nothing(cluster: CloudSite) -> None:
    for gone in cluster.control_planes():
        replaced(cluster, gone)
        run = cluster.run("validate_cluster", kops_validate_wait=300)
        assert run.code == 0, run.output
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"
