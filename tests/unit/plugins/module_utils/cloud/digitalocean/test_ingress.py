# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the API of a cluster is reached."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.ingress import api_endpoints, api_targets
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, tasks

NAME = "demo.example.com"


def test_without_a_load_balancer_it_is_at_the_control_planes(client: Any, account: Account) -> None:
    assert api_endpoints(client()) == []
    add_droplet(account, NAME, "nodes")
    droplet = account.droplets.objects[add_droplet(account, NAME, "control-plane", names.control_plane_tag(NAME))]
    addresses = {each["type"]: each["ip_address"] for each in droplet["networks"]["v4"]}
    found = api_endpoints(client())
    assert [(each.host, each.internal) for each in found] == [
        (addresses["public"], False),
        (addresses["private"], True),
    ]


def test_it_is_at_the_load_balancer_if_there_is_one(client: Any, account: Account) -> None:
    account.names.add_domain(DOMAIN)
    applied(client(), tasks(NAME))
    add_droplet(account, NAME, "control-plane", names.control_plane_tag(NAME))
    (balancer,) = account.networks.balancers.values()
    assert [(each.host, each.internal) for each in api_endpoints(client())] == [(balancer["ip"], False)]
    assert api_targets(client()) is None
