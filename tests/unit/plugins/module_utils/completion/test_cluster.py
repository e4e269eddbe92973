# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole of a cluster's completion: fixed steps, rounds, what the user has set."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudDNSZone
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.completion import cluster as completion
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import (
    DEFAULT_FEATURE_FLAGS,
    Settings,
    parse_feature_flags,
)
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import FAMILIES, FLATCAR

from tests.golden.facts import update_cluster_facts

from .conftest import look

AWS = update_cluster_facts("aws")


def complete(cluster, groups=(), facts=AWS, **settings):
    return completion.complete_cluster(cluster, groups, facts=facts, settings=Settings(**settings))


def completed(cluster, groups=(), facts=AWS, **settings):
    return codec.to_plain(complete(cluster, groups, facts, **settings))["spec"]


def test_input_is_not_changed_and_output_is_settled(cluster_with, group_with):
    cluster, group = cluster_with(), group_with("ControlPlane")
    before = codec.to_plain(cluster), codec.to_plain(group)
    first = complete(cluster, [group])
    assert (codec.to_plain(cluster), codec.to_plain(group)) == before
    assert complete(first, [group]) == first


def test_what_the_user_has_set_stays(cluster_with):
    fields = {
        "kubeAPIServer": {"anonymousAuth": True, "enableAdmissionPlugins": ["Own"], "logLevel": 9},
        "kubelet": {"featureGates": {"Own": "true"}, "evictionHard": "none"},
        "controlPlaneKubelet": {"evictionHard": "other"},
        "etcdClusters": [
            {"name": "main", "version": "3.5.0", "etcdMembers": [{"name": "a", "instanceGroup": "g"}]},
        ],
    }
    spec = completed(cluster_with(fields))
    assert {path: look(spec, path) for path in ("kubeAPIServer.anonymousAuth", "kubeAPIServer.logLevel")} == {
        "kubeAPIServer.anonymousAuth": True,
        "kubeAPIServer.logLevel": 9,
    }
    assert spec["kubeAPIServer"]["enableAdmissionPlugins"] == ["Own"]
    assert spec["kubelet"]["evictionHard"] == "none"
    # The control plane's kubelet has what all kubelets have, its own settings, and what its components need.
    assert spec["controlPlaneKubelet"]["evictionHard"] == "other"
    assert spec["controlPlaneKubelet"]["featureGates"] == {"Own": "true", "ImageVolume": "true"}
    assert spec["etcdClusters"][0]["version"] == "3.5.0"
    assert spec["etcdClusters"][0]["backups"]["backupStore"].endswith("/backups/etcd/main")


@pytest.mark.parametrize(
    ("non_masquerade", "pods", "services"),
    [
        ("100.64.0.0/10", "100.96.0.0/11", "100.64.0.0/13"),
        ("10.0.0.0/9", "10.64.0.0/10", "100.64.0.0/13"),
        ("10.0.0.0/8", "10.128.0.0/9", "100.64.0.0/13"),
        ("::/0", None, "fd00:5e4f:ce::/108"),
    ],
)
def test_pod_and_service_ranges(cluster_with, non_masquerade, pods, services):
    ranges = {"podCIDR": None, "serviceClusterIPRange": None, "nonMasqueradeCIDR": non_masquerade}
    spec = completed(cluster_with({f"networking.{key}": value for key, value in ranges.items()}))
    assert look(spec, "kubeControllerManager.clusterCIDR") == pods
    assert look(spec, "networking.serviceClusterIPRange") == services


def test_store_version_and_dns_provider(cluster_with):
    spec = completed(cluster_with({"kubernetesVersion": " v1.34.1 "}))
    assert spec["kubernetesVersion"] == "1.34.1"
    assert spec["configStore"]["keypairs"] == "memfs://tests/minimal.example.com/pki"
    assert spec["configStore"]["secrets"] == "memfs://tests/minimal.example.com/secrets"
    assert spec["kubeDNS"]["provider"] == "CoreDNS"
    assert spec["channel"] == "stable"


@pytest.mark.parametrize(
    ("types", "role", "expected"),
    [
        ("Public", "ControlPlane", {"dns": {}}),
        ("Private", "ControlPlane", {"loadBalancer": {"class": "Classic", "type": "Public"}}),
        ("Private Public", "ControlPlane", {"loadBalancer": {"class": "Classic", "type": "Public"}}),
        ("Private", "Node", {}),
    ],
)
def test_access_follows_from_the_subnets_of_api_servers(cluster_with, group_with, types, role, expected):
    subnets = [
        {"name": kind, "type": kind, "zone": "us-test-1a", "cidr": f"172.20.{index}.0/24"}
        for index, kind in enumerate(types.split())
    ]
    group = group_with(role, subnets=types.split())
    spec = completed(cluster_with({"networking.subnets": subnets}), [group])
    assert {key: spec["api"][key] for key in ("dns", "loadBalancer") if key in spec["api"]} == expected


def test_separate_api_servers_decide(cluster_with, group_with):
    groups = [group_with("ControlPlane", subnets=["none"]), group_with("APIServer")]
    assert completed(cluster_with(), groups)["api"]["dns"] == {}


def test_hosted_zone(cluster_with):
    spec = completed(cluster_with())
    assert (spec["dnsZone"], spec["externalDNS"]["provider"]) == ("Z1AFAKE1ZON3YO", "dns-controller")
    private = cluster_with({"networking.topology.dns": "Private"})
    private.metadata.name = "a.private.example.com"
    assert completed(private)["dnsZone"] == "Z3AFAKE1ZOMORE"
    without = completed(cluster_with({"networking.topology.dns": "None"}))
    assert "dnsZone" not in without
    assert "externalDNS" not in without


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        ((), "create one"),
        ((CloudDNSZone("1", "ample.com"),), "create one"),
        ((CloudDNSZone("1", "example.com"), CloudDNSZone("2", "example.com")), "several hosted zones fit.*1, 2"),
    ],
)
def test_hosted_zone_that_cannot_be_told(cluster_with, zones, message):
    with pytest.raises(ValidationError, match=message):
        completed(cluster_with(), facts=dataclasses.replace(AWS, hosted_zones=zones))


def test_clouds_without_dns(cluster_with):
    assert "dnsZone" not in completed(cluster_with({"cloudProvider": {"hetzner": {}}}))
    with pytest.raises(ValidationError, match="this cloud has no DNS"):
        completed(cluster_with({"cloudProvider": {"linode": {}}}))


def test_flatcar_keeps_volume_plugins_where_it_can_write(cluster_with, group_with):
    group = group_with("Node", image="owner/Flatcar-stable")
    assert completed(cluster_with(), [group])["kubelet"]["volumePluginDirectory"] == "/var/lib/kubelet/volumeplugins/"
    assert FAMILIES[FLATCAR].volume_plugins == "/var/lib/kubelet/volumeplugins/"


def test_images_and_registry(cluster_with):
    spec = completed(cluster_with({"assets.containerRegistry": "registry.example.com/kops"}))
    assert spec["kubeProxy"]["image"] == "registry.example.com/kops/kube-proxy:v1.34.0"
    assert spec["containerd"]["sandboxImage"] == "registry.example.com/kops/pause:3.10.1"


MEMBER = {"name": "a", "instanceGroup": "g"}


def test_all_problems_of_etcd_at_once(cluster_with):
    etcd = [
        {"etcdMembers": [MEMBER, MEMBER]},
        {"name": "events", "etcdMembers": [{"instanceGroup": "g"}, {"name": "b"}, MEMBER]},
    ]
    with pytest.raises(ValidationError) as raised:
        completed(cluster_with({"etcdClusters": etcd}))
    assert [(error.type, error.path) for error in raised.value.errors] == [
        ("Required", "spec.etcdClusters[0].name"),
        ("Duplicate", "spec.etcdClusters[0].etcdMembers[1].name"),
        ("Invalid", "spec.etcdClusters[0].etcdMembers"),
        ("Required", "spec.etcdClusters[1].etcdMembers[0].name"),
        ("Required", "spec.etcdClusters[1].etcdMembers[1].instanceGroup"),
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"configStore.base": None}, "spec.configStore.base: must be given"),
        ({"configStore.keypairs": "https://example.com/pki"}, "spec.configStore.keypairs"),
        ({"networking.nonMasqueradeCIDR": "many"}, "spec.networking.nonMasqueradeCIDR"),
        ({"kubernetesVersion": "newest"}, "'newest' is not a version"),
    ],
)
def test_refusals(cluster_with, fields, message):
    with pytest.raises(KopsError, match=message):
        completed(cluster_with(fields))


def test_a_cluster_without_name_is_refused(cluster_with):
    cluster = cluster_with()
    cluster.metadata.name = None
    with pytest.raises(ValidationError, match="metadata.name"):
        completed(cluster)


def test_completion_that_never_settles_is_an_error(cluster_with, monkeypatch):
    def grow(cluster, context):
        cluster.spec.packages.append("more")

    monkeypatch.setattr(completion, "COMPONENTS", (grow,))
    with pytest.raises(KopsError, match="did not settle"):
        completed(cluster_with())


def test_feature_flags():
    assert parse_feature_flags("") == DEFAULT_FEATURE_FLAGS
    assert parse_feature_flags("+A, -ImageDigest,B") == (DEFAULT_FEATURE_FLAGS | {"A", "B"}) - {"ImageDigest"}
