# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenStack of tests does for its users what an OpenStack does: its own services, without a machine behind."""

from __future__ import annotations

import base64
from typing import Any

import openstack
import pytest
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import EXTERNAL, FLAVOR, IMAGE, ZONES, Cloud
from openstack import exceptions

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("openstack")]


@pytest.fixture(scope="module")
def user(whole_openstack: Cloud) -> Any:
    """The connection of a member of a project."""
    return connect(whole_openstack.user("owner"))


def connect(login: dict[str, str]) -> Any:
    region = login["OS_REGION_NAME"]
    auth = {key.removeprefix("OS_").lower(): value for key, value in login.items() if key != "OS_REGION_NAME"}
    return openstack.connect(load_envvars=False, load_yaml_config=False, region_name=region, auth=auth)


@pytest.fixture(scope="module")
def network(user: Any) -> Any:
    """A network with a subnet, whose router leads outside."""
    made = user.network.create_network(name="net")
    subnet = user.network.create_subnet(network_id=made.id, ip_version=4, cidr="10.9.0.0/24")
    outside = user.network.find_network(EXTERNAL)
    router = user.network.create_router(name="router", external_gateway_info={"network_id": outside.id})
    user.network.add_interface_to_router(router, subnet=subnet)
    return made


@pytest.fixture(scope="module")
def port(user: Any, network: Any) -> Any:
    """A port with a security group."""
    group = user.network.create_security_group(name="group")
    rule = {"security_group_id": group.id, "direction": "ingress"}
    user.network.create_security_group_rule(**rule, protocol="tcp", port_range_min=22, port_range_max=22)
    user.network.create_security_group_rule(**rule, remote_group_id=group.id)
    return user.network.create_port(network_id=network.id, name="port", security_group_ids=[group.id])


@pytest.fixture(scope="module")
def server(user: Any, port: Any) -> Any:
    """An active server on the port."""
    group = user.compute.create_server_group(name="nodes", policy="anti-affinity")
    made = user.compute.create_server(
        name="server",
        image_id=user.image.find_image(IMAGE).id,
        flavor_id=user.compute.find_flavor(FLAVOR).id,
        networks=[{"port": port.id}],
        availability_zone="az-2",
        metadata={"k8s": "demo.example.com"},
        user_data=base64.b64encode(b"#!/bin/sh\n").decode(),
        scheduler_hints={"group": group.id},
    )
    return user.compute.wait_for_server(made, wait=600, interval=1)


def test_servers_have_their_port_and_their_zone(user: Any, server: Any, port: Any) -> None:
    assert (server.status, server.availability_zone) == ("ACTIVE", "az-2")
    found = user.network.get_port(port.id)
    assert (found.status, found.device_id) == ("ACTIVE", server.id)
    assert server.addresses["net"][0]["addr"] == found.fixed_ips[0]["ip_address"]
    zones = {each.name for each in user.compute.availability_zones()}
    assert zones >= {*ZONES}


def test_volumes_are_attached(user: Any, server: Any) -> None:
    volume = user.block_storage.create_volume(name="volume", size=1, metadata={"a": "b"})
    user.block_storage.wait_for_status(volume, "available", wait=600, interval=1)
    user.compute.create_volume_attachment(server, volume=volume)
    found = user.block_storage.wait_for_status(volume, "in-use", wait=600, interval=1)
    assert found.attachments[0]["server_id"] == server.id


def test_load_balancers_have_all_their_parts(user: Any, network: Any) -> None:
    balancers = user.load_balancer
    made = balancers.create_load_balancer(name="api", vip_subnet_id=user.network.get_network(network).subnet_ids[0])
    ready = {"wait": 90, "interval": 1}
    balancers.wait_for_load_balancer(made.id, **ready)
    listener = balancers.create_listener(
        name="https", load_balancer_id=made.id, protocol="TCP", protocol_port=443, allowed_cidrs=["10.0.0.0/8"]
    )
    # It changes nothing while it works on something.
    with pytest.raises(exceptions.ConflictException, match="immutable"):
        balancers.create_pool(name="pool", listener_id=listener.id, protocol="TCP", lb_algorithm="ROUND_ROBIN")
    balancers.wait_for_load_balancer(made.id, **ready)
    pool = balancers.create_pool(name="pool", listener_id=listener.id, protocol="TCP", lb_algorithm="ROUND_ROBIN")
    balancers.wait_for_load_balancer(made.id, **ready)
    balancers.create_member(pool, address="10.9.0.50", protocol_port=443)
    found = balancers.wait_for_load_balancer(made.id, **ready)
    assert user.network.get_port(found.vip_port_id).fixed_ips[0]["ip_address"] == found.vip_address
    balancers.delete_load_balancer(found, cascade=True)


def test_names_are_answered_for(whole_openstack: Cloud, user: Any) -> None:
    zone = user.dns.create_zone(name="example.test.", email="admin@example.test", ttl=60)
    user.dns.wait_for_status(zone, "ACTIVE", wait=600, interval=1)
    record = user.dns.create_recordset(zone, name="api.example.test.", type="A", ttl=30, records=["10.0.0.1"])
    assert record.records == ["10.0.0.1"]


def test_quotas_are_kept(whole_openstack: Cloud, user: Any) -> None:
    project = user.current_project_id
    whole_openstack.admin.network.update_quota(project, routers=1)
    with pytest.raises(exceptions.ConflictException, match="Quota exceeded for resources: .*router"):
        user.network.create_router(name="another")


def test_other_projects_see_nothing(whole_openstack: Cloud, server: Any) -> None:
    stranger = connect(whole_openstack.user("stranger"))
    assert list(stranger.compute.servers()) == []
    assert [each.name for each in stranger.network.networks()] == [EXTERNAL]
    with pytest.raises(exceptions.NotFoundException):
        stranger.compute.get_server(server.id)
