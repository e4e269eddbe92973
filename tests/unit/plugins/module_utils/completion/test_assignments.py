# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made explicit when a cluster is first stored."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudNetwork, CloudSubnet
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.channels.channel import Channel
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assignments import (
    assign_kubernetes_version,
    assign_proxy_excludes,
    perform_assignments,
)
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings

from tests.golden.facts import update_cluster_facts

AWS, GCE, AZURE = (update_cluster_facts(cloud) for cloud in ("aws", "gce", "azure"))


def subnets(*texts):
    """Subnets from "name type [cidr]"; each in a zone of its name."""
    made = []
    for text in texts:
        name, kind, *cidr = text.split()
        made.append({"name": name, "zone": name, "type": kind, **({"cidr": cidr[0]} if cidr else {})})
    return made


def assigned(cluster, facts=AWS, settings=None):
    perform_assignments(cluster, facts=facts, settings=settings or Settings())
    return cluster.spec


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a Public"], ["10.0.0.0/8"]),
        (["a Public", "b Public"], ["10.0.0.0/9", "10.128.0.0/9"]),
        (["b Public", "a Public", "c Public"], ["10.64.0.0/10", "10.0.0.0/10", "10.128.0.0/10"]),
        (
            ["a Private", "b Private", "a Utility", "b Utility"],
            ["10.64.0.0/10", "10.128.0.0/10", "10.0.0.0/13", "10.8.0.0/13"],
        ),
        (["a Public", "a Utility"], ["10.128.0.0/9", "10.0.0.0/12"]),
        (["a Public 10.64.0.0/11", "b Public"], ["10.64.0.0/11", "10.128.0.0/9"]),
        (
            ["a Public", "a Utility", "b Public", "b Private", "b Utility", "c Public", "c Private", "c Utility"],
            [
                *("10.32.0.0/11", "10.0.0.0/14"),
                *("10.64.0.0/11", "10.96.0.0/11", "10.4.0.0/14"),
                *("10.128.0.0/11", "10.160.0.0/11", "10.8.0.0/14"),
            ],
        ),
        (["a Public 192.168.0.0/16", "b Public"], ["192.168.0.0/16", "10.0.0.0/8"]),
        ([f"{zone} DualStack" for zone in "abcde"], [f"10.{32 * index}.0.0/11" for index in range(5)]),
    ],
)
def test_subnets_are_cut_from_the_network(cluster_with, given, expected):
    cluster = cluster_with({"networking.networkCIDR": "10.0.0.0/8", "networking.subnets": subnets(*given)})
    assert [subnet.cidr for subnet in assigned(cluster).networking.subnets] == expected


def test_private_subnets_with_ipv6_need_no_ipv4(cluster_with):
    private = {**subnets("a Private")[0], "ipv6CIDR": "/64#1"}
    cluster = cluster_with({"networking.subnets": [private, *subnets("a Utility")]})
    first, second = assigned(cluster).networking.subnets
    assert (first.cidr, second.cidr) == (None, "172.20.0.0/20")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ([f"{zone} Public" for zone in "abcdefghi"], "spec.networking.subnets[8].cidr"),
        (["a Public 10.0.0.0/8", "b Public"], "spec.networking.networkCIDR"),
        (["a Odd"], "spec.networking.subnets[0].type"),
        (["a Public many", "b Public"], "spec.networking.subnets[0].cidr"),
    ],
)
def test_subnets_without_room_are_refused(cluster_with, given, path):
    cluster = cluster_with({"networking.networkCIDR": "10.0.0.0/8", "networking.subnets": subnets(*given)})
    with pytest.raises(ValidationError) as raised:
        assigned(cluster)
    assert [error.path for error in raised.value.errors] == [path]


def shared(**fields):
    return {"networking.networkID": "vpc-12345678", "networking.subnets": [{"name": "s", "type": "Public", **fields}]}


def test_shared_networks_and_subnets_are_as_the_cloud_has_them(cluster_with):
    cluster = cluster_with({**shared(id="subnet-12345678"), "networking.networkCIDR": None})
    networking = assigned(cluster).networking
    subnet = networking.subnets[0]
    assert (networking.network_cidr, subnet.cidr, subnet.zone) == ("172.20.0.0/16", "172.20.32.0/19", "us-test-1a")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"id": "subnet-none"}, "spec.networking.subnets[0].id"),
        ({"id": "subnet-12345678", "cidr": "172.20.0.0/19"}, "spec.networking.subnets[0].cidr"),
        ({"id": "subnet-12345678", "zone": "us-test-1b"}, "spec.networking.subnets[0].zone"),
    ],
)
def test_contradictions_to_the_cloud_are_refused(cluster_with, fields, path):
    with pytest.raises(ValidationError) as raised:
        assigned(cluster_with(shared(**fields)))
    assert [error.path for error in raised.value.errors] == [path]


def test_a_network_that_is_not_there_is_refused(cluster_with):
    with pytest.raises(ValidationError, match="no such network"):
        assigned(cluster_with({"networking.networkID": "vpc-none", "networking.networkCIDR": None}))


def test_zone_of_a_subnet_without_network_cannot_be_found_out(cluster_with):
    cluster = cluster_with({"networking.subnets": [{"name": "s", "type": "Public", "id": "subnet-12345678"}]})
    with pytest.raises(ValidationError, match=r"spec.networking.subnets\[0\].zone"):
        assigned(cluster)


@pytest.mark.parametrize(
    ("fields", "network", "non_masquerade"),
    [
        ({}, "172.20.0.0/16", "100.64.0.0/10"),
        ({"networking.amazonVPC": {}}, "172.20.0.0/16", "172.20.0.0/16"),
        ({"networking.amazonVPC": {}, "networking.nonMasqueradeCIDR": "::/0"}, "172.20.0.0/16", "::/0"),
    ],
)
def test_ranges_on_aws(cluster_with, fields, network, non_masquerade):
    open_ranges = {"networking.networkCIDR": None, "networking.nonMasqueradeCIDR": None}
    networking = assigned(cluster_with({**open_ranges, **fields})).networking
    assert (networking.network_cidr, networking.non_masquerade_cidr) == (network, non_masquerade)


def test_names_retention_and_version(cluster_with):
    spec = assigned(cluster_with({"networking.topology": None, "kubernetesVersion": None}))
    assert spec.api.public_name == "api.minimal.example.com"
    assert [etcd.manager.backup_retention_days for etcd in spec.etcd_clusters] == [90, 90]
    assert spec.kubernetes_version == "1.36.3"
    assert spec.networking.topology is not None


def test_no_name_without_public_dns(cluster_with):
    assert assigned(cluster_with({"networking.topology.dns": "None"})).api.public_name is None


def test_a_channel_without_versions_needs_one(cluster_with):
    cluster = cluster_with({"kubernetesVersion": None})
    with pytest.raises(ValidationError, match="spec.kubernetesVersion"):
        assign_kubernetes_version(cluster, Settings(channel=Channel()))


def gce(**fields):
    given = {f"networking.{key}": value for key, value in fields.items()}
    return {
        "cloudProvider": {"gce": {"project": "p"}},
        "networking.networkCIDR": None,
        "networking.subnets": [{"name": "r", "region": "us-test1", "type": "Public"}],
        **given,
    }


def test_gce_subnets_keep_clear_of_what_is_taken(cluster_with):
    assert assigned(cluster_with(gce()), GCE).networking.subnets[0].cidr == "10.0.16.0/20"
    taken = CloudNetwork(
        "minimal-example-com",
        "",
        ("10.0.32.0/21",),
        (CloudSubnet("x", "", "10.0.16.0/20"),),
    )
    facts = dataclasses.replace(GCE, networks={taken.id: taken})
    assert assigned(cluster_with(gce()), facts).networking.subnets[0].cidr == "10.0.48.0/20"


def test_gce_pods_with_aliases(cluster_with):
    networking = assigned(cluster_with(gce(gcp={}, podCIDR=None, serviceClusterIPRange=None)), GCE).networking
    assert networking.pod_cidr == "10.4.0.0/14"
    assert networking.service_cluster_ip_range == "10.1.0.0/16"
    assert networking.subnets[0].cidr == "10.0.32.0/19"
    assert networking.non_masquerade_cidr == "10.0.0.0/8"


def test_gce_aliases_need_one_subnet(cluster_with):
    fields = gce(gcp={}, subnets=subnets("a Public", "b Public"))
    with pytest.raises(ValidationError, match="must be exactly one"):
        assigned(cluster_with(fields), GCE)


def azure(**fields):
    return {"cloudProvider": {"azure": {"tenantID": "t", **fields}}, "networking.networkCIDR": None}


def test_azure_storage_account_is_that_of_the_store(cluster_with):
    store = {"configStore.base": "azureblob://teststorage/container/minimal.example.com", "networking.subnets": []}
    spec = assigned(cluster_with({**azure(), **store}), AZURE)
    assert spec.networking.network_cidr == "10.0.0.0/16"
    assert spec.cloud_provider.azure.storage_account_id.endswith("/storageAccounts/teststorage")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"configStore.base": "azureblob://other/container"}, "spec.configStore.base"),
        ({"configStore.base": "memfs://tests"}, "spec.configStore.base"),
        ({"networking.networkID": "vnet"}, "spec.cloudProvider.azure.resourceGroupName"),
    ],
)
def test_azure_refuses(cluster_with, fields, path):
    with pytest.raises(ValidationError) as raised:
        assigned(cluster_with({**azure(), **fields}), AZURE)
    assert [error.path for error in raised.value.errors] == [path]


def test_proxy_excludes(cluster_with):
    cluster = cluster_with(
        {
            "networking.egressProxy": {"httpProxy": {"host": "proxy", "port": 80}, "excludes": "localhost,own"},
            "networking.additionalNetworkCIDRs": ["10.1.0.0/16"],
            "api.publicName": "api.example.com",
        }
    )
    assign_proxy_excludes(cluster)
    assert cluster.spec.networking.egress_proxy.excludes == (
        "localhost,own,127.0.0.1,api.example.com,minimal.example.com,100.64.0.1,100.64.0.0/10,"
        "169.254.169.254,172.20.0.0/16,10.1.0.0/16"
    )
    before = cluster.spec.networking.egress_proxy.excludes
    assign_proxy_excludes(cluster)
    assert cluster.spec.networking.egress_proxy.excludes == before
