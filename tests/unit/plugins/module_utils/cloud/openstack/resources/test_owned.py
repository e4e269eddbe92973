# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a project are a cluster's, beside those of others that look alike."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import access_rules, designate, kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import (
    OpenStackCloud,
    project_of,
    user_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources import discovery
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks._openstack import described
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.application_credential import (
    own_credentials,
    own_rules,
)
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import in_lent_network
from ansible_collections.kubeops.kops.tests.support.openstack.memory import Project

NAME, PROJECT = "demo.k8s.local", "p1"
TAG = f"KubernetesCluster={NAME}"
MD5 = "72_0b_f0_65_e5_86_f0_bf_39_d8_e9_d6_b2_3e_0a_12"
ETCD = {"KubernetesCluster": NAME, "k8s.io/etcd/main": "a/a"}
OWN: dict[kinds.Kind, list[dict[str, Any]]] = {
    kinds.NETWORK: [{"id": "n", "name": NAME, "tags": [NAME], "project_id": PROJECT}],
    kinds.SUBNET: [{"id": "s", "name": f"a.{NAME}", "tags": [NAME], "project_id": PROJECT, "network_id": "n"}],
    kinds.ROUTER: [{"id": "r", "name": "demo-k8s-local"}],
    kinds.PORT: [
        {"id": "p", "name": "port-nodes-1-demo-k8s-local", "tags": [TAG], "network_id": "n"},
        {"id": "i", "name": "", "device_owner": "network:router_interface", "device_id": "r", "network_id": "n"},
    ],
    kinds.FLOATING_IP: [
        {"id": "f1", "description": "fip-nodes-1-demo-k8s-local", "port_id": None},
        {"id": "f2", "description": "", "port_id": "p"},
        {"id": "f3", "description": "fip-api.demo.k8s.local", "port_id": "v"},
    ],
    kinds.SERVER: [{"id": "x", "name": "nodes-abc", "metadata": {"k8s": NAME}}],
    kinds.SERVER_GROUP: [{"id": "g", "name": f"{NAME}-nodes", "members": ["x"]}],
    kinds.KEYPAIR: [{"name": f"kubernetes-demo-k8s-local-{MD5}"}],
    kinds.VOLUME: [{"id": "w", "name": f"a.etcd-main.{NAME}", "metadata": ETCD}],
    kinds.SECURITY_GROUP: [{"id": each, "name": f"{each}.{NAME}"} for each in ("masters", "nodes", "bastion", "api")],
    kinds.BALANCER: [
        {"id": "b1", "name": f"api.{NAME}", "vip_port_id": "v", "vip_subnet_id": "s"},
        {"id": "b2", "name": "k8s.example.com", "vip_port_id": "v2", "vip_subnet_id": "s"},
        {"id": "b3", "name": f"kube_service_{NAME}_default_web", "vip_port_id": "v3", "vip_subnet_id": "s"},
    ],
    kinds.POOL: [{"id": "l", "name": "k8s.example.com-https", "loadbalancers": [{"id": "b2"}]}],
}
FOREIGN: dict[kinds.Kind, list[dict[str, Any]]] = {
    kinds.NETWORK: [{"id": "-n", "name": NAME, "tags": [], "project_id": PROJECT}],
    kinds.SUBNET: [{"id": "-s", "name": f"b.{NAME}", "tags": [], "project_id": PROJECT, "network_id": "-n"}],
    kinds.ROUTER: [{"id": "-r", "name": "other-demo-k8s-local"}],
    kinds.PORT: [
        {"id": "-p", "name": "port-nodes-1-demo-k8s-local", "tags": [f"{TAG}2"], "network_id": "-n"},
        {"id": "-i", "name": "", "device_owner": "network:router_interface", "device_id": "-r", "network_id": "-n"},
    ],
    kinds.FLOATING_IP: [{"id": "-f", "description": "fip-api.demo.k8s.local", "port_id": "-p"}],
    kinds.SERVER: [{"id": "-x", "name": "nodes-abc", "metadata": {"k8s": f"other.{NAME}"}}],
    kinds.SERVER_GROUP: [
        {"id": "-g1", "name": f"{NAME}2-nodes", "members": []},
        {"id": "-g2", "name": f"{NAME}-mine", "members": ["-x"]},
    ],
    kinds.KEYPAIR: [{"name": "kubernetes-demo-k8s-local-mine"}, {"name": f"kubernetes-demo-k8s-local-2-{MD5}"}],
    kinds.VOLUME: [{"id": "-w", "name": "pvc-1", "metadata": {"KubernetesCluster": NAME}}],
    kinds.SECURITY_GROUP: [{"id": "-nodes", "name": f"nodes.other.{NAME}"}, {"id": "-x", "name": f"extra.{NAME}"}],
    kinds.BALANCER: [
        {"id": "-b", "name": f"kube_service_{NAME}2_default_web", "vip_port_id": "", "vip_subnet_id": "-s"}
    ],
    kinds.POOL: [],
}


RECORDS = [
    {"id": "rec1", "name": f"api.{NAME}.", "type": "A"},
    {"id": "rec2", "name": f"events.etcd.internal.{NAME}.", "type": "AAAA"},
    {"id": "-1", "name": f"api.{NAME}.", "type": "CNAME"},
    {"id": "-2", "name": f"www.{NAME}.", "type": "A"},
    {"id": "-3", "name": f"api.other.{NAME}.", "type": "A"},
    {"id": "-4", "name": f"api.other-{NAME}.", "type": "A"},
]


@pytest.fixture
def cloud() -> OpenStackCloud:
    """A project with both."""
    made = OpenStackCloud("", NAME)
    made.know(PROJECT, project_of)
    made.know("u", user_of)
    # The user's, in all projects.
    credentials = [
        {"id": key, "name": f"kubeops.kops {name}"}
        for key, name in (("c", f"{NAME} {PROJECT}"), ("-c", f"{NAME}2 {PROJECT}"), ("-d", f"{NAME} {PROJECT}2"))
    ]
    made.know(credentials, own_credentials)
    # Of a credential that is gone.
    path = f"/**{{{access_rules.mark(NAME, PROJECT)}}}/flavors/*"
    made.know([{"id": "rule", "service": "compute", "method": "GET", "path": path}], own_rules)
    for kind, own in OWN.items():
        made.know([*own, *FOREIGN[kind]], described, kind)
    made.know([{"id": "z", "name": "k8s.local."}, {"id": "-z", "name": "local8s.local."}], designate.zones)
    made.know(RECORDS, designate.records, "z")
    return made


def test_all_of_the_cluster_is_found_and_nothing_of_others(cloud: OpenStackCloud) -> None:
    found = discovery.discover(cloud)
    kept = [each.id for each in found.values() if each.id.startswith("-") or each.id.endswith("mine")]
    assert kept == []
    own = [each for kind, described_so in OWN.items() if kind is not kinds.POOL for each in described_so]
    expected = {str(each.get("id") or each["name"]) for each in own}
    assert {each.id for each in found.values()} == {*expected, "c", "rule", "rec1", "rec2"}


def test_what_uses_an_object_goes_before_it(cloud: OpenStackCloud) -> None:
    found = discovery.discover(cloud)
    before = {key: {each.key for each in resource.blocked_by} for key, resource in found.items()}
    assert "subnet:s" in before["network:n"]
    assert {"port:p", "load balancer:b1", "router interface:i"} <= before["subnet:s"]
    assert "server:x" in before["port:p"] & before["volume:w"] & before["server group:g"]
    assert "router interface:i" in before["router:r"]


def test_of_what_is_lent_only_the_tag_goes(cloud: OpenStackCloud) -> None:
    lent = {"id": "lent", "name": "shared-net", "tags": [NAME, "theirs"], "project_id": "p2"}
    cloud.know([lent], described, kinds.NETWORK)
    found = discovery.discover(cloud)
    assert "tag of network:lent" in found
    assert "network:lent" not in found


def test_a_port_of_others_in_the_way_is_named(cloud: OpenStackCloud) -> None:
    foreign = {"id": "-q", "name": "theirs", "network_id": "n", "fixed_ips": [{"subnet_id": "s"}]}
    dhcp = {"id": "-d", "name": "", "network_id": "n", "device_owner": "network:dhcp"}
    cloud.know([*OWN[kinds.PORT], foreign, dhcp], described, kinds.PORT)
    assert in_the_way(cloud, discovery.discover(cloud)) == [f"port theirs: it uses subnet a.{NAME}"]


@pytest.mark.parametrize("public_names", [("", ""), ("one.example.com", "two.example.com")])
def test_clusters_in_one_lent_network_leave_each_other_alone(public_names: tuple[str, str]) -> None:
    project = Project()
    network = project.insert(kinds.NETWORK, {"name": "lent"})
    lent = {"name": "lent-private", "network_id": network["id"], "cidr": "10.0.64.0/18", "dns_nameservers": []}
    subnet = project.insert(kinds.SUBNET, lent)
    before = project.names()
    wanted = {
        name: functools.partial(clusters.tasks, name, change=in_lent_network(network["id"], subnet["id"], public))
        for name, public in zip(("one.k8s.local", "two.k8s.local"), public_names)
    }
    for name, tasks in wanted.items():
        clusters.applied(project.client(name), tasks())
    clusters.remove(project.client("one.k8s.local"))
    two = project.client("two.k8s.local")
    assert clusters.changes(clusters.planned(two, wanted["two.k8s.local"]())) == []
    clusters.remove(two)
    assert project.names() == before
