# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and two workers in one zone: instances become nodes by themselves, and are replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.turn(0)
ADDONS = ("aws-cloud-controller-manager",)
KUBECONFIG_SERVER = re.compile(r"server: https://api-lab-\S+\.elb\.amazonaws\.com")
METADATA = "http://169.254.169.254/latest"
ASK = f"curl --silent --max-time 3 --output /dev/null --write-out %{{http_code}} {METADATA}"
# As a pod: a network namespace that is one hop further away than the host.
FROM_A_POD = f"""
ip netns add far
ip link add near type veth peer name eth0 netns far
ip address add 10.9.9.1/30 dev near
ip link set near up
ip -n far address add 10.9.9.2/30 dev eth0
ip -n far link set eth0 up
ip -n far route add default via 10.9.9.1
iptables -t nat -A POSTROUTING -s 10.9.9.0/30 -j MASQUERADE
ip netns exec far {ASK}
iptables -t nat -D POSTROUTING -s 10.9.9.0/30 -j MASQUERADE
ip netns delete far
"""


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """With the simplest network."""
    return new_site({"networking": "flannel", "node_count": 2})


@pytest.fixture(scope="module")
def created(site: CloudSite) -> running.Run:
    """The run that made its objects, and waited until the cluster was valid."""
    run = site.create(kops_validate_wait=600, kops_kubeconfig=str(site.directory / "kubeconfig"))
    assert run.code == 0, f"{run.output}\n{site.state()}"
    return run


@pytest.fixture(scope="module")
def cluster(site: CloudSite, created: running.Run) -> CloudSite:
    """The cluster, all instances of which are nodes that are ready."""
    print(f"\nfrom nothing to valid in {created.seconds:.0f} s")
    return site


def test_instances_become_nodes_without_a_connection_to_any(cluster: CloudSite) -> None:
    assert KUBECONFIG_SERVER.search((cluster.directory / "kubeconfig").read_text())
    assert cluster.ready() == sorted([*cluster.control_planes(), *cluster.workers()])
    assert len(cluster.workers()) == 2
    for name, node in cluster.nodes().items():
        assert node["spec"]["providerID"].endswith(f"/{name}")
        assert node["metadata"]["labels"]["kops.k8s.io/instancegroup"] == cluster.instances()[name]["group"]


def test_a_second_run_changes_nothing(cluster: CloudSite) -> None:
    run = cluster.run("update_cluster")
    assert run.code == 0, run.output
    assert run.changed == 0, run.output


def test_pods_do_not_reach_the_metadata_service(cluster: CloudSite) -> None:
    worker = cluster.workers()[0]
    reached = machines.within(worker, "sh", "-c", ASK)
    assert reached == "401"
    assert machines.within(worker, "sh", "-c", FROM_A_POD, check=False).strip() == "000"


def test_a_worker_has_no_key_of_an_authority_and_reads_nothing_of_the_store(cluster: CloudSite) -> None:
    worker = cluster.workers()[0]
    boot = json.loads(machines.within(worker, "cat", "/etc/kubeops/boot.json"))
    assert "store" not in boot
    found = machines.within(
        worker,
        "sh",
        "-c",
        "grep -rlI 'PRIVATE KEY' /etc/kubernetes /etc/kubeops /srv /opt /var/lib/kubelet /root || true",
    )
    assert sorted(found.split()) == ["/srv/kubernetes/kubelet-server.key"]


def test_a_worker_that_is_terminated_is_replaced(cluster: CloudSite) -> None:
    seconds = cluster.replaced(cluster.workers()[0])
    print(f"\nits successor is ready after {seconds:.0f} s")
    assert sorted(cluster.nodes()) == sorted(cluster.instances()), "its own Node is gone"


def test_the_only_control_plane_comes_back_with_its_data(cluster: CloudSite) -> None:
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    (gone,) = cluster.control_planes()
    seconds = cluster.replaced(gone)
    print(f"\nanother control plane with the same data after {seconds:.0f} s")
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"


def test_it_is_valid_again(cluster: CloudSite) -> None:
    run = cluster.run("validate_cluster", kops_validate_wait=300)
    assert run.code == 0, run.output
