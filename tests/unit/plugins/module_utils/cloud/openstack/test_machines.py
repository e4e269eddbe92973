# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of a cluster as instances of its groups, and what is behind its load balancer; in a project in memory."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.endpoints import Endpoint
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import CloudError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import Target
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.looking import OpenStackLooking
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import NAME, applied, tasks
from ansible_collections.kubeops.kops.tests.support.openstack.memory import Project

LOOKING = OpenStackLooking()


@pytest.fixture
def project() -> Project:
    """With a cluster, whose servers Nova describes."""
    made = Project()
    applied(made.client(NAME), tasks())
    for number, server in enumerate(made.of(kinds.SERVER).values()):
        port = made.of(kinds.PORT)[server["networks"][0]["port"]]
        fixed = {"addr": port["fixed_ips"][0]["ip_address"], "version": 4, "OS-EXT-IPS:type": "fixed"}
        port["device_id"] = server["id"]
        server["addresses"] = {NAME: [{"addr": f"2001:db8::{number}", "version": 6}, fixed]}
        server["flavor"] = {"id": "medium"}
        server["created"] = "2026-01-31T09:00:00Z"
    for pool in made.of(kinds.POOL).values():
        for member in pool["members"]:
            member["operating_status"] = "ONLINE"
    return made


def test_groups(project: Project) -> None:
    found = LOOKING.groups(project.client(NAME))
    assert {group: (each.wanted, len(each.machines)) for group, each in found.items()} == {
        "bastions": (1, 1),
        "control-plane-az-1": (1, 1),
        "nodes-az-1": (2, 2),
    }
    (machine,) = found["bastions"].machines
    assert machine.name.startswith("bastions-")
    assert [address.partition(".")[0] for address in machine.addresses[:2]] == ["203", "10"]
    assert machine.private_addresses[1].startswith("2001:db8::")
    assert (machine.machine_type, machine.power, machine.outdated) == ("medium", "running", "")
    assert machine.launched == datetime.datetime(2026, 1, 31, 9, tzinfo=datetime.timezone.utc)


def test_servers_that_failed_or_are_missing(project: Project) -> None:
    nodes = [
        each for each in project.of(kinds.SERVER).values() if each["metadata"]["KopsInstanceGroup"] == "nodes-az-1"
    ]
    nodes[0]["status"] = "ERROR"
    nodes[1]["OS-EXT-STS:task_state"] = "deleting"
    group = LOOKING.groups(project.client(NAME))["nodes-az-1"]
    assert (group.wanted, [(each.outdated, each.healthy) for each in group.machines]) == (
        2,
        [("Nova could not make it", False)],
    )
    names = [each["name"] for each in nodes]
    assert LOOKING.existing(project.client(NAME), [*names, "other"]) == {names[0]}
    for each in nodes:
        del project.of(kinds.SERVER)[each["id"]]
    group = LOOKING.groups(project.client(NAME))["nodes-az-1"]
    assert (group.wanted, list(group.machines)) == (2, [])


def test_the_load_balancer_and_what_is_behind_it(project: Project) -> None:
    cloud = project.client(NAME)
    floating = {each["description"]: each["floating_ip_address"] for each in project.of(kinds.FLOATING_IP).values()}
    outside, inside = Endpoint(floating[f"fip-api.{NAME}"]), Endpoint("10.0.0.9", internal=True)
    assert LOOKING.api_endpoints(cloud) == [outside, inside]
    (name,) = (each.name for each in LOOKING.groups(cloud)["control-plane-az-1"].machines)
    assert LOOKING.api_targets(cloud) == [Target(name, True, "online")]
    for pool in project.of(kinds.POOL).values():
        pool["members"][0]["operating_status"] = "ERROR"
    assert LOOKING.api_targets(cloud) == [Target(name, False, "error")]
    assert LOOKING.api_targets(project.client("other.k8s.local")) is None


def test_a_dump_has_no_user_data(project: Project) -> None:
    for server in project.of(kinds.SERVER).values():
        server["OS-EXT-SRV-ATTR:user_data"] = "c2VjcmV0"
    told = {name: read() for name, read in LOOKING.described(project.client(NAME)).items()}
    assert {name for name, each in told.items() if not each} == set()
    assert "c2VjcmV0" not in str(told)


def test_what_a_server_says_of_its_way_to_become_a_node(project: Project) -> None:
    (name,) = (each.name for each in LOOKING.groups(project.client(NAME))["bastions"].machines)
    assert LOOKING.last_line(project.client(NAME), name) == ""
    project.console += "[ 10.2] python3[7]: kubeops: waiting for a bootstrap server\r\n[  11.0] end\r\n"
    assert LOOKING.last_line(project.client(NAME), name) == "kubeops: waiting for a bootstrap server"
    assert LOOKING.console(project.client(NAME), "gone") == ""

    def no_consoles(moment: str, number: int) -> None:
        raise CloudError("cannot read the console: it is not supported")

    project.fault = no_consoles
    assert LOOKING.last_line(project.client(NAME), name) == ""
