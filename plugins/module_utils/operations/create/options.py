# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options from which a cluster is created: one table for module arguments, playbook variables and kops' own names.

Source of names and defaults: kops' ``create cluster`` command (cmd/kops/create_cluster.go) and the options that it is
built on (upup/pkg/fi/cloudup/new_cluster.go).
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

from ...api.clouds import CLOUDS
from ...cloud.gce.cloud import PROJECT_VARIABLES

ANYWHERE: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionRules:
    """What is known of one option beyond its name, type and default.

    flags: kops' command line flags that set it, the deprecated ones last.
    fields: the names of the same option in kops' Go code, which its test cases use.
    clouds: the clouds that have it; empty means all.
    choices: the values that are allowed; with any_case, written in any case.
    required: there is no cluster without it, on the clouds that have it.
    environment: environment variables that may name it as well, the first that is set.
    sets: the field that the option sets, where kops' error is about the field and not about the option.
    feature: the kops feature flag without which the option is refused.
    aliases: further names of the module argument.
    """

    flags: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    clouds: tuple[str, ...] = ANYWHERE
    choices: tuple[str, ...] = ()
    any_case: bool = False
    required: bool = False
    environment: tuple[str, ...] = ()
    sets: str = ""
    feature: str = ""
    aliases: tuple[str, ...] = ()


# The function below is called in the body of a dataclass, which is where a field may be declared.
_declare: Any = functools.partial(dataclasses.field)


def _option(default: Any, flags: str, fields: str, **rules: Any) -> Any:
    metadata = {"rules": OptionRules(flags=tuple(flags.split()), fields=tuple(fields.split()), **rules)}
    if isinstance(default, (list, dict)):
        return _declare(default_factory=lambda: type(default)(default), metadata=metadata)
    return _declare(default=default, metadata=metadata)


_TENANCY = "spec.tenancy"
_TENANCIES = ("default", "dedicated", "host")
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
class CreateOptions:
    """What the user says of a cluster that is to be created. "", 0, an empty list and None mean "not said".

    Those that read_options (read.py) gives are checked, and decided where defaults.py says so.

    Sizes of volumes are in GB; zones, types, networks and images are named as the cloud names them.
    """

    name: str = _option(
        "", "name", "ClusterName", required=True, environment=("KOPS_CLUSTER_NAME",), aliases=("cluster_name",)
    )
    state_store: str = _option("", "state", "", required=True, environment=("KOPS_STATE_STORE",))
    config_base: str = _option("", "config-base", "ConfigBase", feature="EnableSeparateConfigBase")
    discovery_store: str = _option("", "discovery-store", "DiscoveryStore")
    cloud: str = _option("", "cloud", "CloudProvider", choices=tuple(CLOUDS))

    channel: str = _option("stable", "channel", "Channel")
    kubernetes_version: str = _option("", "kubernetes-version", "KubernetesVersion")
    kubernetes_feature_gates: dict[str, bool] = _option({}, "kubernetes-feature-gates", "KubernetesFeatureGates")
    authorization: str = _option(
        "RBAC", "authorization", "Authorization", choices=("RBAC", "AlwaysAllow"), any_case=True
    )
    # Not an option of kops: it stands for fields of the specification.
    hardened: bool = _option(False, "", "")

    zones: list[str] = _option([], "zones", "Zones", required=True)
    control_plane_zones: list[str] = _option([], "control-plane-zones master-zones", "ControlPlaneZones")
    control_plane_count: int = _option(0, "control-plane-count master-count", "ControlPlaneCount")
    node_count: int = _option(0, "node-count", "NodeCount")
    api_server_count: int = _option(0, "api-server-count", "APIServerCount", feature="APIServerNodes")
    instance_manager: str = _option(
        "cloudgroups", "instance-manager", "InstanceManager", choices=("cloudgroups", "karpenter")
    )

    control_plane_size: list[str] = _option([], "control-plane-size master-size", "ControlPlaneSizes")
    node_size: list[str] = _option([], "node-size", "NodeSizes")
    api_server_size: list[str] = _option([], "api-server-size", "APIServerSizes", feature="APIServerNodes")
    image: str = _option("", "image", "Image")
    control_plane_image: str = _option("", "control-plane-image master-image", "ControlPlaneImage")
    node_image: str = _option("", "node-image", "NodeImage")
    bastion_image: str = _option("", "bastion-image", "BastionImage")
    control_plane_volume_size: int = _option(
        0, "control-plane-volume-size master-volume-size", "ControlPlaneVolumeSize"
    )
    control_plane_volume_type: str = _option("", "control-plane-volume-type", "ControlPlaneVolumeType")
    node_volume_size: int = _option(0, "node-volume-size", "NodeVolumeSize")
    node_volume_type: str = _option("", "node-volume-type", "NodeVolumeType")
    control_plane_security_groups: list[str] = _option(
        [], "control-plane-security-groups master-security-groups", "ControlPlaneSecurityGroups"
    )
    node_security_groups: list[str] = _option([], "node-security-groups", "NodeSecurityGroups")
    control_plane_tenancy: str = _option(
        "",
        "control-plane-tenancy master-tenancy",
        "ControlPlaneTenancy",
        clouds=("aws",),
        choices=_TENANCIES,
        sets=_TENANCY,
    )
    node_tenancy: str = _option("", "node-tenancy", "NodeTenancy", clouds=("aws",), choices=_TENANCIES, sets=_TENANCY)
    associate_public_ip: bool | None = _option(None, "associate-public-ip", "AssociatePublicIP")
    cloud_labels: dict[str, str] = _option({}, "cloud-labels", "CloudLabels")

    networking: str = _option("cilium", "networking", "Networking", choices=NETWORKING)
    network_id: str = _option("", "network-id vpc os-network", "NetworkID OpenstackNetworkID")
    network_cidr: list[str] = _option([], "network-cidr", "NetworkCIDRs")
    subnets: list[str] = _option([], "subnets", "SubnetIDs", clouds=("aws", "gce", "openstack"))
    utility_subnets: list[str] = _option([], "utility-subnets", "UtilitySubnetIDs", clouds=("aws", "openstack"))
    disable_subnet_tags: bool = _option(False, "disable-subnet-tags", "DisableSubnetTags", clouds=("aws",))
    egress: str = _option("", "", "Egress")
    ipv6: bool = _option(False, "ipv6", "IPv6", clouds=("aws",))
    topology: str = _option("", "topology", "Topology", choices=("public", "private"))
    bastion: bool = _option(False, "bastion", "Bastion")
    admin_access: list[str] = _option(["0.0.0.0/0", "::/0"], "admin-access", "AdminAccess")
    ssh_access: list[str] = _option([], "ssh-access", "SSHAccess")

    dns: str = _option("", "dns", "DNSType", choices=("public", "private", "none"), any_case=True)
    dns_zone: str = _option("", "dns-zone", "DNSZone")
    api_loadbalancer_type: str = _option(
        "", "api-loadbalancer-type", "APILoadBalancerType", choices=("public", "internal")
    )
    api_ssl_certificate: str = _option("", "api-ssl-certificate", "APISSLCertificate", clouds=("aws",))
    api_public_name: str = _option("", "api-public-name master-public-name", "APIPublicName")

    etcd_clusters: list[str] = _option(["main", "events"], "etcd-clusters", "EtcdClusters")
    etcd_storage_type: str = _option("", "etcd-storage-type", "EtcdStorageType")
    encrypt_etcd_storage: bool | None = _option(None, "encrypt-etcd-storage", "EncryptEtcdStorage")

    ssh_public_key: str = _option("", "ssh-public-key", "")
    add: list[str] = _option([], "add", "AddonPaths", feature="ClusterAddons")
    set: list[str] = _option([], "set override", "Sets")
    unset: list[str] = _option([], "unset", "Unsets")

    project: str = _option("", "project", "Project", clouds=("gce",), required=True, environment=PROJECT_VARIABLES)
    gce_service_account: str = _option("", "gce-service-account", "GCEServiceAccount", clouds=("gce",))
    azure_subscription_id: str = _option(
        "",
        "azure-subscription-id",
        "AzureSubscriptionID",
        clouds=("azure",),
        environment=("AZURE_SUBSCRIPTION_ID",),
    )
    azure_tenant_id: str = _option("", "azure-tenant-id", "AzureTenantID", clouds=("azure",))
    azure_resource_group_name: str = _option(
        "", "azure-resource-group-name", "AzureResourceGroupName", clouds=("azure",)
    )
    azure_route_table_name: str = _option("", "azure-route-table-name", "AzureRouteTableName", clouds=("azure",))
    azure_admin_user: str = _option("kops", "azure-admin-user", "AzureAdminUser", clouds=("azure",))
    os_ext_net: str = _option("", "os-ext-net", "OpenstackExternalNet", clouds=("openstack",))
    os_ext_subnet: str = _option("", "os-ext-subnet", "OpenstackExternalSubnet", clouds=("openstack",))
    os_lb_floating_subnet: str = _option("", "os-lb-floating-subnet", "OpenstackLBSubnet", clouds=("openstack",))
    os_kubelet_ignore_az: bool = _option(
        False, "os-kubelet-ignore-az", "OpenstackStorageIgnoreAZ", clouds=("openstack",)
    )
    os_octavia: bool = _option(False, "os-octavia", "OpenstackLBOctavia", clouds=("openstack",))
    os_octavia_provider: str = _option("", "os-octavia-provider", "OpenstackOctaviaProvider", clouds=("openstack",))
    os_dns_servers: str = _option("", "os-dns-servers", "OpenstackDNSServers", clouds=("openstack",))
    spotinst_product: str = _option("", "spotinst-product", "SpotinstProduct", clouds=("aws",), feature="Spotinst")
    spotinst_orientation: str = _option(
        "", "spotinst-orientation", "SpotinstOrientation", clouds=("aws",), feature="Spotinst"
    )

    @property
    def region(self) -> str:
        """The region of the zones; "" where the cloud has none."""
        return CLOUDS[self.cloud].region_of_zone(self.zones[0])


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "str": {"type": "str"},
    "int": {"type": "int"},
    "bool": {"type": "bool"},
    "bool | None": {"type": "bool"},
    "list[str]": {"type": "list", "elements": "str"},
    "dict[str, str]": {"type": "raw"},
    "dict[str, bool]": {"type": "list", "elements": "str"},
}


@dataclass(frozen=True)
class Option:
    """One row of the table: name is the module argument, "kops_" + name the playbook variable; type is Python's."""

    name: str
    type: str
    default: Any
    rules: OptionRules

    @property
    def variable(self) -> str:
        """The playbook variable; the name of a cluster is called kops_cluster_name there."""
        return f"kops_{self.rules.aliases[0] if self.rules.aliases else self.name}"

    @property
    def argument(self) -> dict[str, Any]:
        """The option's entry of an Ansible argument spec."""
        spec = dict(_ARGUMENTS[self.type])
        if self.default not in ("", 0, None, [], {}) or self.type == "bool":
            spec["default"] = self.default
        if self.rules.aliases:
            spec["aliases"] = list(self.rules.aliases)
        return spec


def _rows() -> dict[str, Option]:
    initial = CreateOptions()
    return {
        declared.name: Option(
            declared.name, str(declared.type), getattr(initial, declared.name), declared.metadata["rules"]
        )
        for declared in dataclasses.fields(CreateOptions)
    }


OPTIONS: dict[str, Option] = _rows()


def argument_spec() -> dict[str, dict[str, Any]]:
    """The module arguments of all options."""
    return {name: option.argument for name, option in OPTIONS.items()}
