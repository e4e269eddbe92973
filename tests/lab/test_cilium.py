# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cilium is the network of a control plane and two workers: beside kube-proxy, and in its place."""

from __future__ import annotations

import dataclasses
import functools
import json
import threading
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import capabilities, hosts, network, running, workloads
from ansible_collections.kubeops.kops.tests.lab.look import look
from ansible_collections.kubeops.kops.tests.lab.pod_networks import cilium
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long
CONTROL_PLANE, *WORKERS = "test1", "test2", "test3"
NODES = [CONTROL_PLANE, *WORKERS]
AGENTS = ("--namespace=kube-system", "--selector=k8s-app=cilium")
SERVICE = "web.default.svc.cluster.local"
# systemd mounts it on machines, so it may be anybody's and stays; in containers it does not.
BPF = {"mount /sys/fs/bpf", "unit sys-fs-bpf.mount active"}
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
kubectl_json = functools.partial(running.kubectl_json, host=CONTROL_PLANE)
dial = functools.partial(workloads.dial, kubectl)


REPLACING_KUBE_PROXY = {**cilium(enableNodePort=True), "kubeProxy": {"enabled": False}}


@pytest.fixture(scope="module")
def site(with_addons: Callable[..., None], new_site: Callable[..., Site]) -> Site:
    """A control plane and two workers."""
    with_addons("cilium")
    found = new_site(1, 2, spec=cilium())
    capabilities.do_without(found.nodes)
    return found


@pytest.fixture(scope="module")
def before(site: Site) -> dict[str, set[str]]:
    """The hosts as they are at first."""
    return {host: look(host) for host in site.nodes}


@dataclasses.dataclass
class Cluster:
    """The cluster of the moment. pods: node -> name and address of its web server's pod."""

    site: Site
    pods: dict[str, dict[str, str]]

    def healthy(self) -> None:
        """Fail unless validate_cluster finds that all is well."""
        done = self.site.run("validate_cluster")
        assert done.code == 0, done.output

    def answers(self, source: str, target: str, port: int = 8080, tries: int = 1) -> list[str]:
        """The nodes whose pods answered a node's pod, which asked target: an address or a name."""
        nodes = {pod["name"]: node for node, pod in self.pods.items()}
        return [nodes[name] for name in dial(self.pods[source]["name"], target, port, tries)]

    def reaches(self, source: str, target: str) -> bool:
        """Whether a node's pod gets an answer of another node's."""
        return self.answers(source, self.pods[target]["address"]) == [target]


@pytest.fixture(scope="module")
def beside_kube_proxy(before: dict[str, set[str]], created: running.Run, site: Site) -> Cluster:
    """The cluster whose Services kube-proxy translates."""
    print(f"\nmade in {created.seconds:.0f} s")
    return Cluster(site, workloads.start(kubectl))


@pytest.fixture(scope="module")
def in_place_of_it(before: dict[str, set[str]], site: Site) -> Cluster:
    """The cluster of the same hosts whose Services Cilium translates; the first one was deleted."""
    site.write(spec=REPLACING_KUBE_PROXY)
    made = site.create()
    assert made.code == 0, made.output
    print(f"\nmade in {made.seconds:.0f} s")
    return Cluster(site, workloads.start(kubectl))


def agents() -> dict[str, str]:
    """Node -> its agent's pod."""
    pods = [pod for pod in kubectl_json("get", "pods", *AGENTS)["items"] if "deletionTimestamp" not in pod["metadata"]]
    return {pod["spec"]["nodeName"]: pod["metadata"]["name"] for pod in pods}


def agent(node: str, *command: str) -> str:
    """What a command in a node's agent prints."""
    return kubectl("exec", "--namespace=kube-system", agents()[node], "--container=cilium-agent", "--", *command)


def check_pods_and_services(cluster: Cluster) -> None:
    """Pods and Services across nodes, by all ways that there are."""
    for source in NODES:
        for target in NODES:
            assert cluster.reaches(source, target), f"{source} -> {target}"
    address = kubectl_json("get", "service", workloads.NAME)["spec"]["clusterIP"]
    for node in NODES:
        assert set(cluster.answers(node, address, 80, tries=20)) == set(NODES)
        assert set(workloads.eventually(functools.partial(cluster.answers, node, SERVICE, 80, tries=20))) == set(NODES)
        ask = ("curl", "-sS", "--max-time", "5", f"http://{address}/hostname")
        said = {hosts.within(node, *ask) for _attempt in range(10)}
        assert said <= {pod["name"] for pod in cluster.pods.values()}
        assert len(said) > 1
        url = f"http://{network.address(node)}:{workloads.NODE_PORT}/hostname"
        with urllib.request.urlopen(url, timeout=5) as answer:
            assert answer.read().decode() in {pod["name"] for pod in cluster.pods.values()}


def check_policies(cluster: Cluster) -> None:
    """A policy denies what it does not allow, on the same node and across nodes."""
    target, friend, stranger = WORKERS[0], WORKERS[1], CONTROL_PLANE
    kubectl("label", "pod", cluster.pods[target]["name"], "guarded=yes")
    kubectl("label", "pod", cluster.pods[friend]["name"], "friend=yes")
    allowed = {"from": [{"podSelector": {"matchLabels": {"friend": "yes"}}}]}
    policy: dict[str, Any] = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "guard"},
        "spec": {"podSelector": {"matchLabels": {"guarded": "yes"}}, "policyTypes": ["Ingress"], "ingress": []},
    }
    assert cluster.reaches(friend, target)
    kubectl("apply", "--filename=-", stdin=json.dumps(policy))
    workloads.eventually(lambda: not cluster.reaches(friend, target))
    assert not cluster.reaches(stranger, target)
    policy["spec"]["ingress"] = [allowed]
    kubectl("apply", "--filename=-", stdin=json.dumps(policy))
    workloads.eventually(lambda: cluster.reaches(friend, target))
    assert not cluster.reaches(stranger, target)
    assert cluster.reaches(stranger, friend)
    kubectl("delete", "networkpolicy", "guard")
    workloads.eventually(lambda: cluster.reaches(stranger, target))


def check_removal(cluster: Cluster, before: dict[str, set[str]]) -> None:
    """One host leaves, then all of them; each is what it was."""
    site, gone = cluster.site, WORKERS[1]
    assert {"interface cilium_host", "interface cilium_vxlan"} <= look(gone)
    removed = site.run("remove_hosts", kops_remove=gone, kops_drain_timeout="120")
    assert removed.code == 0, removed.output
    assert look(gone) ^ before[gone] <= BPF
    assert attached(gone) == ""
    deleted = site.run("delete_cluster")
    assert deleted.code == 0, deleted.output
    for host in site.nodes:
        assert look(host) ^ before[host] <= BPF
        assert attached(host) == ""


def attached(host: str) -> str:
    """What Cilium keeps in the kernel of a host: pinned programs and maps. The debug files are the kernel's."""
    return hosts.within(host, "find", "/sys/fs/bpf", "-mindepth", "1", "!", "-name", "*.debug", check=False)


def test_pods_and_services_beside_kube_proxy(beside_kube_proxy: Cluster) -> None:
    assert running.ready_nodes(CONTROL_PLANE) == NODES
    check_pods_and_services(beside_kube_proxy)
    assert "KubeProxyReplacement:    False" in agent(CONTROL_PLANE, "cilium-dbg", "status")
    beside_kube_proxy.healthy()


def test_policies_beside_kube_proxy(beside_kube_proxy: Cluster) -> None:
    check_policies(beside_kube_proxy)


def test_a_restart_of_the_agents_loses_nothing(beside_kube_proxy: Cluster) -> None:
    cluster, end = beside_kube_proxy, threading.Event()
    asked: dict[str, int] = dict.fromkeys(WORKERS, 0)
    lost: list[str] = []

    def ask(source: str, target: str) -> None:
        while not end.is_set():
            got = cluster.answers(source, cluster.pods[target]["address"], tries=10)
            asked[source] += 10
            if got != [target] * 10:
                lost.append(f"{source}: {got}")

    threads = [threading.Thread(target=ask, args=pair) for pair in (WORKERS, WORKERS[::-1])]
    for thread in threads:
        thread.start()
    try:
        old = agents()
        kubectl("delete", "pods", *AGENTS)
        workloads.eventually(lambda: not set(old.values()) & set(agents().values()) and sorted(agents()) == NODES)
        kubectl("wait", "pods", *AGENTS, "--for=condition=Ready", "--timeout=180s")
    finally:
        end.set()
        for thread in threads:
            thread.join()
    print(f"\n{asked} requests")
    assert not set(old.values()) & set(agents().values())
    assert lost == []
    assert min(asked.values()) >= 50
    cluster.healthy()


def test_a_changed_setting_reaches_the_agents(beside_kube_proxy: Cluster) -> None:
    cluster, site, old = beside_kube_proxy, beside_kube_proxy.site, agents()
    setting = ("grep", "-H", "", "/tmp/cilium/config-map/monitor-aggregation")
    assert {node: agent(node, *setting).strip().rpartition(":")[2] for node in NODES} == dict.fromkeys(NODES, "medium")
    site.write(spec=cilium(monitorAggregation="low"))
    updated = site.create()
    assert updated.code == 0, updated.output
    # As in kops, agents are only replaced together with what else a rolling update changes of their node.
    assert agents() == old
    assert all(f"kube-system/{pod}" in updated.output for pod in old.values())
    rolled = site.run("rolling_update", kops_drain_timeout="120")
    assert rolled.code == 0, rolled.output
    print(f"\nupdated in {updated.seconds:.0f} s, rolled in {rolled.seconds:.0f} s")
    assert not set(old.values()) & set(agents().values())
    assert {node: agent(node, *setting).strip().rpartition(":")[2] for node in NODES} == dict.fromkeys(NODES, "low")
    check_pods_and_services(cluster)
    again = site.run("rolling_update")
    assert (again.code, again.changed) == (0, 0), again.output


def test_a_second_run_changes_nothing(beside_kube_proxy: Cluster) -> None:
    again = beside_kube_proxy.site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_nothing_is_left_of_it(beside_kube_proxy: Cluster, before: dict[str, set[str]]) -> None:
    check_removal(beside_kube_proxy, before)


def test_pods_and_services_without_kube_proxy(in_place_of_it: Cluster) -> None:
    assert running.ready_nodes(CONTROL_PLANE) == NODES
    pods = kubectl_json("get", "pods", "--namespace=kube-system")["items"]
    assert not [pod for pod in pods if "kube-proxy" in pod["metadata"]["name"]]
    for node in NODES:
        assert "KUBE-SVC" not in hosts.within(node, "iptables-save")
    assert "KubeProxyReplacement:    True" in agent(CONTROL_PLANE, "cilium-dbg", "status")
    check_pods_and_services(in_place_of_it)
    in_place_of_it.healthy()


def test_policies_without_kube_proxy(in_place_of_it: Cluster) -> None:
    check_policies(in_place_of_it)


def test_a_second_run_without_kube_proxy_changes_nothing(in_place_of_it: Cluster) -> None:
    again = in_place_of_it.site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_nothing_is_left_of_it_without_kube_proxy(in_place_of_it: Cluster, before: dict[str, set[str]]) -> None:
    check_removal(in_place_of_it, before)
