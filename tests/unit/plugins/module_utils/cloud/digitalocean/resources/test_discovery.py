# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion of a cluster: to nothing, in order, and nothing of others."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.record import Record
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned, removed
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, tasks
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, Call, RestServer

NAME, OTHER = "demo.example.com", "other.example.com"
GIVEN = "kubeops-given:aa:bb"
# Tags that clusters share: roles, groups, members of etcd, numbers.
SHARED = ["etcdCluster-events:a", "etcdCluster-main:a", "k8s-index:a", "kops-instancegroup:nodes"]


@pytest.fixture(autouse=True)
def _domain(account: Account) -> None:
    account.names.add_domain(DOMAIN)


def make(client: Any, account: Account, name: str = NAME, **more: Any) -> int:
    """A cluster with a droplet that has a volume; returns the droplet's id."""
    applied(client(name), tasks(name, **more))
    (vpc,) = (each["id"] for each in account.networks.vpcs.values() if each["name"] == names.vpc(name))
    droplet = add_droplet(account, name, "nodes", GIVEN, names.control_plane_tag(name), vpc=vpc)
    found = account.droplets.objects[droplet]
    volume = next(each for each in account.volumes.objects.values() if names.has_tag(each, names.mark_tag(name)))
    volume["droplet_ids"].append(droplet)
    found["volume_ids"].append(volume["id"])
    return droplet


def left(account: Account) -> list[str]:
    return [each for each in account.everything() if not each.startswith("record NS")]


def test_a_cluster_is_deleted_to_nothing(client: Any, account: Account) -> None:
    make(client, account)
    removed(client())
    assert left(account) == [f"tag {each}" for each in SHARED]
    assert discover(client()) == {}


def test_what_uses_an_object_goes_before_it(client: Any, account: Account) -> None:
    droplet = make(client, account)
    found = discover(client())
    before = {key: {each.kind for each in resource.blocked_by} for key, resource in found.items()}
    assert before[f"droplet:{droplet}"] == {"load balancer"}
    assert all(kinds == {"droplet"} for key, kinds in before.items() if key.startswith("volume:"))
    assert all(kinds == {"droplet", "load balancer"} for key, kinds in before.items() if key.startswith("VPC:"))
    assert all(kinds == {"droplet"} for key, kinds in before.items() if key.startswith("firewall:"))
    expected = {"droplet", "firewall", "load balancer", "volume"}
    assert all(kinds == expected for key, kinds in before.items() if key.startswith("tag:"))


def of_kops(client: Any, account: Account) -> list[Task[Any]]:
    """A cluster that kops has made: nothing of it names it in full but droplets and keys."""
    wanted = [each for each in tasks(NAME) if each.name.startswith("api.internal") or not isinstance(each, Record)]
    applied(client(), wanted)
    for each in account.networks.vpcs.values():
        each["description"] = ""
    for each in account.volumes.objects.values():
        each["tags"].remove(names.mark_tag(NAME))
    (vpc,) = (each["id"] for each in account.networks.vpcs.values() if each["name"] == names.vpc(NAME))
    add_droplet(account, NAME, "nodes", marked=False, vpc=vpc)
    account.tags.names.remove(names.mark_tag(NAME))
    return wanted


def test_a_cluster_of_kops_is_taken_over_and_then_deleted_to_nothing(client: Any, account: Account) -> None:
    wanted = of_kops(client, account)
    assert changes(applied(client(), wanted)) == [
        "update VPC/vpc-demo-example-com ['marked']",
        "update Volume/kops-a-etcd-events-demo-example-com ['tags']",
        "update Volume/kops-a-etcd-main-demo-example-com ['tags']",
    ]
    removed(client())
    assert left(account) == [f"tag {each}" for each in SHARED]


def test_of_a_cluster_of_kops_that_was_never_updated_the_vpc_stays(client: Any, account: Account) -> None:
    of_kops(client, account)
    removed(client())
    assert left(account) == ["VPC vpc-demo-example-com", *(f"tag {each}" for each in SHARED)]


def test_another_cluster_stays_whole(client: Any, account: Account) -> None:
    make(client, account, OTHER, public_name=f"other.{DOMAIN}", ip_range="10.40.0.0/20")
    before = left(account)
    make(client, account)
    removed(client())
    # The tag of credentials is one droplet's alone; here, two have it.
    assert left(account) == [each for each in before if each != f"tag {GIVEN}"]
    wanted = tasks(OTHER, f"other.{DOMAIN}", "10.40.0.0/20")
    assert changes(planned(client(OTHER), wanted)) == []


@pytest.mark.parametrize("spoiled", [LOST, RESET, 500])
def test_answers_that_are_lost_do_not_stop_it(
    client: Any, account: Account, server: RestServer, spoiled: int | str
) -> None:
    make(client, account)
    seen: set[str] = set()

    def fault(call: Call) -> int | str | None:
        """Each write, the first time."""
        if not call.writes or str(call) in seen:
            return None
        seen.add(str(call))
        return spoiled

    server.fault = fault
    removed(client())
    assert left(account) == [f"tag {each}" for each in SHARED]
    assert len(seen) >= 12


def test_a_droplet_that_is_being_made_is_waited_for(client: Any, account: Account, cloud: DigitalOceanCloud) -> None:
    droplet = make(client, account)
    account.pending.looks = 1
    found = account.droplets.objects[droplet]
    found["locked"] = True
    account.pending.later(lambda: found.update(locked=False))
    account.pending.later(lambda: None)
    removed(cloud)
    assert account.droplets.objects == {}
