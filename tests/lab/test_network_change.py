# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with flannel gets Cilium, by the steps of docs/change-network.md."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import capabilities, hosts, pod_networks, running, workloads
from ansible_collections.kubeops.kops.tests.lab.look import look
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long
CONTROL_PLANE, WORKER = NODES = ["test1", "test2"]
CONFIGURATIONS = "/etc/cni/net.d"
FLANNEL = "10-flannel.conflist"
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
ALLOWED = {"kops_allow_network_change": True}


@pytest.fixture(scope="module")
def site(with_addons: Callable[..., None], new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker."""
    with_addons("cilium")
    # What Cilium needs on this machine, flannel does not mind.
    found = new_site(1, 1, spec={"containerd": capabilities.containerd()})
    capabilities.do_without(found.nodes)
    return found


def configurations(host: str) -> list[str]:
    """The files that containerd chooses a network from."""
    return hosts.within(host, "ls", CONFIGURATIONS).split()


def check_pods() -> None:
    """Pods of both nodes reach each other, by their addresses and by a Service's name."""
    pods = workloads.start(kubectl)
    nodes = {pod["name"]: node for node, pod in pods.items()}
    assert sorted(pods) == NODES
    for source in NODES:
        for target in NODES:
            answers = workloads.dial(kubectl, pods[source]["name"], pods[target]["address"], 8080)
            assert [nodes[name] for name in answers] == [target]

        def ask(source: str = source) -> bool:
            said = workloads.dial(kubectl, pods[source]["name"], "web.default.svc.cluster.local", 80, 20)
            return set(said) == set(nodes)

        workloads.eventually(ask)


def test_it_is_refused_unless_it_is_allowed(created: running.Run, site: Site) -> None:
    print(f"\nmade in {created.seconds:.0f} s")
    check_pods()
    site.write(spec=pod_networks.cilium())
    stored = site.run("replace", kops_manifest=str(site.manifest))
    assert stored.code == 0, stored.output
    refused = site.run("update_cluster")
    assert refused.code != 0
    assert "allow_network_change" in refused.output
    assert [configurations(host) for host in NODES] == [[FLANNEL]] * 2


def test_check_mode_says_what_would_be_done(created: running.Run, site: Site) -> None:
    planned = site.run("update_cluster", "--check", **ALLOWED)
    assert planned.code == 0, planned.output
    steps = planned.results("Make the machine equal to its NodeConfig")
    for host in NODES:
        assert [each["item"] for each in steps[host]["changes"] if FLANNEL in each["item"]] != []
    assert [configurations(host) for host in NODES] == [[FLANNEL]] * 2
    check_pods()


def test_all_hosts_are_changed_at_once(created: running.Run, site: Site) -> None:
    changed = site.run("update_cluster", kops_interrupt=True, kops_validate_wait=0, **ALLOWED)
    assert changed.code == 0, changed.output
    print(f"\nchanged in {changed.seconds:.0f} s")
    assert all(FLANNEL not in configurations(host) for host in NODES)
    assert kubectl("get", "daemonsets", "--namespace=kube-flannel", "--output=name") == ""
    assert kubectl("get", "namespace", "kube-flannel", "--output=name").strip() == "namespace/kube-flannel"


def test_all_is_well_after_a_restart_of_the_hosts(created: running.Run, site: Site) -> None:
    for host in NODES:
        hosts.restart(host)
    waited = site.run("hosts")
    assert waited.code == 0, waited.output
    print(f"\nhealthy in {waited.seconds:.0f} s")
    check_pods()
    for host in NODES:
        left = look(host)
        assert {"interface cilium_host", "interface cilium_vxlan"} <= left
        assert not {"interface flannel.1", "interface cni0"} & left
        assert not [each for each in left if "FLANNEL" in each]
    again = site.run("update_cluster")
    assert (again.code, again.changed) == (0, 0), again.output
