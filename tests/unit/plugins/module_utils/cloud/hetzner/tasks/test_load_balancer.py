# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A load balancer: made at once, repaired piece by piece, and its services go only when that is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.load_balancer import (
    LoadBalancer,
    Service,
)
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST

KEY = f"LoadBalancer/api.{applying.NAME}"


def balancer(server: HetznerServer) -> dict[str, Any]:
    (found,) = server.project.objects.all("load_balancers")
    return found


def test_made_as_kops_does(server: HetznerServer) -> None:
    server.project.objects.delay = 0.05
    wanted = applying.tasks()
    applying.applied(applying.client(), wanted)
    found, task = balancer(server), wanted[KEY]
    assert (found["load_balancer_type"]["name"], found["location"]["name"]) == ("lb11", "fsn1")
    selector = "kops.k8s.io/cluster=demo.k8s.local,kops.k8s.io/instance-role=ControlPlane"
    target = {"type": "label_selector", "use_private_ip": True, "label_selector": {"selector": selector}}
    assert found["targets"] == [target]
    assert [(each["protocol"], each["listen_port"], each["destination_port"]) for each in found["services"]] == [
        ("tcp", 443, 443),
        ("tcp", 3988, 3988),
    ]
    # Others are told of its addresses.
    assert (task.address, task.private_address) == (found["public_net"]["ipv4"]["ip"], found["private_net"][0]["ip"])
    again = applying.tasks()
    applying.applied(applying.client(), again)
    assert (again[KEY].address, again[KEY].private_address) == (task.address, task.private_address)


@pytest.mark.parametrize("fault", [None, LOST, 423, 429, 503])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_what_it_lacks_comes_back(server: HetznerServer, number: int, fault: int | str | None) -> None:
    """Its place in the network, one service, another port of the other, its servers."""
    applying.applied(applying.client(), applying.tasks())
    found = balancer(server)
    found.update(private_net=[], targets=[], services=[{**found["services"][0], "destination_port": 8443}])
    server.project.objects.all("networks")[0]["load_balancers"] = []
    if fault is not None:
        server.spoil(number, fault)
    plan = applying.applied(applying.client(), applying.tasks())
    assert applying.changes(plan) == [f"update {KEY} ['network', 'services', 'target']"]
    server.fault = lambda call: None
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
    assert (len(found["private_net"]), len(found["services"]), len(found["targets"])) == (1, 2, 1)


def test_a_service_that_is_not_wanted_goes_with_prune(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    wanted = applying.tasks(services=(applying.HTTPS,))
    plan = applying.applied(applying.client(), wanted)
    assert (applying.changes(plan), len(balancer(server)["services"])) == ([], 2)
    assert [each.item for each in plan.deletions] == [f"3988 of api.{applying.NAME}"]
    applying.applied(applying.client(), applying.tasks(services=(applying.HTTPS,)), prune=True)
    assert [each["listen_port"] for each in balancer(server)["services"]] == [443]


def test_type_and_location_are_never_changed(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    wanted = applying.tasks()
    wanted[KEY].type, wanted[KEY].location = "lb21", "nbg1"
    with pytest.raises(KopsError, match="location: fsn1 -> nbg1; type: lb11 -> lb21"):
        applying.applied(applying.client(), wanted)


def test_it_waits_for_its_address(server: HetznerServer) -> None:
    wanted = applying.tasks()
    told: list[str] = []
    server.project.objects.delay = 0.2
    applying.applied(applying.client(), wanted, told)
    assert f"waiting: {KEY}: load balancer api.{applying.NAME} is being made" in told
    assert isinstance(wanted[KEY], LoadBalancer)
    assert Service(443, 443) in wanted[KEY].services
