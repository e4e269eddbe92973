# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of create_cluster that several clouds have."""

from __future__ import annotations

from dataclasses import dataclass

from ...api.clouds import AWS, CLOUDS, GCE, OPENSTACK
from .option import option

NETWORKING = (
    "amazonvpc",
    "amazon-vpc-routed-eni",
    "calico",
    "cilium",
    "cilium-eni",
    "cilium-etcd",
    "cni",
    "external",
    "flannel",
    "flannel-udp",
    "flannel-vxlan",
    "gce",
    "gcp",
    "kindnet",
    "kopeio",
    "kopeio-vxlan",
    "kube-router",
    "kubenet",
)


@dataclass(frozen=True)
class SharedOptions:
    """Options of all clouds, and options of several clouds."""

    name: str = option(
        "", "name", "ClusterName", required=True, environment=("KOPS_CLUSTER_NAME",), aliases=("cluster_name",)
    )
    state_store: str = option("", "state", "", required=True, environment=("KOPS_STATE_STORE",))
    config_base: str = option("", "config-base", "ConfigBase", feature="EnableSeparateConfigBase")
    discovery_store: str = option("", "discovery-store", "DiscoveryStore")
    cloud: str = option("", "cloud", "CloudProvider", choices=tuple(CLOUDS))

    channel: str = option("stable", "channel", "Channel")
    kubernetes_version: str = option("", "kubernetes-version", "KubernetesVersion")
    kubernetes_feature_gates: dict[str, bool] = option({}, "kubernetes-feature-gates", "KubernetesFeatureGates")
    authorization: str = option(
        "RBAC", "authorization", "Authorization", choices=("RBAC", "AlwaysAllow"), any_case=True
    )
    # Not an option of kops: it stands for fields of the specification.
    hardened: bool = option(False, "", "")

    zones: list[str] = option([], "zones", "Zones", required=True)
    control_plane_zones: list[str] = option([], "control-plane-zones master-zones", "ControlPlaneZones")
    control_plane_count: int = option(0, "control-plane-count master-count", "ControlPlaneCount")
    node_count: int = option(0, "node-count", "NodeCount")
    api_server_count: int = option(0, "api-server-count", "APIServerCount", feature="APIServerNodes")
    instance_manager: str = option(
        "cloudgroups", "instance-manager", "InstanceManager", choices=("cloudgroups", "karpenter")
    )

    control_plane_size: list[str] = option([], "control-plane-size master-size", "ControlPlaneSizes")
    node_size: list[str] = option([], "node-size", "NodeSizes")
    api_server_size: list[str] = option([], "api-server-size", "APIServerSizes", feature="APIServerNodes")
    image: str = option("", "image", "Image")
    control_plane_image: str = option("", "control-plane-image master-image", "ControlPlaneImage")
    node_image: str = option("", "node-image", "NodeImage")
    bastion_image: str = option("", "bastion-image", "BastionImage")
    control_plane_volume_size: int = option(0, "control-plane-volume-size master-volume-size", "ControlPlaneVolumeSize")
    control_plane_volume_type: str = option("", "control-plane-volume-type", "ControlPlaneVolumeType")
    node_volume_size: int = option(0, "node-volume-size", "NodeVolumeSize")
    node_volume_type: str = option("", "node-volume-type", "NodeVolumeType")
    control_plane_security_groups: list[str] = option(
        [], "control-plane-security-groups master-security-groups", "ControlPlaneSecurityGroups"
    )
    node_security_groups: list[str] = option([], "node-security-groups", "NodeSecurityGroups")
    associate_public_ip: bool | None = option(None, "associate-public-ip", "AssociatePublicIP")
    cloud_labels: dict[str, str] = option({}, "cloud-labels", "CloudLabels")

    networking: str = option("cilium", "networking", "Networking", choices=NETWORKING)
    network_id: str = option("", "network-id vpc os-network", "NetworkID OpenstackNetworkID")
    network_cidr: list[str] = option([], "network-cidr", "NetworkCIDRs")
    subnets: list[str] = option([], "subnets", "SubnetIDs", clouds=(AWS.name, GCE.name, OPENSTACK.name))
    utility_subnets: list[str] = option([], "utility-subnets", "UtilitySubnetIDs", clouds=(AWS.name, OPENSTACK.name))
    egress: str = option("", "", "Egress")
    topology: str = option("", "topology", "Topology", choices=("public", "private"))
    bastion: bool = option(False, "bastion", "Bastion")
    admin_access: list[str] = option(["0.0.0.0/0", "::/0"], "admin-access", "AdminAccess")
    ssh_access: list[str] = option([], "ssh-access", "SSHAccess")

    dns: str = option("", "dns", "DNSType", choices=("public", "private", "none"), any_case=True)
    dns_zone: str = option("", "dns-zone", "DNSZone")
    api_loadbalancer_type: str = option(
        "", "api-loadbalancer-type", "APILoadBalancerType", choices=("public", "internal")
    )
    api_public_name: str = option("", "api-public-name master-public-name", "APIPublicName")

    etcd_clusters: list[str] = option(["main", "events"], "etcd-clusters", "EtcdClusters")
    etcd_storage_type: str = option("", "etcd-storage-type", "EtcdStorageType")
    encrypt_etcd_storage: bool | None = option(None, "encrypt-etcd-storage", "EncryptEtcdStorage")

    ssh_public_key: str = option("", "ssh-public-key", "")
    add: list[str] = option([], "add", "AddonPaths", feature="ClusterAddons")
    set: list[str] = option([], "set override", "Sets")
    unset: list[str] = option([], "unset", "Unsets")

    @property
    def region(self) -> str:
        """The region of the zones; "" where the cloud has none."""
        return CLOUDS[self.cloud].region_of_zone(self.zones[0])
