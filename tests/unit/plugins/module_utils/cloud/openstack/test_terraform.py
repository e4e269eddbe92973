# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Terraform is told of a cluster in OpenStack. That it is valid and has an empty plan is tested with Terraform."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import OPENSTACK
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks._openstack import OpenStackTask
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.floating_ip import FloatingIP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.load_balancer import LoadBalancer
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.record_set import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.security_group_rule import (
    SecurityGroupRule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.volume import Volume
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import Import, imports_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import (
    CONFIGURATION,
    TerraformTarget,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.model.openstack.builders import terraform_target
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.rendered import resources

GROUP = SecurityGroup("nodes.demo.k8s.local")
ZONE = "5c1b2a"


def written(tasks: Iterable[Task[Any]]) -> dict[str, str]:
    return resources(OPENSTACK, tasks)


def cluster(**changes: Any) -> dict[str, Task[Any]]:
    """The tasks of a cluster; what it is lent was looked up."""
    tasks = clusters.tasks(**changes)
    for task in tasks.values():
        if isinstance(task, OpenStackTask) and task.is_lent:
            task.id = f"id-of-{task.name}"
    return tasks


def rendered(**changes: Any) -> dict[str, str]:
    return written(task for task in cluster(**changes).values() if not task.made_directly)


def test_servers_and_what_they_have_are_made_directly() -> None:
    tasks = cluster()
    directly = {task.kind for task in tasks.values() if task.made_directly}
    assert directly == {"FloatingIP", "PoolMember", "Port", "RemovedServers", "Server", "ServerTemplate"}
    floating = {each.name: each.made_directly for each in tasks.values() if isinstance(each, FloatingIP)}
    assert floating == {"fip-api.demo.k8s.local": False, "fip-bastions-1-demo-k8s-local": True}


def test_resources_name_each_other_and_what_is_lent_by_its_id() -> None:
    found = rendered()
    router = found["openstack_networking_router_v2.demo-k8s-local"]
    assert 'external_network_id = "id-of-external"' in router
    interface = found["openstack_networking_router_interface_v2.ri-az-1"]
    assert "router_id = openstack_networking_router_v2.demo-k8s-local.id" in interface
    floating = found["openstack_networking_floatingip_v2.fip-api-demo-k8s-local"]
    # The provider takes its name.
    assert 'pool = "external"' in floating
    assert "port_id = openstack_lb_loadbalancer_v2.api-demo-k8s-local.vip_port_id" in floating
    assert "depends_on = [openstack_networking_router_interface_v2.ri-az-1," in floating
    assert not [name for name in found if "external" in name]


def test_a_lent_network_is_in_no_resource() -> None:
    found = rendered(change=clusters.in_lent_network("their-network", "their-subnet"))
    assert not [name for name in found if "network_v2" in name or "subnet" in name or "router" in name]
    balancer = found["openstack_lb_loadbalancer_v2.api-demo-k8s-local"]
    assert 'vip_subnet_id = "id-of-their-subnet"' in balancer


def test_subnets_of_the_external_network_are_chosen_once() -> None:
    more = clusters.BALANCER.replace("floatingNetwork: external", "floatingSubnet: public-v4")
    found = rendered(
        more=more,
        change=lambda text: text.replace(
            "externalNetwork: external", "externalNetwork: external, externalSubnet: ext-v4"
        ),
    )
    router = found["openstack_networking_router_v2.demo-k8s-local"]
    assert 'external_fixed_ip {\n subnet_id = "id-of-ext-v4"\n }' in router
    floating = found["openstack_networking_floatingip_v2.fip-api-demo-k8s-local"]
    assert 'subnet_id = "id-of-public-v4"' in floating
    assert "ignore_changes = [subnet_id]" in floating


def test_groups_have_only_the_rules_of_the_configuration() -> None:
    tasks = cluster()
    found = rendered()
    assert "delete_default_rules = true" in found["openstack_networking_secgroup_v2.nodes-demo-k8s-local"]
    rules = [task for task in tasks.values() if isinstance(task, SecurityGroupRule)]
    assert len([name for name in found if "secgroup_rule" in name]) == len(rules)
    assert "openstack_networking_secgroup_rule_v2.nodes-demo-k8s-local-egress-ipv4-all-anywhere" in found


@pytest.mark.parametrize(
    ("given", "line"),
    [("10.1.2.3/16", "10.1.0.0/16"), ("192.0.2.1", "192.0.2.1/32"), ("2001:DB8::/32", "2001:db8::/32")],
)
def test_networks_are_written_as_neutron_says_them(given: str, line: str) -> None:
    (block,) = written([SecurityGroupRule("rule", security_group=GROUP, cidr=given)]).values()
    assert f'remote_ip_prefix = "{line}"' in block


def test_a_protocol_by_number_may_get_its_name() -> None:
    by_number = SecurityGroupRule("number", security_group=GROUP, protocol="4")
    by_name = SecurityGroupRule("name", security_group=GROUP, protocol="tcp", first=22, last=22)
    name, number = written([by_number, by_name]).values()
    assert 'protocol = "4"' in number
    assert "ignore_changes = [protocol]" in number
    assert "ignore_changes" not in name


def test_data_of_etcd_are_kept_in_the_zone_that_cinder_has() -> None:
    tasks = [Volume(f"{name}.etcd-main", size=20, zone="az-1") for name in "ab"]
    target = TerraformTarget(PROVIDERS[OPENSTACK], {})
    text = target.render(tasks)[CONFIGURATION].decode()
    assert text.count('data "openstack_blockstorage_availability_zones_v3"') == 1
    zones = "data.openstack_blockstorage_availability_zones_v3.volumes.names"
    assert text.count(f'availability_zone = contains({zones}, "az-1") ? "az-1" : one({zones})') == 2
    assert text.count("prevent_destroy = true") == 2
    (block,) = written([Volume("a.etcd-main", size=20)]).values()
    assert f"availability_zone = one({zones})" in block


def test_names_that_control_planes_keep_are_only_made() -> None:
    balancer = LoadBalancer("api.demo")
    floating = FloatingIP("fip-api.demo", balancer=balancer)
    found = written(
        RecordSet(f"{title} A", zone=ZONE, title=title, type="A", leads_to=leads_to)
        for title, leads_to in (("api.demo", floating), ("api.internal.demo", balancer), ("main.etcd.demo", None))
    )
    outside, inside, kept = found.values()
    assert "records = [openstack_networking_floatingip_v2.fip-api-demo.address]" in outside
    assert "records = [openstack_lb_loadbalancer_v2.api-demo.vip_address]" in inside
    assert "ignore_changes = [description, disable_status_check]" in inside
    assert 'records = ["203.0.113.123"]' in kept
    assert "ignore_changes = [description, disable_status_check, records, ttl]" in kept
    assert 'name = "main.etcd.demo."' in kept


def test_what_is_there_is_imported_by_the_ids_that_the_provider_wants() -> None:
    record = RecordSet("api.demo A", zone=ZONE, title="api.demo", type="A")
    record.id = "7f"
    lent, external, made, missing = Network("1f"), Network("external", external=True), Network("own"), Subnet("az-1")
    lent.given = True
    for task in (lent, external, made):
        task.id = f"id-of-{task.name}"
    assert imports_of([record, lent, external, made, missing]) == [
        Import("openstack_dns_recordset_v2", "api.demo-A", f"{ZONE}/7f"),
        Import("openstack_networking_network_v2", "own", "id-of-own"),
    ]


@pytest.mark.parametrize(("region", "line"), [("", ""), ("west", '  region = "west"\n')])
def test_a_region_that_is_the_logins_is_not_written(region: str, line: str) -> None:
    text = terraform_target(Cluster(), region).render([])[CONFIGURATION].decode()
    assert f'provider "openstack" {{\n{line}}}' in text
    assert 'source"  = "terraform-provider-openstack/openstack"' in text
