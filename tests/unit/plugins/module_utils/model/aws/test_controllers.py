# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controllers of a running cluster are told."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.controllers import Wanted

API, INTERNAL = "api.demo.example.com", "api.internal.demo.example.com"
JOIN = "kops-controller.internal.demo.example.com"
BALANCER = {"api.dns": None, "api.loadBalancer": {"type": "Public", "class": "Network"}}
IPV6 = {"networking.nonMasqueradeCIDR": "::/0"}


def wanted(tasks: dict[str, Any]) -> Wanted:
    file = tasks["ManagedFile/controllers"]
    assert file.location == "igconfig/controllers.json"
    return Wanted.read(file.contents.encode())


def records(tasks: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return [(each.name, each.type, each.addresses, each.servers) for each in wanted(tasks).records]


def test_labels_are_those_of_each_group_and_of_tags_that_users_add(model) -> None:
    group = {
        "role": "Node",
        "nodeLabels": {"team": "red"},
        "cloudLabels": {"k8s.io/cluster-autoscaler/node-template/label/tier": "web", "cost": "1"},
    }
    labels = wanted(model({}, {"workers": group, "jump": {"role": "Bastion"}})).labels
    assert "jump" not in labels
    assert labels["workers"] == {
        "node-role.kubernetes.io/node": "",
        "kops.k8s.io/instancegroup": "workers",
        "team": "red",
        "tier": "web",
    }
    (servers,) = [found for found in labels.values() if "node-role.kubernetes.io/control-plane" in found]
    assert "kops.k8s.io/kops-controller-pki" in servers


def test_groups_that_are_not_updated_keep_the_labels_that_their_nodes_have(model) -> None:
    """As do groups that were removed, until all are updated. A new group gets its labels with its update."""
    stored = Wanted(labels={"chosen": {"tier": "old"}, "other": {"tier": "old"}, "removed": {"tier": "old"}}).text()
    groups = {name: {"role": "Node", "nodeLabels": {"tier": "new"}} for name in ("chosen", "other", "unborn")}
    known = {"chosen": frozenset({"chosen"}), "read_stored": {"igconfig/controllers.json": stored.encode()}.get}
    labels = wanted(model({}, groups, **known)).labels
    assert {name: found["tier"] for name, found in labels.items()} == {
        "chosen": "new",
        "other": "old",
        "removed": "old",
    }
    everything = wanted(model({}, groups, read_stored=known["read_stored"])).labels
    assert everything["other"]["tier"] == everything["unborn"]["tier"] == "new"
    assert "removed" not in everything


@pytest.mark.parametrize(("fields", "record_type"), [({}, "A"), (IPV6, "AAAA")])
def test_api_servers_elsewhere_find_etcd_by_records(model, fields: dict[str, Any], record_type: str) -> None:
    group = {"role": "APIServer", "minSize": 1, "maxSize": 1}
    for more in ({}, {"externalDNS": {"provider": "external-dns"}}):
        found = records(model({**fields, **more}, {"api": group}))
        assert [each for each in found if ".etcd." in each[0]] == [
            (f"{etcd}.etcd.internal.demo.example.com", record_type, "internal", "control-plane")
            for etcd in ("main", "events")
        ]
    assert not [each for each in records(model(fields)) if ".etcd." in each[0]]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param(
            {},
            [
                (API, "A", "external", "api"),
                (INTERNAL, "A", "internal", "api"),
                (JOIN, "A", "internal", "control-plane"),
            ],
            id="no load balancer",
        ),
        pytest.param(
            IPV6,
            [
                (API, "A", "external", "api"),
                (API, "AAAA", "external", "api"),
                (INTERNAL, "AAAA", "internal", "api"),
                (JOIN, "AAAA", "internal", "control-plane"),
            ],
            id="IPv6",
        ),
        pytest.param(
            BALANCER,
            [(INTERNAL, "A", "internal", "api"), (JOIN, "A", "internal", "control-plane")],
            id="load balancer for users",
        ),
        pytest.param(
            {**BALANCER, "api.loadBalancer": {**BALANCER["api.loadBalancer"], "useForInternalAPI": True}},
            [(JOIN, "A", "internal", "control-plane")],
            id="load balancer for all",
        ),
        pytest.param(
            {"externalDNS": {"provider": "external-dns"}},
            [(JOIN, "A", "internal", "control-plane")],
            id="external-dns writes those of pods",
        ),
        pytest.param({"externalDNS": {"provider": "none"}}, [], id="nobody writes any"),
        pytest.param({"networking.topology": {"dns": "None"}, "dnsZone": None}, [], id="no DNS"),
    ],
)
def test_records_are_those_that_no_load_balancer_serves(model, fields: dict[str, Any], expected: list[Any]) -> None:
    assert records(model(fields)) == expected


@pytest.mark.parametrize("kind", ["Public", "Private"])
def test_the_zone_is_named_with_its_kind(model, kind: str) -> None:
    told = wanted(model({"networking.topology": {"dns": kind}}))
    assert (told.zone, told.private) == ("Z1", kind == "Private")


@pytest.mark.parametrize(("fields", "expected"), [({}, False), (IPV6, True)])
def test_pods_have_ranges_of_their_instances_with_ipv6_only(model, fields: dict[str, Any], expected: bool) -> None:
    assert wanted(model(fields)).pod_ranges is expected


ROLES_OF_PODS = {
    "iam": {"useServiceAccountExternalPermissions": True},
    "kubeAPIServer": {"serviceAccountIssuer": "https://issuer.example.com"},
}


@pytest.mark.parametrize(
    ("fields", "account"), [({}, "dns-controller"), ({"externalDNS": {"provider": "external-dns"}}, "external-dns")]
)
def test_the_role_with_rights_to_the_zone_is_named_if_control_planes_have_none(
    model, fields: dict[str, Any], account: str
) -> None:
    tasks = model({**fields, **ROLES_OF_PODS})
    told = wanted(tasks)
    assert told.account == account
    role = told.role.rpartition("/")[2]
    (policy,) = [task for task in tasks.values() if task.kind == "IAMRolePolicy" and task.name == role]
    assert "route53:ChangeResourceRecordSets" in str(policy.policy_document)
    own = tasks["IAMRolePolicy/masters.demo.example.com"]
    assert "route53" not in str(own.policy_document)


def test_no_role_is_named_if_control_planes_have_the_rights(model) -> None:
    told = wanted(model())
    assert (told.role, told.account) == ("", "")
