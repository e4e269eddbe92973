# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dump has of a cluster in DigitalOcean."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.described import described
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, tasks

NAME = "demo.example.com"


def test_all_of_it_is_plain_data(client: Any, account: Account) -> None:
    account.names.add_domain(DOMAIN)
    applied(client(), tasks(NAME))
    add_droplet(account, NAME, "nodes")
    add_droplet(account, "other.example.com", "theirs")
    found = {name: read() for name, read in described(client()).items()}
    assert [each["name"] for each in found["droplets"]] == ["nodes-1"]
    assert {name: len(each) for name, each in found.items() if name != "resources"} == {
        "droplets": 1,
        "volumes": 2,
        "load-balancers": 1,
        "vpcs": 1,
    }
    assert {"kind": "VPC", "name": "vpc-demo-example-com"}.items() <= next(
        each for each in found["resources"] if each["kind"] == "VPC"
    ).items()
    assert "theirs" not in json.dumps(found)
