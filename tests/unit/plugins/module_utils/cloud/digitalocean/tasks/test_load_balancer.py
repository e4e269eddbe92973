# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancer of the API: as kops makes it, waited for, changed in place."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import BALANCER
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.load_balancer import LoadBalancer
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import add_droplet
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

NAME, LIKE_IT = "demo.example.com", "demo-example.com"
TAG = "KubernetesCluster-Master:demo-example-com"
RULE = {"entry_protocol": "tcp", "entry_port": 1, "target_protocol": "tcp", "target_port": 1}


def wanted() -> LoadBalancer:
    return LoadBalancer(names.api(NAME), region=REGION, droplet_tag=names.control_plane_tag(NAME))


@pytest.mark.parametrize("spoiled", [None, LOST, RESET, 500])
def test_it_is_made_once_and_its_address_is_waited_for(
    cloud: DigitalOceanCloud, client, account: Account, server: RestServer, spoiled: int | str | None
) -> None:
    account.pending.looks = 2
    if spoiled is not None:
        server.spoil(1, spoiled)
    task = wanted()
    applied(cloud, [task])
    (made,) = account.networks.balancers.values()
    assert task.address == made["ip"] != ""
    assert (made["name"], made["tag"]) == ("api-demo-example-com", TAG)
    rules = {(each["entry_protocol"], each["entry_port"], each["tls_passthrough"]) for each in made["forwarding_rules"]}
    assert rules == {("https", 443, True), ("http", 80, False), ("https", 3988, True)}
    check = made["health_check"]
    assert (check["protocol"], check["port"], check["check_interval_seconds"]) == ("tcp", 443, 60)
    again = wanted()
    assert changes(applied(client(), [again])) == []
    assert again.address == task.address


def test_that_of_kops_stays_as_it_is(cloud: DigitalOceanCloud, client, account: Account) -> None:
    """As RenderDO in upup/pkg/fi/cloudup/dotasks/loadbalancer.go makes it."""

    def rule(protocol: str, port: int, **more: bool) -> dict[str, object]:
        entry = {"entry_protocol": protocol, "entry_port": port}
        return {**entry, "target_protocol": protocol, "target_port": port, "certificate_id": "", **more}

    check = {"protocol": "tcp", "port": 443, "check_interval_seconds": 60, "response_timeout_seconds": 5}
    body = {
        "name": "api-demo-example-com",
        "region": REGION,
        "tag": TAG,
        "forwarding_rules": [
            rule("https", 443, tls_passthrough=True),
            rule("http", 80),
            rule("https", 3988, tls_passthrough=True),
        ],
        "health_check": {**check, "path": "", "unhealthy_threshold": 3, "healthy_threshold": 5},
    }
    cloud.make(BALANCER, body)
    for _look in range(account.pending.looks):
        account.pending.tick()
    assert changes(applied(client(), [wanted()])) == []


def test_a_run_that_was_broken_off_is_waited_for(cloud: DigitalOceanCloud, client, account: Account) -> None:
    account.pending.looks = 4
    cloud.make(BALANCER, wanted().request(cloud) | {"vpc_uuid": None})
    task = wanted()
    assert changes(applied(client(), [task])) == ["update LoadBalancer/api-demo-example-com ['state']"]
    assert task.address


def test_what_was_changed_is_changed_back_and_the_rest_stays(
    cloud: DigitalOceanCloud, client, account: Account
) -> None:
    applied(cloud, [wanted()])
    (made,) = account.networks.balancers.values()
    allowed = {"allow": ["ip:192.0.2.1"]}
    made.update(forwarding_rules=[{**RULE, "tls_passthrough": False}], size_unit=3, firewall=allowed)
    expected = ["update LoadBalancer/api-demo-example-com ['forwarding_rules']"]
    assert changes(applied(client(), [wanted()])) == expected
    assert len(made["forwarding_rules"]) == 3
    assert (made["size_unit"], made["firewall"], made["tag"]) == (3, allowed, TAG)
    assert changes(applied(client(), [wanted()])) == []


def test_one_that_failed_is_named(cloud: DigitalOceanCloud, client, account: Account) -> None:
    applied(cloud, [wanted()])
    (made,) = account.networks.balancers.values()
    made["status"] = "errored"
    with pytest.raises(KopsError, match="load balancer api-demo-example-com is errored: delete it, and run again"):
        applied(client(), [wanted()])


def test_twins_and_those_of_others_are_refused(cloud: DigitalOceanCloud, client, account: Account) -> None:
    body = {"name": names.api(NAME), "region": REGION, "forwarding_rules": [RULE], "tag": "theirs"}
    cloud.make(BALANCER, body)
    with pytest.raises(KopsError, match="nothing says that it is the cluster's"):
        planned(client(), [wanted()])
    cloud.make(BALANCER, {**body, "tag": TAG})
    with pytest.raises(KopsError, match="2 objects of the account are called load balancer api-demo-example-com"):
        planned(client(), [wanted()])


def test_a_cluster_whose_name_looks_the_same_would_lose_its_droplets(client, account: Account) -> None:
    add_droplet(account, LIKE_IT, "control-plane", TAG)
    with pytest.raises(KopsError, match=f"another cluster, {LIKE_IT}"):
        planned(client(), [wanted()])
