# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of clouds: a row for each cloud that kops has. What the columns mean is said in cloud.py.

A cloud that a cluster can be applied to has cloud/<name>/ and model/<name>/ as well, and node/<name>/ if its
instances become nodes by themselves.
"""

from __future__ import annotations

import re

from ..base import labels
from ..base.digitalocean_droplet_ids import DROPLETS
from ..base.errors import FieldError, ValidationError
from ..base.google_instance_ids import COMPUTE_ENGINE
from ..base.hetzner_server_ids import HETZNER_SERVERS
from ..base.instance_ids import EC2, InstanceIds
from ..base.openstack_server_ids import SERVERS
from ..base.vsphere_vm_ids import VIRTUAL_MACHINES
from .cloud import HOSTS, Cloud, CredentialProvider, NetworkRules
from .cluster import Cluster

_PUBLIC_AND_PRIVATE = ("None", "Public", "Private")
_PUBLIC = ("None", "Public")
_NO_NETWORK = NetworkRules(needs_subnets=False, needs_cidr=False, needs_subnet_cidrs=False)
_OWN_NETWORK = NetworkRules(needs_cidr=False, needs_subnet_cidrs=False)
# A network within a private range is made, or an existing one is used.
_REGIONS_ONLY = NetworkRules(
    needs_subnets=False,
    needs_cidr=False,
    needs_subnet_cidrs=False,
    needs_subnet_regions=True,
    private_cidr_only=True,
)
# Locations of Hetzner, and the part of the world whose locations can share a network; kops calls that a region.
_HETZNER_NETWORK_ZONES = {
    "fsn1": "eu-central",
    "nbg1": "eu-central",
    "hel1": "eu-central",
    "ash": "us-east",
    "hil": "us-west",
    "sin": "ap-southeast",
}

AWS = Cloud(
    name="aws",
    attribute="aws",
    title="AWS",
    in_tree_provider="aws",
    group_word="autoscaling group",
    template_word="launch template",
    store_scheme="s3",
    store_is_public=True,
    nodes_read_store=True,
    region_of_zone=lambda zone: zone[:-1],
    zone_pattern=re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]+[a-z]"),
    zone_form="<region><letter>, as us-east-1a",
    lists_zones=True,
    network=NetworkRules(several_cidrs=True, default_cidr="172.20.0.0/16", assigns_subnet_cidrs=True),
    finds_subnets=True,
    # The instances' metadata, and the resolver of every VPC.
    proxy_excludes=("169.254.169.254",),
    ipv6_resolver="fd00:ec2::253",
    dns_types=_PUBLIC_AND_PRIVATE,
    has_private_hosted_zones=True,
    chooses_machine_types=True,
    describes_machine_types=True,
    has_gpus=True,
    has_api_server_groups=True,
    ssh_key_types=("ssh-rsa", "ssh-ed25519"),
    takes_one_ssh_key=True,
    needs_ssh_key=False,
    starts_nodes=True,
    etcd_on_disks=True,
    disk_names=re.compile(r"/dev/(sd|xvd)[a-z]{1,2}[0-9]*"),
    assigns_pod_prefixes=True,
    # Jumbled neighbour entries: addresses of pods that are gone come back on other machines.
    sysctls={"net.ipv4.neigh.default.gc_thresh1": "0"},
    instance_ids=EC2,
    time_source="169.254.169.123",
    credential_provider=CredentialProvider(
        name="ecr-credential-provider",
        kind="ecr-credential-provider",
        version="1.31.7",
        images=(
            "*.dkr.ecr.*.amazonaws.com",
            "*.dkr.ecr.*.amazonaws.com.cn",
            "*.dkr.ecr-fips.*.amazonaws.com",
            "*.dkr.ecr.us-iso-east-1.c2s.ic.gov",
        ),
        cache="12h0m0s",
        arguments=("get-credentials",),
        region_variable="AWS_REGION",
        serves_mirrors=True,
    ),
)
AZURE = Cloud(
    name="azure",
    attribute="azure",
    title="Azure",
    in_tree_provider="azure",
    store_scheme="azureblob",
    nodes_read_store=True,
    region_of_zone=lambda zone: zone.split("-")[0],
    zone_pattern=re.compile(r"[^-]*-[^-]*"),
    zone_form="<location>-<zone>, as eastus-1",
    has_regional_subnets=True,
    network=NetworkRules(needs_subnet_regions=True, default_cidr="10.0.0.0/16", assigns_subnet_cidrs=True),
    machine_types={"ControlPlane": "Standard_B2s", "Node": "Standard_B2s", "Bastion": "Standard_B2s"},
    needs_cloud_config=True,
    instance_ids=InstanceIds(provider_id_form="azure://{instance}"),
)
DIGITALOCEAN = Cloud(
    name="digitalocean",
    attribute="do",
    title="DigitalOcean",
    group_word="group of droplets",
    template_word="server template",
    store_scheme="do",
    store_endpoint="https://REGION.digitaloceanspaces.com",
    store_is_public=True,
    takes_one_zone=True,
    zones_are_regions=True,
    network=_REGIONS_ONLY,
    dns_types=_PUBLIC,
    machine_types={"ControlPlane": "s-2vcpu-4gb-amd", "Node": "s-2vcpu-4gb-amd"},
    image="ubuntu-24-04-x64",
    has_several_addresses=True,
    # Pods reach the metadata service: the controller of volumes asks it where it is.
    starts_nodes=True,
    etcd_on_disks=True,
    instance_ids=DROPLETS,
)
GCE = Cloud(
    name="gce",
    attribute="gce",
    title="GCE",
    in_tree_provider="gce",
    group_word="managed instance group",
    template_word="instance template",
    store_scheme="gs",
    store_is_public=True,
    nodes_read_store=True,
    region_of_zone=lambda zone: "-".join(zone.split("-")[:2]),
    zone_pattern=re.compile(r".*-.*-.*"),
    zone_form="<region>-<zone>, as us-east1-b",
    lists_zones=True,
    has_regional_subnets=True,
    network=NetworkRules(
        needs_cidr=False,
        needs_subnet_cidrs=False,
        needs_subnet_regions=True,
        needs_non_masquerade_cidr=False,
        prohibits_cidr=True,
    ),
    dns_types=_PUBLIC_AND_PRIVATE,
    machine_types={"ControlPlane": "e2-medium", "Node": "e2-medium", "Bastion": "e2-micro"},
    has_api_server_groups=True,
    needs_ssh_key=False,
    needs_cloud_config=True,
    starts_nodes=True,
    etcd_on_disks=True,
    instance_ids=COMPUTE_ENGINE,
    time_source="time.google.com",
    credential_provider=CredentialProvider(
        name="gcp-credential-provider",
        kind="auth-provider-gcp",
        version="35.0.0",
        images=("gcr.io", "*.gcr.io", "container.cloud.google.com", "*.pkg.dev"),
        cache="1m0s",
        arguments=("get-credentials", "--v=3"),
    ),
)
HETZNER = Cloud(
    name="hetzner",
    attribute="hetzner",
    title="Hetzner",
    group_word="group of servers",
    template_word="server template",
    store_scheme="hos",
    store_endpoint="https://LOCATION.your-objectstorage.com",
    store_is_public=True,
    store_variable="HCLOUD_TOKEN",
    region_of_zone=lambda zone: _HETZNER_NETWORK_ZONES.get(zone, zone),
    takes_one_zone=True,
    network=_NO_NETWORK,
    closed_to_pods=("169.254.169.254",),
    needs_hosted_zone=False,
    machine_types={"ControlPlane": "cx23", "Node": "cx23", "Bastion": "cx23"},
    image="ubuntu-24.04",
    has_several_addresses=True,
    serves_users_at_node_address=True,
    starts_nodes=True,
    etcd_on_disks=True,
    instance_ids=HETZNER_SERVERS,
)
LINODE = Cloud(
    name="linode",
    attribute="linode",
    title="Linode",
    store_scheme="linode",
    store_endpoint="https://REGION.linodeobjects.com",
    store_is_public=True,
    store_variable="LINODE_TOKEN",
    takes_one_zone=True,
    zones_are_regions=True,
    network=_REGIONS_ONLY,
    machine_types={"ControlPlane": "g6-standard-2", "Node": "g6-standard-2", "Bastion": "g6-standard-1"},
    image="linode/ubuntu24.04",
    # Tags hold the cluster's name, and have a greatest length.
    longest_cluster_name=32,
)
OPENSTACK = Cloud(
    name="openstack",
    attribute="openstack",
    title="OpenStack",
    in_tree_provider="openstack",
    group_word="group of servers",
    template_word="server template",
    store_scheme="swift",
    more_store_schemes=("s3",),
    # The login names it.
    region_of_zone=lambda zone: "",
    needs_region=False,
    lists_zones=True,
    network=NetworkRules(needs_cidr=False, needs_subnet_cidrs=False, assigns_subnet_cidrs=True),
    finds_subnets=True,
    closed_to_pods=("169.254.169.254",),
    dns_types=_PUBLIC_AND_PRIVATE,
    chooses_machine_types=True,
    has_gpus=True,
    needs_cloud_config=True,
    serves_users_at_node_address=True,
    starts_nodes=True,
    etcd_on_disks=True,
    instance_ids=SERVERS,
)
SCALEWAY = Cloud(
    name="scaleway",
    attribute="scaleway",
    title="Scaleway",
    store_scheme="scw",
    store_endpoint="https://s3.REGION.scw.cloud",
    store_is_public=True,
    takes_one_zone=True,
    network=_OWN_NETWORK,
    dns_types=_PUBLIC,
    machine_types={"ControlPlane": "DEV1-M", "Node": "DEV1-M"},
    image="ubuntu_noble",
)
# kops' own support ended with 1.19; this one is new.
VSPHERE = Cloud(
    name="vsphere",
    attribute="vsphere",
    title="vSphere",
    in_tree_provider="vsphere",
    group_word="group of virtual machines",
    template_word="machine template",
    more_store_schemes=("s3",),
    # A datacenter has no regions or zones but those that its users define by tags.
    region_of_zone=lambda zone: "",
    needs_region=False,
    network=_OWN_NETWORK,
    needs_hosted_zone=False,
    machine_types={"ControlPlane": "2cpu-4gb", "Node": "2cpu-4gb", "Bastion": "1cpu-1gb"},
    has_several_addresses=True,
    serves_users_at_node_address=True,
    needs_cloud_config=True,
    shares_api_address=True,
    starts_nodes=True,
    etcd_on_disks=True,
    instance_ids=VIRTUAL_MACHINES,
    has_cloud_controller=False,
)
METAL = Cloud(
    name="metal",
    title="bare metal",
    # It has no regions.
    region_of_zone=lambda zone: "",
    needs_region=False,
    network=_OWN_NETWORK,
    image="dummy-metal-image",
    control_planes=HOSTS,
    workers=HOSTS,
    has_several_addresses=True,
    serves_users_at_node_address=True,
    has_cloud_controller=False,
)
# What a specification without any cloud is judged by.
NONE = Cloud(name="", title="no cloud", network=_NO_NETWORK, dns_types=())

_ALL = (AWS, AZURE, DIGITALOCEAN, GCE, HETZNER, LINODE, OPENSTACK, SCALEWAY, VSPHERE, METAL)
CLOUDS = {cloud.name: cloud for cloud in _ALL}


def cloud_of(cluster: Cluster) -> Cloud:
    """The cluster's cloud; NONE if it names none. Of several (an error of its own), the first of the table counts."""
    if cluster.metadata.labels.get(labels.CLOUD) == METAL.name:
        return METAL
    return next(iter(clouds_in(cluster)), NONE)


def clouds_in(cluster: Cluster) -> list[Cloud]:
    """Every cloud that spec.cloudProvider names; a valid specification names one at most."""
    provider = cluster.spec.cloud_provider
    return [cloud for cloud in CLOUDS.values() if cloud.attribute and getattr(provider, cloud.attribute) is not None]


def regions_of(cluster: Cluster) -> dict[str, str]:
    """The regions in which the cluster's subnets lie: region -> path of the first subnet in it."""
    cloud = cloud_of(cluster)
    regions: dict[str, str] = {}
    for index, subnet in enumerate(cluster.spec.networking.subnets):
        region = subnet.region or cloud.region_of_zone(subnet.zone or "")
        if region:
            regions.setdefault(region, f"spec.networking.subnets[{index}].zone")
    return regions


def region_of(cluster: Cluster) -> str:
    """The one region of the cluster; "" if it need not say it. Raises ValidationError for none, or more than one."""
    regions = regions_of(cluster)
    if not regions and not cloud_of(cluster).needs_region:
        return ""
    if len(regions) == 1:
        return next(iter(regions))
    problems = [
        FieldError("Invalid", path, f"a cluster lies in one region, these subnets lie in {', '.join(regions)}", region)
        for region, path in regions.items()
    ]
    if not regions:
        path = "spec.networking.subnets"
        problems.append(FieldError("Required", path, "name at least one subnet with its zone"))
    raise ValidationError(problems, f"cluster {cluster.metadata.name}")
