# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of clouds, and what is asked of it."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import clouds, codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud import Cloud
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud_provider import CloudProviderSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError


def cluster_on(provider, *subnets, **labels):
    return codec.from_plain(
        Cluster,
        {
            "metadata": {"name": "demo.example.com", "labels": labels},
            "spec": {"cloudProvider": provider, "networking": {"subnets": list(subnets)}},
        },
    )


def test_every_field_of_the_specification_has_a_row():
    fields = {field.name for field in dataclasses.fields(CloudProviderSpec)}
    assert {cloud.attribute for cloud in clouds.CLOUDS.values()} == {"", *fields}
    assert clouds.METAL.attribute == ""


def test_names_are_unique():
    for column in ("name", "title", "attribute"):
        values = [getattr(cloud, column) for cloud in clouds.CLOUDS.values()]
        assert len(set(values)) == len(values) == 10
    schemes = [cloud.store_scheme for cloud in clouds.CLOUDS.values() if cloud.store_scheme]
    assert len(set(schemes)) == len(schemes) == 8


@pytest.mark.parametrize(
    ("provider", "label", "expected"),
    [
        ({"aws": {}}, "", clouds.AWS),
        ({"do": {}}, "", clouds.DIGITALOCEAN),
        ({"linode": {}}, "", clouds.LINODE),
        ({"gce": {}, "aws": {}}, "", clouds.AWS),
        ({}, "metal", clouds.METAL),
        ({"aws": {}}, "metal", clouds.METAL),
        ({}, "", clouds.NONE),
        ({}, "aws", clouds.NONE),
    ],
)
def test_cloud_of_a_cluster(provider, label, expected):
    assert clouds.cloud_of(cluster_on(provider, **{"alpha.kops.k8s.io/cloud": label})) is expected


@pytest.mark.parametrize(
    ("control_planes", "workers", "has_hosts", "has_instances"),
    [
        ("hosts", "hosts", True, False),
        ("hosts", "instances", True, True),
        ("instances", "instances", False, True),
    ],
)
def test_what_nodes_are(control_planes, workers, has_hosts, has_instances):
    """For each role: control planes may be hosts of which the controller knows, and workers instances."""
    cloud = Cloud("any", "Any", control_planes=control_planes, workers=workers)
    assert (cloud.has_hosts, cloud.has_instances) == (has_hosts, has_instances)
    assert {cloud.nodes_of(role) for role in ("ControlPlane", "APIServer")} == {control_planes}
    assert {cloud.nodes_of(role) for role in ("Node", "Bastion")} == {workers}


def test_which_clouds_have_hosts():
    assert [cloud.name for cloud in clouds.CLOUDS.values() if cloud.has_hosts] == ["metal"]
    assert not clouds.METAL.has_instances


@pytest.mark.parametrize(
    ("cloud", "zone", "region"),
    [
        (clouds.AWS, "us-gov-west-1a", "us-gov-west-1"),
        (clouds.GCE, "us-east1-b", "us-east1"),
        (clouds.AZURE, "eastus-1", "eastus"),
        (clouds.HETZNER, "fsn1", "eu-central"),
        (clouds.METAL, "rack-1", ""),
    ],
)
def test_region_of_a_zone(cloud, zone, region):
    assert cloud.region_of_zone(zone) == region
    assert cloud.region_of_zone("") == ""


def test_region_of_a_cluster():
    assert clouds.region_of(cluster_on({"aws": {}}, {"zone": "us-test-1a"}, {"zone": "us-test-1b"}, {})) == "us-test-1"
    assert clouds.region_of(cluster_on({"gce": {}}, {"region": "us-east1"})) == "us-east1"
    assert clouds.region_of(cluster_on({}, **{"alpha.kops.k8s.io/cloud": "metal"})) == ""


def test_a_cluster_lies_in_one_region():
    with pytest.raises(ValidationError, match=r"subnets\[1\]\.zone.*us-test-1, us-test-2"):
        clouds.region_of(cluster_on({"aws": {}}, {"zone": "us-test-1a"}, {"zone": "us-test-2a"}))
    with pytest.raises(ValidationError, match="name at least one subnet"):
        clouds.region_of(cluster_on({"aws": {}}, {"name": "somewhere"}))


def test_hosted_zones_are_where_public_names_are():
    with_zones = {cloud.name for cloud in clouds.CLOUDS.values() if cloud.has_hosted_zones}
    assert with_zones == {"aws", "digitalocean", "gce", "openstack", "scaleway"}
    assert not clouds.NONE.has_hosted_zones
