# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers before the API servers."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

PUBLIC, INTERNAL = ({"api.loadBalancer": {"type": kind}} for kind in ("Public", "Internal"))
NO_DNS = {"networking.topology": {"dns": "None"}}
API_SERVERS = {"front": {"role": "APIServer"}}


def pools(tasks, of_kind):
    return {
        name: [pool.name for pool in manager.target_pools]
        for name, manager in of_kind(tasks, "InstanceGroupManager").items()
    }


def backends(tasks, of_kind):
    return {
        name: [manager.name.replace("-demo-example-com", "") for manager in service.instance_group_managers]
        for name, service in of_kind(tasks, "BackendService").items()
    }


def test_nothing_without_a_load_balancer(model, of_kind):
    tasks = model()
    for kind in ("ForwardingRule", "Address", "BackendService", "TargetPool", "HealthCheck"):
        assert not of_kind(tasks, kind)


def test_public_one_comes_with_an_internal_one(model, of_kind):
    tasks = model(PUBLIC)
    rules = of_kind(tasks, "ForwardingRule")
    assert rules.keys() == {"api", "api-us-east1"}
    assert (rules["api"].load_balancing_scheme, rules["api"].port_range) == ("EXTERNAL", "443-443")
    assert (rules["api-us-east1"].load_balancing_scheme, rules["api-us-east1"].ports) == ("INTERNAL", ["443"])
    assert pools(tasks, of_kind) == {"b-control-plane": ["api-demo-example-com"], "b-nodes": []}


def test_internal_one_is_reached_from_inside_only(model, of_kind):
    tasks = model(INTERNAL)
    assert of_kind(tasks, "ForwardingRule").keys() == {"api-us-east1"}
    assert pools(tasks, of_kind) == {"b-control-plane": [], "b-nodes": []}
    assert backends(tasks, of_kind) == {"api": ["b-control-plane"]}


def test_without_dns_nodes_join_through_it(model, of_kind):
    tasks = model({**INTERNAL, **NO_DNS})
    assert of_kind(tasks, "ForwardingRule").keys() == {"api-us-east1", "kops-controller-us-east1"}
    (address,) = of_kind(tasks, "Address").values()
    assert address.well_known_services == ["kube-apiserver", "kops-controller"]


def test_cilium_reaches_its_etcd_through_it(model, of_kind):
    tasks = model({**INTERNAL, "networking.cni": None, "networking.cilium": {"etcdManaged": True}})
    assert of_kind(tasks, "ForwardingRule")["cilium-etcd-us-east1"].ports == ["4003"]


def test_api_servers_of_their_own_serve_the_public_and_no_controller(model, of_kind):
    tasks = model({**PUBLIC, **NO_DNS}, API_SERVERS)
    assert pools(tasks, of_kind) == {"b-control-plane": [], "b-front": ["api-demo-example-com"], "b-nodes": []}
    assert backends(tasks, of_kind) == {
        "api": ["b-control-plane", "b-front"],
        "kops-controller": ["b-control-plane"],
        "etcd": ["b-control-plane"],
    }
    assert of_kind(tasks, "ForwardingRule")["etcd-us-east1"].ports == ["4001", "4002"]
    checks = {name: (check.protocol, check.port) for name, check in of_kind(tasks, "HealthCheck").items()}
    assert checks == {"api": ("TCP", 443), "kops-controller": ("SSL", 3988), "etcd-main": ("TCP", 4001)}
    assert "etcd" not in backends(model(PUBLIC, API_SERVERS), of_kind)


def test_group_behind_it_is_in_one_zone(model):
    with pytest.raises(KopsError, match="exactly one zone, not us-east1-b, us-east1-c"):
        model(INTERNAL, {"front": {"role": "APIServer", "zones": ["us-east1-b", "us-east1-c"]}})


def test_unknown_type_is_refused(model):
    with pytest.raises(KopsError, match="neither Public nor Internal"):
        model({"api.loadBalancer": {"type": "Odd"}})
