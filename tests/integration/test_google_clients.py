# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google's own client libraries work with the APIs of tests: operations, pages, filters, conditions and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.support.google.server import TOKEN, GoogleServer
from google.api_core import exceptions
from google.cloud import compute_v1 as compute
from google.cloud.dns import Client
from google.oauth2.credentials import Credentials

PROJECT, REGION, ZONE = "my-project", "us-test1", "us-test1-b"
IN_THE_ZONE = {"project": PROJECT, "zone": ZONE}
# Type of a client -> the client.
Clients = Callable[[Any], Any]


@pytest.fixture
def server() -> Iterator[GoogleServer]:
    with GoogleServer() as made:
        yield made


@pytest.fixture
def client(server: GoogleServer) -> Clients:
    def of(kind: Any) -> Any:
        return kind(credentials=Credentials(TOKEN), client_options={"api_endpoint": server.url})

    return of


@pytest.fixture
def network(client: Clients) -> str:
    """The URL of a network."""
    networks = client(compute.NetworksClient)
    made = compute.Network(name="net", auto_create_subnetworks=False)
    networks.insert(project=PROJECT, network_resource=made).result(timeout=10)
    return str(networks.get(project=PROJECT, network="net").self_link)


@pytest.fixture
def manager(client: Clients, network: str) -> str:
    """The name of a managed group with two instances."""
    template = compute.InstanceTemplate(
        name="template",
        properties=compute.InstanceProperties(
            machine_type="e2-medium",
            labels={"role": "node"},
            network_interfaces=[compute.NetworkInterface(network=network)],
        ),
    )
    templates = client(compute.InstanceTemplatesClient)
    templates.insert(project=PROJECT, instance_template_resource=template).result(timeout=10)
    url = templates.get(project=PROJECT, instance_template="template").self_link
    made = compute.InstanceGroupManager(name="group", base_instance_name="node", instance_template=url, target_size=2)
    managers = client(compute.InstanceGroupManagersClient)
    managers.insert(**IN_THE_ZONE, instance_group_manager_resource=made).result(timeout=10)
    return "group"


def test_what_is_inserted_is_got_listed_and_deleted(client: Clients, network: str) -> None:
    networks = client(compute.NetworksClient)
    found = networks.get(project=PROJECT, network="net")
    assert (found.name, found.self_link, found.auto_create_subnetworks) == ("net", network, False)
    assert [each.name for each in networks.list(project=PROJECT)] == ["net"]
    networks.delete(project=PROJECT, network="net").result(timeout=10)
    with pytest.raises(exceptions.NotFound):
        networks.get(project=PROJECT, network="net")


def test_errors_have_googles_classes(client: Clients, network: str) -> None:
    networks = client(compute.NetworksClient)
    with pytest.raises(exceptions.Conflict, match="already exists"):
        networks.insert(project=PROJECT, network_resource=compute.Network(name="net")).result(timeout=10)
    with pytest.raises(exceptions.BadRequest, match="Invalid value for field"):
        networks.insert(project=PROJECT, network_resource=compute.Network(name="No_Name")).result(timeout=10)
    subnet = compute.Subnetwork(name="subnet", network=network, ip_cidr_range="10.0.0.0/24")
    subnets = client(compute.SubnetworksClient)
    subnets.insert(project=PROJECT, region=REGION, subnetwork_resource=subnet).result(timeout=10)
    with pytest.raises(exceptions.GoogleAPICallError, match="already being used"):
        networks.delete(project=PROJECT, network="net").result(timeout=10)


def test_a_request_that_is_sent_again_is_carried_out_once(client: Clients, server: GoogleServer) -> None:
    networks = client(compute.NetworksClient)
    request = compute.InsertNetworkRequest(
        project=PROJECT,
        network_resource=compute.Network(name="net"),
        request_id="11111111-2222-3333-4444-555555555555",
    )
    first = networks.insert(request)
    second = networks.insert(request)
    assert first.name == second.name
    assert sum("/networks/" in path for path in server.objects.found) == 1


def test_pages_and_filters(client: Clients) -> None:
    disks = client(compute.DisksClient)
    for number in range(5):
        disk = compute.Disk(name=f"disk-{number}", size_gb=10, labels={"parity": str(number % 2)})
        disks.insert(**IN_THE_ZONE, disk_resource=disk).result(timeout=10)
    listed = disks.list(compute.ListDisksRequest(**IN_THE_ZONE, max_results=2))
    assert [len(page.items) for page in listed.pages] == [2, 2, 1]
    odd = disks.list(compute.ListDisksRequest(**IN_THE_ZONE, filter="labels.parity=1"))
    assert [each.name for each in odd] == ["disk-1", "disk-3"]
    found = dict(disks.aggregated_list(project=PROJECT))
    assert [each.name for each in found[f"zones/{ZONE}"].disks] == [f"disk-{number}" for number in range(5)]


def test_labels_need_their_fingerprint(client: Clients) -> None:
    disks = client(compute.DisksClient)
    disks.insert(**IN_THE_ZONE, disk_resource=compute.Disk(name="disk", size_gb=10)).result(timeout=10)
    old = disks.get(**IN_THE_ZONE, disk="disk").label_fingerprint

    def label(value: str) -> None:
        wanted = compute.ZoneSetLabelsRequest(label_fingerprint=old, labels={"a": value})
        disks.set_labels(**IN_THE_ZONE, resource="disk", zone_set_labels_request_resource=wanted).result(timeout=10)

    label("b")
    with pytest.raises(exceptions.PreconditionFailed, match="fingerprint"):
        label("c")
    assert dict(disks.get(**IN_THE_ZONE, disk="disk").labels) == {"a": "b"}


def test_a_managed_group_keeps_its_number(client: Clients, manager: str) -> None:
    managers, instances = client(compute.InstanceGroupManagersClient), client(compute.InstancesClient)

    def names() -> list[str]:
        return sorted(each.name for each in instances.list(**IN_THE_ZONE))

    first, second = names()
    instances.delete(**IN_THE_ZONE, instance=first).result(timeout=10)
    assert names() == [first, second], "one that others delete is made again under its name"
    managers.resize(**IN_THE_ZONE, instance_group_manager=manager, size=3).result(timeout=10)
    (third,) = {*names()} - {first, second}
    ended = compute.InstanceGroupManagersDeleteInstancesRequest(
        instances=[instances.get(**IN_THE_ZONE, instance=second).self_link]
    )
    managers.delete_instances(
        **IN_THE_ZONE,
        instance_group_manager=manager,
        instance_group_managers_delete_instances_request_resource=ended,
    ).result(timeout=10)
    assert names() == sorted([first, third])
    listed = managers.list_managed_instances(**IN_THE_ZONE, instance_group_manager=manager)
    assert sorted(each.instance.rpartition("/")[2] for each in listed) == names()
    managers.delete(**IN_THE_ZONE, instance_group_manager=manager).result(timeout=10)
    assert names() == []


def test_a_disk_is_attached_once(client: Clients, manager: str) -> None:
    del manager
    instances, disks = client(compute.InstancesClient), client(compute.DisksClient)
    disks.insert(**IN_THE_ZONE, disk_resource=compute.Disk(name="data", size_gb=10)).result(timeout=10)
    url = disks.get(**IN_THE_ZONE, disk="data").self_link
    first, second = (each.name for each in instances.list(**IN_THE_ZONE))

    def attach(instance: str) -> None:
        disk = compute.AttachedDisk(source=url, device_name="data")
        instances.attach_disk(**IN_THE_ZONE, instance=instance, attached_disk_resource=disk).result(timeout=10)

    attach(first)
    with pytest.raises(exceptions.GoogleAPICallError, match="already in use"):
        attach(second)
    (user,) = disks.get(**IN_THE_ZONE, disk="data").users
    assert user.endswith(f"/instances/{first}")
    with pytest.raises(exceptions.GoogleAPICallError, match="already in use"):
        disks.delete(**IN_THE_ZONE, disk="data").result(timeout=10)


def test_the_console_of_an_instance(client: Clients, server: GoogleServer, manager: str) -> None:
    del manager
    server.compute.console = lambda instance: f"I am {instance['name']}"
    instances = client(compute.InstancesClient)
    first = next(iter(instances.list(**IN_THE_ZONE))).name
    output = instances.get_serial_port_output(**IN_THE_ZONE, instance=first)
    assert output.contents == f"I am {first}"


def test_zones_and_records(server: GoogleServer) -> None:
    client = Client(PROJECT, Credentials(TOKEN), client_options={"api_endpoint": server.url})
    zone = client.zone("zone", "example.com.", "of tests")
    assert not zone.exists()
    zone.create()
    assert zone.exists()
    assert [(each.name, each.dns_name) for each in client.list_zones()] == [("zone", "example.com.")]
    record = zone.resource_record_set("api.example.com.", "A", 60, ["192.0.2.1"])
    change = zone.changes()
    change.add_record_set(record)
    change.create()
    assert change.status in ("pending", "done")
    found = {(each.name, each.record_type): each.rrdatas for each in zone.list_resource_record_sets()}
    assert found["api.example.com.", "A"] == ["192.0.2.1"]
    again = zone.changes()
    again.add_record_set(record)
    with pytest.raises(exceptions.Conflict):
        again.create()
    removal = zone.changes()
    removal.delete_record_set(record)
    removal.create()
    assert ("api.example.com.", "A") not in {(each.name, each.record_type) for each in zone.list_resource_record_sets()}
    zone.delete()
    assert not zone.exists()
