# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of others that keep a cluster's from being deleted are named."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import BALANCER
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, tasks

NAME = "demo.example.com"
RULE = {"entry_protocol": "tcp", "entry_port": 1, "target_protocol": "tcp", "target_port": 1}


def test_what_lies_in_the_vpc_and_what_has_a_volume(client: Any, account: Account) -> None:
    account.names.add_domain(DOMAIN)
    applied(client(), tasks(NAME))
    (vpc,) = (each["id"] for each in account.networks.vpcs.values() if each["name"] == names.vpc(NAME))
    add_droplet(account, NAME, "nodes", vpc=vpc)
    assert in_the_way(client(), discover(client())) == []
    theirs = add_droplet(account, "other.example.com", "theirs", vpc=vpc)
    (volume,) = (each for each in account.volumes.objects.values() if "main" in each["name"])
    volume["droplet_ids"].append(theirs)
    body = {"name": "web", "region": REGION, "forwarding_rules": [RULE], "tag": "web", "vpc_uuid": vpc}
    client().make(BALANCER, body)
    cloud = client()
    assert in_the_way(cloud, discover(cloud)) == [
        f"droplet {theirs}: it uses volume kops-a-etcd-main-demo-example-com",
        "droplet theirs-1: it uses VPC vpc-demo-example-com",
        "load balancer web: it uses VPC vpc-demo-example-com",
    ]
