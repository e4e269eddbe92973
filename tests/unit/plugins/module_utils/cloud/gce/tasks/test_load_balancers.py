# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers: checks, pools, services and the rules that lead to them."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.address import Address
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.backend_service import BackendService
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.forwarding_rule import ForwardingRule
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.health_check import HealthCheck
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.http_health_check import HTTPHealthcheck
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.target_pool import TargetPool
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK

from .conftest import PROJECT, apply, changed, plan
from .test_instance_group_manager import manager

MARK = "kubeops.kops cluster demo.example.com"
REGIONAL = "regions/us-east1"
GROUP = f"{LINK}{PROJECT}/zones/us-east1-b/instanceGroups/b-nodes-demo-example-com"


def http_check(port: int = 3990) -> HTTPHealthcheck:
    return HTTPHealthcheck("api-demo", port=port, request_path="/healthz")


def pool(check: HTTPHealthcheck | None = None) -> TargetPool:
    return TargetPool("api-demo", health_check=check or http_check())


def service(name: str = "api-demo", **fields) -> BackendService:
    wanted = {
        "health_checks": [HealthCheck("api-demo", port=443)],
        "load_balancing_scheme": "INTERNAL",
        "protocol": "TCP",
        "instance_group_managers": [manager()],
    }
    return BackendService(name, **{**wanted, **fields})


def public_rule(**fields) -> ForwardingRule:
    wanted = {
        "port_range": "443-443",
        "target_pool": pool(),
        "ip_address": Address("api-demo", ip_address="203.0.113.1"),
        "ip_protocol": "TCP",
        "load_balancing_scheme": "EXTERNAL",
        "labels": {"k8s-io-cluster-name": "demo-example-com", "name": "api"},
    }
    return ForwardingRule("api-demo", **{**wanted, **fields})


def internal_rule(**fields) -> ForwardingRule:
    network = Network("demo")
    wanted = {
        "ports": ["443"],
        "backend_service": service(),
        "ip_address": Address("api-us-east1-demo", ip_address="10.0.16.9"),
        "ip_protocol": "TCP",
        "load_balancing_scheme": "INTERNAL",
        "network": network,
        "subnetwork": Subnet("us-east1-demo", network=network),
        "labels": {"k8s-io-cluster-name": "demo-example-com", "name": "api-us-east1"},
    }
    return ForwardingRule("api-us-east1-demo", **{**wanted, **fields})


def test_a_public_load_balancer(cloud, compute):
    apply(cloud, public_rule())
    check, its_pool, rule = (compute.only(kind) for kind in ("httpHealthChecks", "targetPools", "forwardingRules"))
    assert (check["port"], check["requestPath"], check["description"]) == (3990, "/healthz", MARK)
    assert (its_pool["healthChecks"], its_pool["description"]) == ([check["selfLink"]], MARK)
    assert {key: rule[key] for key in ("portRange", "target", "IPAddress", "IPProtocol", "loadBalancingScheme")} == {
        "portRange": "443-443",
        "target": its_pool["selfLink"],
        "IPAddress": "203.0.113.1",
        "IPProtocol": "TCP",
        "loadBalancingScheme": "EXTERNAL",
    }
    assert rule["labels"] == {"k8s-io-cluster-name": "demo-example-com", "name": "api"}
    assert not plan(cloud, public_rule()).changed


def test_an_internal_load_balancer(cloud, compute):
    apply(cloud, internal_rule())
    check, behind, rule = (compute.only(kind) for kind in ("healthChecks", "backendServices", "forwardingRules"))
    assert (check["type"], check["tcpHealthCheck"], check["description"]) == ("TCP", {"port": 443}, MARK)
    assert behind["backends"] == [{"balancingMode": "CONNECTION", "group": GROUP}]
    assert (behind["healthChecks"], behind["description"]) == ([check["selfLink"]], MARK)
    assert rule["ports"] == ["443"]
    assert rule["network"] == f"{LINK}{PROJECT}/global/networks/demo"
    assert rule["subnetwork"] == f"{LINK}{PROJECT}/{REGIONAL}/subnetworks/us-east1-demo"
    assert rule["backendService"] == behind["selfLink"]
    assert not plan(cloud, internal_rule()).changed


def test_a_second_run_asks_for_each_kind_once(cloud, compute):
    apply(cloud, internal_rule(), public_rule())
    compute.forget()
    assert not plan(cloud, internal_rule(), public_rule()).changed
    assert len(compute.asked) == len(set(compute.asked)) == 7


def test_check_of_a_pool_changes_in_place(cloud, compute):
    apply(cloud, pool())
    compute.forget()
    assert changed(apply(cloud, pool(http_check(port=8080)))) == {"HTTPHealthcheck/api-demo": ["port"]}
    assert compute.writes == [("PATCH", "global/httpHealthChecks/api-demo")]


def test_a_pool_gets_the_check_that_kops_gives_it_later(cloud, compute):
    compute.put(f"{REGIONAL}/targetPools/api-demo", description=MARK)
    assert changed(apply(cloud, pool()))["TargetPool/api-demo"] == ["health_check"]
    other = compute.put("global/httpHealthChecks/other")
    compute.only("targetPools")["healthChecks"] = [other["selfLink"]]
    assert changed(apply(cloud, pool())) == {"TargetPool/api-demo": ["health_check"]}
    assert not plan(cloud, pool()).changed


@pytest.mark.parametrize("fields", [{"port": 8443}, {"protocol": "SSL"}])
def test_check_of_a_service_is_refused_to_change(cloud, compute, fields):
    apply(cloud, HealthCheck("api-demo", port=443))
    with pytest.raises(PlanError, match="HealthCheck/api-demo exists and cannot be changed in place"):
        plan(cloud, HealthCheck("api-demo", **{"port": 443, **fields}))


def test_an_ssl_check(cloud, compute):
    apply(cloud, HealthCheck("kops-controller-demo", port=3988, protocol="SSL"))
    assert compute.only("healthChecks")["sslHealthCheck"] == {"port": 3988}
    assert not plan(cloud, HealthCheck("kops-controller-demo", port=3988, protocol="SSL")).changed


def test_a_service_gets_its_groups_by_its_fingerprint(cloud, compute):
    apply(cloud, service(instance_group_managers=[]), manager())
    compute.forget()
    assert changed(apply(cloud, service())) == {"BackendService/api-demo": ["instance_group_managers"]}
    assert compute.writes == [("PATCH", f"{REGIONAL}/backendServices/api-demo")]
    assert not plan(cloud, service()).changed


def test_another_writer_who_was_faster_is_not_overwritten(cloud, compute):
    apply(cloud, service(instance_group_managers=[]), manager())
    made = plan(cloud, service())
    compute.only("backendServices")["fingerprint"] = "another"
    (step,) = made.active()
    with pytest.raises(Exception, match="fingerprint does not match"):
        step.task.update(cloud, step.actual, step.changes)
    assert compute.only("backendServices")["backends"] == []


def test_what_a_service_cannot_change_is_refused(cloud):
    apply(cloud, service())
    with pytest.raises(PlanError, match="cannot be changed in place \\(protocol: TCP -> UDP\\)"):
        plan(cloud, service(protocol="UDP"))


def test_a_rule_is_led_to_another_service(cloud, compute):
    apply(cloud, internal_rule())
    compute.forget()
    other = service("kops-controller-demo")
    made = apply(cloud, internal_rule(backend_service=other))
    assert changed(made)["ForwardingRule/api-us-east1-demo"] == ["backend_service"]
    assert compute.writes[-1] == ("POST", f"{REGIONAL}/forwardingRules/api-us-east1-demo/setTarget")
    assert not plan(cloud, internal_rule(backend_service=other)).changed


def test_labels_of_a_rule_that_are_lacking_are_set_and_others_stay(cloud, compute):
    apply(cloud, public_rule())
    compute.only("forwardingRules")["labels"] = {"name": "api", "team": "a"}
    compute.forget()
    assert changed(apply(cloud, public_rule())) == {"ForwardingRule/api-demo": ["labels"]}
    assert compute.writes == [("POST", f"{REGIONAL}/forwardingRules/api-demo/setLabels")]
    assert compute.only("forwardingRules")["labels"] == {
        "k8s-io-cluster-name": "demo-example-com",
        "name": "api",
        "team": "a",
    }


@pytest.mark.parametrize(
    ("fields", "differing"),
    [
        ({"ports": ["3988"]}, "ports"),
        ({"ip_address": Address("api-us-east1-demo", ip_address="10.0.16.10")}, "ip_address"),
        ({"network": Network("other")}, "network"),
    ],
)
def test_what_a_rule_cannot_change_is_refused(cloud, compute, fields, differing):
    apply(cloud, internal_rule())
    compute.forget()
    with pytest.raises(PlanError, match=f"cannot be changed in place \\({differing}: "):
        plan(cloud, internal_rule(**fields))
    assert not compute.writes


def test_a_rule_without_an_address_is_not_made(cloud, compute):
    with pytest.raises(Exception, match="Google has given Address/api-demo no address"):
        apply(cloud, public_rule(ip_address=Address("api-demo")))
    assert not [path for path in compute.objects if "/forwardingRules/" in path]


@pytest.mark.parametrize(
    ("path", "task"),
    [
        (f"{REGIONAL}/healthChecks/api-demo", HealthCheck("api-demo", port=443)),
        ("global/httpHealthChecks/api-demo", http_check()),
        (f"{REGIONAL}/targetPools/api-demo", pool()),
        (f"{REGIONAL}/backendServices/api-demo", service()),
        (f"{REGIONAL}/forwardingRules/api-demo", public_rule()),
    ],
)
@pytest.mark.parametrize("whose", [{}, {"description": "kubeops.kops cluster other.example.com"}])
def test_somebody_elses_is_refused(cloud, compute, path, task, whose):
    compute.put(path, **whose)
    compute.forget()
    with pytest.raises(PlanError, match=f"{task.kind} api-demo: there is one in project my-project already"):
        plan(cloud, task)
    assert not compute.writes


@pytest.mark.parametrize("lost", range(6))
def test_lost_answers_make_no_twins(cloud, compute, lost):
    """Whichever write it is, a second run completes."""
    request = compute.request

    def lossy(*arguments, **named):
        compute.lose = arguments[0] != "GET" and len(compute.writes) == lost
        return request(*arguments, **named)

    compute.request = lossy
    with pytest.raises(Exception, match="lost"):
        apply(cloud, internal_rule())
    compute.request = request
    apply(cloud, internal_rule())
    assert not plan(cloud, internal_rule()).changed
    kinds = [path.split("/")[-2] for path in compute.objects]
    made = ["backendServices", "forwardingRules", "healthChecks", "instanceGroupManagers", "instanceTemplates"]
    assert [kinds.count(each) for each in made] == [1] * len(made)
