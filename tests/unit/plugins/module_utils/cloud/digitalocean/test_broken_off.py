# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is broken off at a write, before it or after it, is completed by the next: nothing is there twice."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.resources.discovery import discover
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned, removed
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import DOMAIN, add_droplet, tasks
from ansible_collections.kubeops.kops.tests.support.rest_server import RestServer

NAME = "demo.example.com"
# One of the writes makes a tag.
WRITES, OBJECTS, DELETIONS = 10, 9, 14
# What stays of a cluster: tags that others may have.
SHARED = ("etcdCluster-", "k8s-index:", "kops-instancegroup:")


class Killed(BaseException):
    """The process ends."""


class Mortal(DigitalOceanCloud):
    """A client whose process ends at a write, and with every later one of other threads."""

    def __init__(self, number: int, moment: str) -> None:
        super().__init__(REGION, NAME)
        self._number, self._moment, self._count = number, moment, 0
        self._lock_of_count = threading.Lock()

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None, doing: str) -> dict[str, Any]:
        with self._lock_of_count:
            count, self._count = self._count, self._count + 1
        if count > self._number or (count == self._number and self._moment == "before"):
            raise Killed
        answer = super().ask(method, path, body, doing)
        if count == self._number:
            raise Killed
        return answer


@pytest.fixture(autouse=True)
def _domain(account: Account) -> None:
    account.names.add_domain(DOMAIN)
    account.pending.looks = 0


def left(account: Account) -> list[str]:
    found = account.everything()
    return [each for each in found if not each.startswith("record NS") and not each.startswith(_tags(SHARED))]


def _tags(names_of: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"tag {each}" for each in names_of)


def test_a_second_run_writes_nothing_and_reads_little(client: Any, server: RestServer) -> None:
    applied(client(), tasks(NAME))
    assert len(server.writes) == WRITES
    server.calls.clear()
    assert changes(applied(client(), tasks(NAME))) == []
    assert server.writes == []
    # VPCs, keys, volumes, load balancers, firewalls, records, and droplets, whose marks tell clusters apart.
    assert len(server.calls) == 7


def test_an_apply_that_exceeds_the_rate_slows_down_ends_and_says_so(client: Any, account: Account) -> None:
    account.burst, account.window = 8, 1.5
    cloud, told = client(), []
    cloud.tell = told.append
    applied(cloud, tasks(NAME), told.append)
    account.burst = 250
    assert changes(planned(client(), tasks(NAME))) == []
    assert [each for each in told if "DigitalOcean limits the rate of requests" in each]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(WRITES))
def test_running_again_completes(client: Any, account: Account, server: RestServer, number: int, moment: str) -> None:
    with pytest.raises(Killed):
        applied(Mortal(number, moment), tasks(NAME))
    applied(client(), tasks(NAME))
    assert changes(planned(client(), tasks(NAME))) == []
    found = left(account)
    assert len(found) == len(set(found))
    assert len([each for each in found if not each.startswith("tag ")]) == OBJECTS


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(WRITES))
def test_what_a_run_that_was_broken_off_has_made_can_be_deleted(
    client: Any, account: Account, server: RestServer, number: int, moment: str
) -> None:
    with pytest.raises(Killed):
        applied(Mortal(number, moment), tasks(NAME))
    removed(client())
    assert left(account) == []


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(DELETIONS))
def test_a_deletion_that_is_broken_off_ends_with_the_next(
    client: Any, account: Account, server: RestServer, number: int, moment: str
) -> None:
    applied(client(), tasks(NAME))
    (vpc,) = (each["id"] for each in account.networks.vpcs.values() if each["name"] == names.vpc(NAME))
    add_droplet(account, NAME, "nodes", "kubeops-given:aa:bb", vpc=vpc)
    with pytest.raises(Killed):
        removed(Mortal(number, moment))
    removed(client())
    assert left(account) == []
    assert discover(client()) == {}
