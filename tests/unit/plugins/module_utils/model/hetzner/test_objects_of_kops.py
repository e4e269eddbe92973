# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a cluster are those of kops' own case minimal_hetzner, by name and by label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.firewall import FirewallRule
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.load_balancer import Service
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.server_template import ServerTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.hetzner import builders
from ansible_collections.kubeops.kops.tests.support.hetzner.whole_clusters import context_of, tasks

OF_CLUSTER = {"kops.k8s.io/cluster": "minimal.example.com"}
CONTROL_PLANES = "kops.k8s.io/cluster=minimal.example.com,kops.k8s.io/instance-role=ControlPlane"
WORKERS = "kops.k8s.io/cluster=minimal.example.com,kops.k8s.io/instance-role=Node"
EVERYWHERE = ("0.0.0.0/0", "::/0")


def made(key: str, **options: Any) -> Any:
    return tasks(**options)[key]


def test_which_objects() -> None:
    assert sorted(tasks()) == [
        "Firewall/control-plane.minimal.example.com",
        "Firewall/nodes.minimal.example.com",
        "LoadBalancer/api.minimal.example.com",
        "Network/minimal.example.com",
        "NetworkSubnet/minimal.example.com-10.0.0.0/16",
        "RemovedServers/minimal.example.com",
        "SSHKey/minimal.example.com-c4:a6:ed:9a:a8:89:b9:e2:c3:9c:d6:63:eb:9c:71:57",
        "Server/master-fsn1-1",
        "Server/nodes-fsn1-1",
        "ServerTemplate/master-fsn1",
        "ServerTemplate/nodes-fsn1",
        "Volume/etcd-1.etcd-events.minimal.example.com",
        "Volume/etcd-1.etcd-main.minimal.example.com",
    ]


def test_network() -> None:
    network, subnet = made("Network/minimal.example.com"), made("NetworkSubnet/minimal.example.com-10.0.0.0/16")
    assert (network.ip_range, network.labels) == ("10.0.0.0/16", OF_CLUSTER)
    assert (subnet.ip_range, subnet.zone) == ("10.0.0.0/16", "eu-central")


def test_a_network_that_is_given_stays_as_it_is() -> None:
    found = tasks(change=lambda text: text.replace("networkCIDR: 10.0.0.0/16", "networkID: '4711'"))
    assert found["Network/4711"].given
    assert not any(key.startswith("NetworkSubnet/") for key in found)
    assert found["ServerTemplate/nodes-fsn1"].network is found["Network/4711"]


def test_firewalls() -> None:
    ssh = FirewallRule("tcp", "22", EVERYWHERE)
    servers, workers = made("Firewall/control-plane.minimal.example.com"), made("Firewall/nodes.minimal.example.com")
    assert (servers.selector, servers.rules) == (CONTROL_PLANES, [ssh])
    assert servers.labels == {**OF_CLUSTER, "kops.k8s.io/firewall-role": "control-plane"}
    assert (workers.selector, workers.rules) == (WORKERS, [ssh])
    assert workers.labels == {**OF_CLUSTER, "kops.k8s.io/firewall-role": "nodes"}


def test_firewalls_let_in_what_the_specification_says() -> None:
    def change(text: str) -> str:
        text = text.replace("api: {loadBalancer: {type: Public}}", "api: {dns: {}}")
        return text.replace("sshAccess: [", "nodePortAccess: [198.51.100.0/24]\n  sshAccess: [192.0.2.0/24, ")

    found = tasks(change=change)
    ssh = FirewallRule("tcp", "22", ("0.0.0.0/0", "192.0.2.0/24", "::/0"))
    servers = found["Firewall/control-plane.minimal.example.com"].rules
    assert servers == [ssh, FirewallRule("tcp", "443", EVERYWHERE)]
    ports = [FirewallRule(each, "30000-32767", ("198.51.100.0/24",)) for each in ("tcp", "udp")]
    assert found["Firewall/nodes.minimal.example.com"].rules == [ssh, *ports]


def test_nobody_is_let_in_by_an_empty_list() -> None:
    found = tasks(change=lambda text: text.replace('sshAccess: [0.0.0.0/0, "::/0"]', "sshAccess: []"))
    assert found["Firewall/nodes.minimal.example.com"].rules == []


def test_load_balancer() -> None:
    balancer = made("LoadBalancer/api.minimal.example.com")
    assert (balancer.type, balancer.location, balancer.labels) == ("lb11", "fsn1", OF_CLUSTER)
    assert balancer.services == [Service(443, 443), Service(3988, 3988)]
    assert balancer.target == CONTROL_PLANES


ONE = "{name: fsn1, type: Public, zone: fsn1}"
TWO = f"{ONE}\n  - {{name: nbg1, type: Public, zone: nbg1}}"


def built(change: Callable[[str], str]) -> ModelContext:
    context = context_of(change=change)
    for build in builders.INFRASTRUCTURE:
        build(context)
    return context


def warnings(before: str, after: str) -> list[str]:
    return built(lambda text: text.replace(before, after)).warnings


def test_access_that_nothing_restricts_is_said() -> None:
    given = 'kubernetesApiAccess: [0.0.0.0/0, "::/0"]'
    assert warnings(given, "kubernetesApiAccess: [0.0.0.0/0]") == []
    (line,) = warnings(given, "kubernetesApiAccess: [192.0.2.0/24]")
    assert "restricts nobody" in line


def test_what_the_autoscaler_cannot_do_yet_is_said() -> None:
    (line,) = warnings("cloudProvider", "clusterAutoscaler: {enabled: true}\n  cloudProvider")
    assert "do not become nodes yet" in line


def test_servers_are_made_in_the_first_of_several_locations() -> None:
    def change(text: str) -> str:
        return text.replace(ONE, TWO).replace("role: Node, subnets: [fsn1]", "role: Node, subnets: [nbg1, fsn1]")

    context = built(change)
    (line,) = context.warnings
    assert "servers are made in nbg1 only" in line
    assert context.get(ServerTemplate, "nodes-fsn1").place == "nbg1"


def test_volumes_of_etcd() -> None:
    for etcd in ("main", "events"):
        volume = made(f"Volume/etcd-1.etcd-{etcd}.minimal.example.com")
        assert (volume.size, volume.location) == (20, "fsn1")
        of_member = {"kops.k8s.io/instance-group": "master-fsn1", "kops.k8s.io/volume-role": etcd}
        assert volume.labels == {**OF_CLUSTER, **of_member}


def test_servers() -> None:
    found = tasks()
    servers, workers = found["ServerTemplate/master-fsn1"], found["ServerTemplate/nodes-fsn1"]
    for template in (servers, workers):
        assert (template.place, template.type, template.image) == ("fsn1", "cx23", "ubuntu-24.04")
        assert [each.name for each in template.ssh_keys] == [
            "minimal.example.com-c4:a6:ed:9a:a8:89:b9:e2:c3:9c:d6:63:eb:9c:71:57"
        ]
    assert servers.labels == {
        **OF_CLUSTER,
        "kops.k8s.io/instance-group": "master-fsn1",
        "kops.k8s.io/instance-role": "ControlPlane",
        "node-label.kops.k8s.io.kops.k8s.io/kops-controller-pki": "",
        "node-label.kops.k8s.io.node-role.kubernetes.io/control-plane": "",
        "node-label.kops.k8s.io.node.kubernetes.io/exclude-from-external-load-balancers": "",
    }
    assert workers.labels == {
        **OF_CLUSTER,
        "hcloud/node-group": "nodes-fsn1",
        "kops.k8s.io/instance-group": "nodes-fsn1",
        "kops.k8s.io/instance-role": "Node",
        "node-label.kops.k8s.io.node-role.kubernetes.io/node": "",
    }


def test_control_planes_come_after_all_volumes() -> None:
    """Each of them knows the members of etcd by the volumes that are there."""
    found = tasks()
    wanted = {each for each in found.values() if each.kind == "Volume"}
    assert wanted <= set(found["ServerTemplate/master-fsn1"].after)
    assert not wanted & set(found["ServerTemplate/nodes-fsn1"].after)
