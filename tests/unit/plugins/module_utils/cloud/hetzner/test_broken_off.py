# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults at each write, and runs that are broken off there: nothing is there twice, and running again completes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.cloud import LIMITED, HetznerCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.discovery import discover
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, Allowance, no_fault

# Network and subnet, two firewalls, two volumes, load balancer, key and placement group.
WRITES = 9
# One more for each firewall, which is applied to nothing first.
DELETIONS = 10
# One that ends before a write has mostly done what one that ends after the write before it has.
MOMENTS = ["after", pytest.param("before", marks=pytest.mark.long)]
LONG = [pytest.param(fault, marks=pytest.mark.long) for fault in (RESET, 423, 429, 502, 503)]


class Killed(BaseException):
    """The process ends."""


class Mortal(HetznerCloud):
    """A client whose process ends at a write, before it or after it, and with each later one of other threads."""

    def __init__(self, number: int, moment: str) -> None:
        super().__init__(applying.ZONE, applying.NAME)
        self._number, self._moment, self._count = number, moment, 0

    def ask(self, method: str, path: str, body: Any, doing: str) -> dict[str, Any]:
        number, self._count = self._count, self._count + 1
        if number > self._number or (number == self._number and self._moment == "before"):
            raise Killed
        answer = super().ask(method, path, body, doing)
        if number == self._number:
            raise Killed
        return answer


def whole(server: HetznerServer) -> list[str]:
    """The names of what a cluster has, after it is made."""
    applying.applied(applying.client(), applying.tasks())
    return server.names()


def test_a_second_run_writes_nothing(server: HetznerServer) -> None:
    whole(server)
    assert len(server.writes) == WRITES
    server.calls.clear()
    assert applying.changes(applying.applied(applying.client(), applying.tasks())) == []
    # Each kind is read once.
    assert sorted(map(str, server.calls)) == sorted(
        f"GET /{kind}"
        for kind in ("networks", "firewalls", "volumes", "ssh_keys", "placement_groups", "load_balancers")
    )


def test_a_token_with_few_requests_slows_a_run_down_and_it_ends(server: HetznerServer) -> None:
    cloud, told = applying.client(), list[str]()
    cloud.tell = told.append
    server.project.allowance = Allowance(4, 20)
    applying.applied(cloud, applying.tasks(), told)
    assert len(server.names()) == WRITES - 1
    # A write that is put off says what for, and so does a read that waits.
    assert any(LIMITED in each and each.startswith("waiting: ") and "/" in each for each in told)
    assert any(each.startswith(f"waiting: {LIMITED}") for each in told)
    cloud = applying.client()
    cloud.tell = told.append
    applying.remove(cloud, told)
    assert server.names() == []


@pytest.mark.parametrize("fault", [LOST, *LONG])
@pytest.mark.parametrize("number", range(WRITES))
def test_a_fault_at_a_write_makes_no_twin(server: HetznerServer, number: int, fault: int | str) -> None:
    server.spoil(number + 1, fault)
    told: list[str] = []
    applying.applied(applying.client(), applying.tasks(), told)
    assert any(each.startswith("waiting: ") for each in told)
    server.fault = no_fault
    names = server.names()
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
    assert len(names) == len(set(names)) == WRITES - 1
    assert [len(each["subnets"]) for each in server.project.objects.all("networks")] == [1]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("number", range(WRITES))
def test_what_is_made_can_be_deleted_and_running_again_completes(
    server: HetznerServer, number: int, moment: str
) -> None:
    with pytest.raises(Killed):
        applying.applied(Mortal(number, moment), applying.tasks())
    applying.remove(applying.client())
    assert server.names() == []
    with pytest.raises(Killed):
        applying.applied(Mortal(number, moment), applying.tasks())
    names = whole(server)
    assert len(names) == len(set(names)) == WRITES - 1
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("number", range(DELETIONS))
def test_a_deletion_that_is_broken_off_ends_with_the_next(server: HetznerServer, number: int, moment: str) -> None:
    whole(server)
    with pytest.raises(Killed):
        applying.remove(Mortal(number, moment))
    applying.remove(applying.client())
    assert discover(applying.client()) == {}
    assert server.names() == []


@pytest.mark.parametrize("fault", [LOST, *LONG])
@pytest.mark.parametrize("number", range(DELETIONS))
def test_a_fault_at_a_deletion(server: HetznerServer, number: int, fault: int | str) -> None:
    whole(server)
    server.spoil(number + 1, fault)
    applying.remove(applying.client())
    assert server.names() == []
