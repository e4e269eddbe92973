# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of an account are a cluster's, beside those of others that look alike."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import (
    BALANCER,
    DROPLET,
    FIREWALL,
    SSH_KEY,
    TAG,
    VOLUME,
    VPC,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.resources.owned import owned, tags_of
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import IMAGE, REGION, SIZE
from ansible_collections.kubeops.kops.tests.support.digitalocean.keys import fingerprint_of
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, public_key, tasks

NAME, ETCD = "demo.example.com", "kops-a-etcd-main-demo-example-com"
# Of a cluster below it, of one that it is below, of one that begins like it, and of one that ends like it.
OTHERS = ("a.demo.example.com", "example.com", "demo.example.com2", "xdemo.example.com")
RULE = {"entry_protocol": "tcp", "entry_port": 1, "target_protocol": "tcp", "target_port": 1}


def found(cloud: DigitalOceanCloud) -> list[str]:
    return sorted(f"{each.kind.word} {each.name}" for each in owned(cloud))


@pytest.fixture(autouse=True)
def _others(account: Account, client: Any) -> None:
    """Clusters that look alike, and objects of nobody's."""
    account.names.add_domain(DOMAIN)
    for number, each in enumerate(OTHERS):
        applied(client(each), tasks(each, f"k{number}.{DOMAIN}", f"10.{30 + number}.0.0/20"))
        add_droplet(account, each, "nodes")
    cloud = client()
    for name, tags in (("pvc-1", [names.cluster_tag(NAME)]), (ETCD, [])):
        cloud.make(VOLUME, {"name": name, "region": REGION, "size_gigabytes": 1, "tags": tags})
    cloud.make(VPC, {"name": "vpc-mine", "region": REGION, "description": f"{names.mark(NAME)} and mine"})
    cloud.make(SSH_KEY, {"name": f"kubernetes.{NAME}-mine", "public_key": public_key("mine")})
    cloud.make(BALANCER, {"name": "mine", "region": REGION, "forwarding_rules": [RULE], "tag": "mine"})
    cloud.make_tag(names.cluster_tag(NAME))
    rule = {"protocol": "tcp", "ports": "1", "sources": {"tags": [names.cluster_tag(NAME)]}}
    for name, tags in ((f"web.{NAME}", [names.cluster_tag(NAME)]), (names.firewall(names.NODES, NAME), [])):
        cloud.make(FIREWALL, {"name": name, "inbound_rules": [rule], "tags": tags})
    for kind, name in (("A", "demo"), ("A", "www.demo"), ("CNAME", "api.internal.demo2"), ("MX", "api.demo")):
        account.names.add(DOMAIN, kind, name, "192.0.2.1")


def test_nothing_of_others_is_found(client: Any) -> None:
    # Objects of the cluster's tag, of whatever cluster: the tag itself is left.
    assert found(client()) == []


def test_all_of_the_cluster_is_found(client: Any, account: Account) -> None:
    (nobodys,) = (key for key, each in account.volumes.objects.items() if each["name"] == ETCD)
    del account.volumes.objects[nobodys]
    applied(client(), tasks(NAME, f"k8s.{DOMAIN}"))
    add_droplet(account, NAME, "nodes", "kubeops-made-from:size_1", "kubeops-number:1", "kops-instance-role:Node")
    add_droplet(account, NAME, "control-plane", "KubernetesCluster-Master:demo-example-com", marked=False)
    assert found(client()) == [
        "SSH key " + names.ssh_key(fingerprint_of(public_key(NAME)), NAME),
        "VPC vpc-demo-example-com",
        "droplet control-plane.demo.example.com",
        "droplet nodes-1",
        "firewall control-plane.demo.example.com",
        "load balancer api-demo-example-com",
        "record api.internal.demo.example.com A",
        "record k8s.example.com A",
        "record k8s.example.com TXT",
        "tag KubernetesCluster-Master:demo-example-com",
        "tag kubeops-cluster:demo_example_com",
        "tag kubeops-made-from:size_1",
        "volume kops-a-etcd-events-demo-example-com",
        "volume kops-a-etcd-main-demo-example-com",
    ]


def test_a_tag_stays_that_something_of_others_has(client: Any, account: Account) -> None:
    add_droplet(account, NAME, "nodes", "kubeops-made-from:x")
    assert "kubeops-made-from:x" in [each["name"] for each in tags_of(client())]
    add_droplet(account, OTHERS[0], "nodes", "kubeops-made-from:x")
    assert "kubeops-made-from:x" not in [each["name"] for each in tags_of(client())]


def test_load_balancers_of_services_are_known_by_their_droplets(client: Any, account: Account) -> None:
    cloud = client()
    own, other = add_droplet(account, NAME, "nodes"), add_droplet(account, OTHERS[0], "nodes")
    made = {}
    for name, droplets in (("a", [own]), ("b", [own, other]), ("c", []), ("d", [other])):
        body = {"region": REGION, "forwarding_rules": [RULE], "droplet_ids": droplets}
        made[name] = cloud.make(BALANCER, {**body, "name": f"a{name * 31}"})["id"]
    cloud.make(BALANCER, {"name": "web", "region": REGION, "forwarding_rules": [RULE], "droplet_ids": [own]})
    of_services = [each for each in owned(client()) if each.of_service]
    assert [each.id for each in of_services] == [made["a"]]
    assert [each.kind for each in of_services] == [BALANCER]


def test_lookalikes_are_told_apart_where_they_can_be_and_else_refused(client: Any, account: Account) -> None:
    add_droplet(account, "demo-example.com", "nodes")
    assert [each for each in owned(client()) if each.kind is not TAG] == []
    body = {"name": names.api(NAME), "region": REGION, "forwarding_rules": [RULE], "tag": names.control_plane_tag(NAME)}
    client().make(BALANCER, body)
    with pytest.raises(KopsError, match="another cluster, demo-example.com"):
        list(owned(client()))


def test_what_kops_has_made_is_told_apart_by_names_of_droplets(client: Any, account: Account) -> None:
    """Of volumes, it could be either's."""
    own = add_droplet(account, NAME, "nodes", marked=False)
    add_droplet(account, "demo-example.com", "nodes", marked=False)
    theirs = {"name": "web", "region": REGION, "size": SIZE, "image": IMAGE, "tags": [names.cluster_tag(NAME)]}
    account.add_droplet(theirs)
    assert [each.id for each in owned(client()) if each.kind is DROPLET] == [str(own)]
    tags = names.etcd_tags("main", "b", NAME)[:-1]
    body = {"name": names.etcd_volume("main", "b", NAME), "region": REGION, "size_gigabytes": 1, "tags": tags}
    client().make(VOLUME, body)
    with pytest.raises(KopsError, match="that of droplet nodes.demo-example.com"):
        list(owned(client()))
