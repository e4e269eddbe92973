# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A VPC: made, kept, taken over from kops, lent by the user; one of others is refused."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import VPC as KIND
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.vpc import VPC
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import OTHER_REGION, REGION
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import RANGE, add_droplet
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

NAME = "demo.example.com"


def wanted(ip_range: str = RANGE) -> list[VPC]:
    return [VPC(names.vpc(NAME), region=REGION, ip_range=ip_range)]


def of_kops(cloud: DigitalOceanCloud) -> str:
    made = cloud.make(KIND, {"name": names.vpc(NAME), "region": REGION, "ip_range": RANGE})
    return str(made["id"])


def test_it_is_made_once_and_names_its_cluster(cloud: DigitalOceanCloud, client, account: Account) -> None:
    applied(cloud, wanted())
    (made,) = (each for each in account.networks.vpcs.values() if not each["default"])
    assert (made["name"], made["ip_range"], made["region"]) == ("vpc-demo-example-com", RANGE, REGION)
    assert made["description"] == f"kubeops.kops cluster {NAME}"
    assert changes(applied(client(), wanted())) == []


@pytest.mark.parametrize("spoiled", [LOST, RESET, 500])
def test_an_answer_that_is_lost_makes_no_twin(
    cloud: DigitalOceanCloud, server: RestServer, account: Account, spoiled: int | str
) -> None:
    server.spoil(1, spoiled)
    applied(cloud, wanted())
    assert [each["name"] for each in account.networks.vpcs.values()].count(names.vpc(NAME)) == 1


def test_its_range_cannot_be_changed(cloud: DigitalOceanCloud, client) -> None:
    applied(cloud, wanted())
    with pytest.raises(KopsError, match="cannot be changed in place"):
        planned(client(), wanted("10.30.0.0/20"))


def test_a_range_that_another_has_is_refused_before_anything_is_written(
    cloud: DigitalOceanCloud, client, server: RestServer
) -> None:
    cloud.make(KIND, {"name": "theirs", "region": OTHER_REGION, "ip_range": "10.20.8.0/24"})
    with pytest.raises(KopsError, match=f"{RANGE} overlaps 10.20.8.0/24, which is that of the account's VPC theirs"):
        planned(client(), wanted())
    assert len(server.writes) == 1


def test_that_of_kops_is_taken_over(cloud: DigitalOceanCloud, client, account: Account) -> None:
    identifier = of_kops(cloud)
    add_droplet(account, NAME, "nodes", marked=False, vpc=identifier)
    assert changes(applied(client(), wanted())) == ["update VPC/vpc-demo-example-com ['marked']"]
    assert account.networks.vpcs[identifier]["description"] == names.mark(NAME)
    assert changes(applied(client(), wanted())) == []


def test_one_of_others_stays_as_it_is(cloud: DigitalOceanCloud, client, account: Account) -> None:
    identifier = of_kops(cloud)
    with pytest.raises(KopsError, match="nothing says that it is the cluster's"):
        planned(client(), wanted())
    account.networks.vpcs[identifier]["description"] = names.mark("demo-example.com")
    add_droplet(account, NAME, "nodes", vpc=identifier)
    with pytest.raises(KopsError, match="nothing says that it is the cluster's"):
        planned(client(), wanted())


def test_one_that_is_lent_is_only_looked_at(cloud: DigitalOceanCloud, client, server: RestServer) -> None:
    lent = str(cloud.make(KIND, {"name": "theirs", "region": REGION})["id"])
    elsewhere = str(cloud.make(KIND, {"name": "elsewhere", "region": OTHER_REGION})["id"])
    before = len(server.writes)
    task = VPC(lent, given=True)
    assert changes(applied(client(), [task])) == []
    assert task.id == lent
    with pytest.raises(KopsError, match="has no VPC with the id none"):
        planned(client(), [VPC("none", given=True)])
    with pytest.raises(KopsError, match=f"is in {OTHER_REGION}, and the cluster in {REGION}"):
        planned(client(), [VPC(elsewhere, given=True)])
    assert len(server.writes) == before
