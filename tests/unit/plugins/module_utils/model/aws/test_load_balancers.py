# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers of the API and of bastions, and the records that point to them."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudDNSZone
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

BALANCER = "NetworkLoadBalancer/api.demo.example.com"
NO_DNS = {"networking.topology": {"dns": "None"}, "dnsZone": None}


def balanced(model, fields=None, groups=None, **spec):
    balancer = {"type": "Public", "class": "Network", **spec}
    return model({"api.dns": None, "api.loadBalancer": balancer, **(fields or {})}, groups)


def subnet(name, zone, kind):
    return {"name": name, "zone": zone, "type": kind, "cidr": "172.20.0.0/22"}


def names_of(balancer):
    return [mapping.subnet.short_name for mapping in balancer.subnet_mappings]


def test_nothing_without_a_load_balancer(model):
    assert not {task.kind for task in model().values()} & {"NetworkLoadBalancer", "TargetGroup", "DNSName"}


@pytest.mark.parametrize(
    ("kind", "scheme", "chosen"),
    [("Public", "internet-facing", ["utility-a", "p-b"]), ("Internal", "internal", ["dual-a"])],
)
def test_it_stands_in_the_best_subnet_of_each_zone(model, kind, scheme, chosen):
    subnets = [
        subnet("p-a", "us-east-1a", "Public"),
        subnet("utility-a", "us-east-1a", "Utility"),
        subnet("p-b", "us-east-1b", "Public"),
        subnet("a", "us-east-1a", "Private"),
        subnet("dual-a", "us-east-1a", "DualStack"),
    ]
    balancer = balanced(model, {"networking.subnets": subnets}, type=kind)[BALANCER]
    assert (balancer.scheme, names_of(balancer)) == (scheme, chosen)


def test_given_subnets_bring_their_addresses(model):
    given = [{"name": "utility-a", "allocationID": "eipalloc-1"}]
    (mapping,) = balanced(model, subnets=given)[BALANCER].subnet_mappings
    assert (mapping.subnet.short_name, mapping.allocation_id) == ("utility-a", "eipalloc-1")


def test_the_bootstrap_server_sees_the_addresses_of_workers(model):
    """It bounds what each address may ask."""
    groups = [task for task in balanced(model, NO_DNS).values() if task.kind == "TargetGroup"]
    seen = {task.port: task.attributes.get("preserve_client_ip.enabled") for task in groups}
    assert seen == {443: None, 3988: "true"}


def test_unknown_type_is_refused(model):
    with pytest.raises(KopsError, match="neither Public nor Internal"):
        balanced(model, type="Sideways")


def listeners(tasks):
    return {
        task.port: (task.target_group.protocol, task.target_group.port)
        for task in tasks.values()
        if task.kind == "NetworkLoadBalancerListener"
    }


def test_api_is_passed_through(model):
    tasks = balanced(model)
    assert listeners(tasks) == {443: ("TCP", 443)}
    (target,) = tasks["AutoscalingGroup/control-plane.masters.demo.example.com"].target_groups
    assert target.network_load_balancer is tasks[BALANCER]
    assert tasks["AutoscalingGroup/nodes.demo.example.com"].target_groups == []


def test_own_certificate_leaves_a_second_port_for_client_certificates(model):
    tasks = balanced(model, sslCertificate="arn:aws:acm:r:1:certificate/1")
    assert listeners(tasks) == {443: ("TLS", 443), 8443: ("TCP", 443)}
    listener = tasks["NetworkLoadBalancerListener/api.demo.example.com-443"]
    assert listener.ssl_policy == "ELBSecurityPolicy-2016-08"
    assert "port=8443" in tasks["SecurityGroup/api-elb.demo.example.com"].remove_extra_rules
    assert len(tasks["AutoscalingGroup/control-plane.masters.demo.example.com"].target_groups) == 2


def test_without_dns_nodes_join_through_it(model):
    cilium = {"networking.cni": None, "networking.cilium": {"etcdManaged": True}}
    tasks = balanced(model, {**NO_DNS, **cilium})
    assert listeners(tasks) == {443: ("TCP", 443), 3988: ("TCP", 3988), 4003: ("TCP", 4003)}
    balancer = tasks[BALANCER]
    assert balancer.cross_zone_load_balancing
    assert balancer.wait_until_active
    assert balancer.well_known_services == ["kube-apiserver", "kops-controller", "etcd-cilium"]
    assert not {task.kind for task in tasks.values()} & {"DNSZone", "DNSName"}


def test_additional_groups_go_to_balancer_and_instances(model):
    tasks = balanced(model, additionalSecurityGroups=["sg-1"])
    assert [group.id for group in tasks[BALANCER].security_groups] == [None, "sg-1"]
    template = tasks["LaunchTemplate/control-plane.masters.demo.example.com"]
    assert [group.name for group in template.security_groups] == ["masters.demo.example.com", "nlb-sg-1"]


def test_records_point_to_it(model):
    tasks = balanced(model, useForInternalAPI=True)
    records = {task.resource_name for task in tasks.values() if task.kind == "DNSName"}
    assert records == {"api.demo.example.com", "api.internal.demo.example.com"}
    assert tasks["DNSName/api.demo.example.com-AAAA"].target_load_balancer is tasks[BALANCER]


def test_public_and_internal_name_may_be_one(model):
    tasks = balanced(model, {"api.publicName": "api.internal.demo.example.com"}, useForInternalAPI=True)
    assert {task.name for task in tasks.values() if task.kind == "DNSName"} == {
        "api.internal.demo.example.com",
        "api.internal.demo.example.com-AAAA",
    }


@pytest.mark.parametrize(
    ("wanted", "zone_id"), [("Z1", "Z1"), ("example.com", "Z1"), ("example.org", None), ("Z9", "Z9")]
)
def test_zone_is_given_by_name_or_id(model, wanted, zone_id):
    assert model({"dnsZone": wanted})[f"DNSZone/{wanted}"].zone_id == zone_id


def test_private_zone_is_bound_to_the_network(context_of, model):
    facts = context_of().facts
    facts.hosted_zones = [CloudDNSZone("Z1", "example.com"), CloudDNSZone("Z2", "example.com", private=True)]
    tasks = model({"dnsZone": "example.com", "networking.topology": {"dns": "Private"}}, facts=facts)
    zone = tasks["DNSZone/example.com"]
    assert (zone.zone_id, zone.private, zone.private_vpc) == ("Z2", True, tasks["VPC/demo.example.com"])


def bastions(model, fields=None):
    return model(fields, {"bastions": {"role": "Bastion", "subnets": ["utility-a"]}})


def test_bastions_stand_behind_a_public_load_balancer(model):
    tasks = bastions(model)
    balancer = tasks["NetworkLoadBalancer/bastion.demo.example.com"]
    assert (balancer.scheme, balancer.ip_address_type, names_of(balancer)) == ("internet-facing", "ipv4", ["utility-a"])
    (target,) = tasks["AutoscalingGroup/bastions.demo.example.com"].target_groups
    assert target.port == 22


def test_bastions_can_be_internal_and_named(model):
    bastion = {"publicName": "bastion.example.com", "loadBalancer": {"type": "Internal"}}
    tasks = bastions(model, {"networking.topology": {"dns": "Public", "bastion": bastion}})
    balancer = tasks["NetworkLoadBalancer/bastion.demo.example.com"]
    assert (balancer.scheme, names_of(balancer)) == ("internal", ["a"])
    assert tasks["DNSName/bastion.example.com"].target_load_balancer is balancer


# -- placeholders of names that the cluster publishes itself ---------------------------------------------------------

INTERNAL, CONTROLLER = "api.internal.demo.example.com", "kops-controller.internal.demo.example.com"
API = "api.demo.example.com"
IPV6 = {"networking.nonMasqueradeCIDR": "::/0"}


def placeholders(tasks):
    return [
        (task.resource_name, task.resource_type, task.value)
        for task in tasks.values()
        if task.kind == "DNSPlaceholder" and task.resource_type != "TXT"
    ]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, [(API, "A"), (INTERNAL, "A"), (CONTROLLER, "A")]),
        ({"api.publicName": None}, [(INTERNAL, "A"), (CONTROLLER, "A")]),
        (IPV6, [(API, "A"), (API, "AAAA"), (INTERNAL, "AAAA"), (CONTROLLER, "AAAA")]),
        (NO_DNS, []),
    ],
)
def test_placeholders_without_a_load_balancer(model, fields, names):
    addresses = {"A": "203.0.113.123", "AAAA": "fd00:dead:add::"}
    assert placeholders(model(fields)) == [(name, kind, addresses[kind]) for name, kind in names]


@pytest.mark.parametrize(("internal", "names"), [(False, [INTERNAL, CONTROLLER]), (True, [CONTROLLER])])
def test_placeholders_beside_a_load_balancer(model, internal, names):
    assert [name for name, _kind, _value in placeholders(balanced(model, useForInternalAPI=internal))] == names


def test_external_dns_finds_that_placeholders_are_its_own(model):
    tasks = model({**IPV6, "externalDNS": {"provider": "external-dns"}})
    owners = {task.resource_name: task.value for task in tasks.values() if getattr(task, "resource_type", "") == "TXT"}
    # No pod asks it for the name by which nodes join: it would remove that record if it were its own.
    assert list(owners) == [API, f"aaaa-{API}", f"aaaa-{INTERNAL}"]
    assert (CONTROLLER, "AAAA") in [(name, kind) for name, kind, _value in placeholders(tasks)]
    assert set(owners.values()) == {'"heritage=external-dns,external-dns/owner=kops-demo.example.com"'}
    assert not any(
        getattr(task, "resource_type", "") == "TXT"
        for task in model({"externalDNS": {"provider": "dns-controller"}}).values()
    )
