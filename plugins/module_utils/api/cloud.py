# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked of a cloud: the columns of the table of clouds (clouds.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..base.instance_ids import InstanceIds

# What nodes are: hosts of an inventory, which the controller converges over their own connections, or instances, which
# the cloud starts and which become nodes by themselves.
NodesAre = Literal["hosts", "instances"]
HOSTS: NodesAre = "hosts"
INSTANCES: NodesAre = "instances"
_CONTROL_PLANE_ROLES = ("ControlPlane", "APIServer")


@dataclass(frozen=True)
class NetworkRules:
    """What a cloud demands of spec.networking, and what clusters get that say nothing.

    needs_subnets, needs_cidr, needs_subnet_cidrs, needs_subnet_regions, needs_non_masquerade_cidr: of a specification.
    prohibits_cidr: networks have no range of their own, only subnets have.
    private_cidr_only: the range is one of those for private use, and is not given for a network that exists.
    several_cidrs: a network can have additional ranges.
    default_cidr: of a network that the cluster makes; "" where none is chosen.
    assigns_subnet_cidrs: subnets without ranges get parts of the network's.
    """

    needs_subnets: bool = True
    needs_cidr: bool = True
    needs_subnet_cidrs: bool = True
    needs_subnet_regions: bool = False
    needs_non_masquerade_cidr: bool = True
    prohibits_cidr: bool = False
    private_cidr_only: bool = False
    several_cidrs: bool = False
    default_cidr: str = ""
    assigns_subnet_cidrs: bool = False


@dataclass(frozen=True)
class CredentialProvider:
    """The program by which kubelets log in to the registry of their cloud.

    name: by which the kubelet calls it. kind, version: of the file that nodes download (model/node/files/assets.py).
    images: patterns of the registry's images. cache: how long an answer holds, as a duration of Kubernetes.
    region_variable: the environment variable that tells it the region; "" for none.
    serves_mirrors: whether it can log in to mirrors of other registries, too.
    """

    name: str
    kind: str
    version: str
    images: tuple[str, ...]
    cache: str
    arguments: tuple[str, ...]
    region_variable: str = ""
    serves_mirrors: bool = False


def _zone_itself(zone: str) -> str:
    return zone


@dataclass(frozen=True, eq=False)
class Cloud:
    """A cloud; there is one object of each, so clouds are compared by identity.

    Names:
        name: kops' name, in channels, options, NodeConfigs and results.
        attribute: of spec.cloudProvider; "" for bare metal, which a label tells.
        title: in messages.
        in_tree_provider: the name that components of Kubernetes had for it; "" where there never was one.
        group_word: in messages, what keeps the number of an instance group's instances. template_word: what it starts
            them from.
    Stores:
        store_scheme: of URLs of its own object store; "" where it has none.
        store_endpoint: of that store, if it has the protocol of S3 and is not Amazon's: the form of its URL; else "".
        store_is_public: whether its objects can be read by everyone over HTTPS, as service account discovery needs it.
        nodes_read_store: whether nodes can download files from that store.
        more_store_schemes: of stores beside its own that nodes read, with a key that they are given
            (node/<name>/store_key.py).
        store_variable: its presence in the environment says that a store s3:// is this cloud's.
    Places:
        region_of_zone: the region of a zone; "" if zones do not say it.
        needs_region: whether a cluster has to say its region. Else, without one, it is where the login is, or in none.
        zone_pattern, zone_form: of a zone's name: an expression, and the same for users; None and "" for any.
        lists_zones: whether the cloud can be asked which zones there are.
        takes_one_zone: whether the nodes of a new cluster are all in one zone.
        zones_are_regions: it has regions and no zones; kops writes the region as both.
        has_regional_subnets: a subnet spans its region, so groups name their zones themselves.
    Network:
        network: rules for spec.networking.
        finds_subnets: whether the cloud can be asked for a subnet's network and zone.
        proxy_excludes: addresses that are reached without an egress proxy.
        has_cloud_controller: a controller of the cloud, among the addons, says what nodes are; they wait for it.
        closed_to_pods: addresses that only hosts reach, and pods in the network of their host: of the metadata service.
        ipv6_resolver: the resolver of names in IPv6 networks; "" for none.
        dns_types: values of spec.networking.topology.dns that it supports.
        needs_hosted_zone: False where an address that stays serves instead of a name.
        has_private_hosted_zones: whether hosted zones are told apart into public and private ones.
    Machines:
        chooses_machine_types: whether the cloud is asked for a machine type that is available.
        machine_types: role -> default, where it is not asked.
        describes_machine_types: whether the cloud can be asked for the architectures of machine types and images.
        image: default where the channel has none; "" for none.
        has_gpus: whether NVIDIA's drivers can be installed.
        has_api_server_groups: whether groups of role APIServer are possible.
        longest_cluster_name: None for no limit.
        ssh_key_types: of public keys, as OpenSSH names them, that it takes; empty for all.
        takes_one_ssh_key: whether instances let in one public key of the state store, and no more.
        needs_ssh_key: whether a new cluster takes the user's SSH key unasked.
        needs_cloud_config: whether a new cluster is given an empty spec.cloudConfig, which components then complete.
    Nodes:
        control_planes, workers: what they are, HOSTS or INSTANCES. Servers of the API alone count as control planes.
        has_several_addresses: instances have addresses of which the wrong one could be taken.
        serves_users_at_node_address: users reach a control plane by its own address.
        shares_api_address: spec.api.publicName is an address that is given. Without a load balancer, which is the
            user's there, control planes hold it by turns.
        starts_nodes: instances become nodes by themselves, with node/<name>/, and ask their control planes
            (node/bootstrap/). So a control plane can tell which instance a request comes from.
        etcd_on_disks: each member of etcd has disks of its own, which an instance finds and attaches.
        disk_names: of disks, where the cloud gives names that the kernel need not know; None where it gives none. A
            NodeConfig asks its instance for the paths of such disks.
        assigns_pod_prefixes: in clusters with IPv6 only, an instance gets a prefix for the addresses of its pods, and
            sees to that itself.
        sysctls: settings of the kernel that its machines need.
        instance_ids: how instances and their Nodes are named.
        time_source: where clocks are set by; "" for the distribution's default.
        credential_provider: for the cloud's registry, if it has one.
    """

    name: str
    title: str
    attribute: str = ""
    in_tree_provider: str = ""
    group_word: str = "group of the cloud"
    template_word: str = "template"

    store_scheme: str = ""
    store_endpoint: str = ""
    store_is_public: bool = False
    nodes_read_store: bool = False
    more_store_schemes: tuple[str, ...] = ()
    store_variable: str = ""

    region_of_zone: Callable[[str], str] = _zone_itself
    needs_region: bool = True
    zone_pattern: re.Pattern[str] | None = None
    zone_form: str = ""
    lists_zones: bool = False
    takes_one_zone: bool = False
    zones_are_regions: bool = False
    has_regional_subnets: bool = False

    network: NetworkRules = NetworkRules()
    finds_subnets: bool = False
    proxy_excludes: tuple[str, ...] = ()
    has_cloud_controller: bool = True
    closed_to_pods: tuple[str, ...] = ()
    ipv6_resolver: str = ""
    dns_types: tuple[str, ...] = ("None",)
    needs_hosted_zone: bool = True
    has_private_hosted_zones: bool = False

    chooses_machine_types: bool = False
    machine_types: Mapping[str, str] = field(default_factory=dict)
    describes_machine_types: bool = False
    image: str = ""
    has_gpus: bool = False
    has_api_server_groups: bool = False
    longest_cluster_name: int | None = None
    ssh_key_types: tuple[str, ...] = ()
    takes_one_ssh_key: bool = False
    needs_ssh_key: bool = True
    needs_cloud_config: bool = False

    control_planes: NodesAre = INSTANCES
    workers: NodesAre = INSTANCES
    has_several_addresses: bool = False
    serves_users_at_node_address: bool = False
    shares_api_address: bool = False
    starts_nodes: bool = False
    etcd_on_disks: bool = False
    disk_names: re.Pattern[str] | None = None
    assigns_pod_prefixes: bool = False
    sysctls: Mapping[str, str] = field(default_factory=dict)
    instance_ids: InstanceIds = InstanceIds()
    time_source: str = ""
    credential_provider: CredentialProvider | None = None

    def nodes_of(self, role: str) -> NodesAre:
        """What the nodes of a group with this role (spec.role) are."""
        return self.control_planes if role in _CONTROL_PLANE_ROLES else self.workers

    @property
    def has_hosts(self) -> bool:
        """Whether any nodes are hosts."""
        return HOSTS in (self.control_planes, self.workers)

    @property
    def has_instances(self) -> bool:
        """Whether any nodes are instances."""
        return INSTANCES in (self.control_planes, self.workers)

    @property
    def has_hosted_zones(self) -> bool:
        """Whether it can publish names."""
        return "Public" in self.dns_types
