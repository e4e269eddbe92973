# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""v1alpha2 <-> hub: fields with another name, another place or the opposite meaning."""

from __future__ import annotations

from typing import Any

from ...base.errors import FieldError
from .. import cloud_provider as hub_cloud
from .. import cluster as hub
from .. import common as hub_common
from .. import host as hub_host
from .. import instance_group as hub_group
from .. import keyset as hub_keyset
from .. import kube_apiserver as hub_apiserver
from .. import networking as hub_networking
from .. import ssh_credential as hub_ssh
from .. import topology as hub_topology
from ..components import AzureSpec as HubAzureSpec
from ..components import EBSCSIDriverSpec as HubEBSCSIDriverSpec
from ..convert import Converter, get_path, manifest_path, move, negate, set_path
from ..defaults import authorization_or_default
from ..openstack import OpenstackSpec
from ..suggest import did_you_mean
from ..vsphere import VSphereSpec
from . import cluster, common, instance_group, keyset, kube_apiserver, networking, topology
from .components import AzureSpec, EBSCSIDriverSpec

_MASTER = "Master"
_CONTROL_PLANE = "ControlPlane"
_NO_EXTERNAL_DNS = "none"

# (path below spec in v1alpha2, path below spec in the hub), copied unchanged.
_MOVED = (
    ("config_base", "config_store.base"),
    ("secret_store", "config_store.secrets"),
    ("key_store", "config_store.keypairs"),
    ("master_public_name", "api.public_name"),
    ("additional_sans", "api.additional_sans"),
    ("kubernetes_api_access", "api.access"),
    ("subnets", "networking.subnets"),
    ("network_cidr", "networking.network_cidr"),
    ("additional_network_cidrs", "networking.additional_network_cidrs"),
    ("network_id", "networking.network_id"),
    ("service_cluster_ip_range", "networking.service_cluster_ip_range"),
    ("pod_cidr", "networking.pod_cidr"),
    ("non_masquerade_cidr", "networking.non_masquerade_cidr"),
    ("egress_proxy", "networking.egress_proxy"),
    ("isolate_masters", "networking.isolate_control_plane"),
)

# In v1alpha2 beside the cloud's name, in the hub inside of the cloud: cloud -> (v1alpha2, hub) paths below spec.
_OF_CLOUD: dict[str, tuple[tuple[str, str], ...]] = {
    "aws": (
        ("cloud_config.disable_security_group_ingress", "disable_security_group_ingress"),
        ("cloud_config.elb_security_group", "elb_security_group"),
        ("cloud_config.use_ip_based_node_names", "use_ip_based_node_names"),
        ("cloud_config.nlb_security_group_mode", "nlb_security_group_mode"),
        ("cloud_config.node_ip_families", "node_ip_families"),
        ("cloud_config.spotinst_orientation", "spotinst_orientation"),
        ("cloud_config.spotinst_product", "spotinst_product"),
        ("node_termination_handler", "node_termination_handler"),
        ("aws_load_balancer_controller", "load_balancer_controller"),
        ("warm_pool", "warm_pool"),
        ("pod_identity_webhook", "pod_identity_webhook"),
    ),
    "gce": (
        ("cloud_config.gce_service_account", "service_account"),
        ("cloud_config.gce_use_startup_script", "use_startup_script"),
        ("cloud_config.gcp_pdcsi_driver", "pd_csi_driver"),
        ("cloud_config.multizone", "multizone"),
        ("cloud_config.node_tags", "node_tags"),
        ("cloud_config.node_instance_prefix", "node_instance_prefix"),
    ),
}
_EBS_CSI_DRIVER = ("cloud_config.aws_ebscsi_driver", "ebs_csi_driver")
_CLOUD_NAMES = {"aws": "AWS", "gce": "GCE"}

# v1alpha2's name of a cloud -> the hub's attribute and class.
_CLOUDS: dict[str, tuple[str, type]] = {
    "aws": ("aws", hub_cloud.AWSSpec),
    "azure": ("azure", HubAzureSpec),
    "digitalocean": ("do", hub_cloud.DOSpec),
    "gce": ("gce", hub_cloud.GCESpec),
    "hetzner": ("hetzner", hub_cloud.HetznerSpec),
    "linode": ("linode", hub_cloud.LinodeSpec),
    "openstack": ("openstack", OpenstackSpec),
    "scaleway": ("scaleway", hub_cloud.ScalewaySpec),
    "vsphere": ("vsphere", VSphereSpec),
}
_WITH_CONFIG = ("azure", "openstack", "vsphere")  # whose settings are in cloudConfig, below the cloud's name
_CLOUD_ORDER = (
    "aws",
    "azure",
    "digitalocean",
    "gce",
    "hetzner",
    "openstack",
    "scaleway",
    "linode",
    "vsphere",
)  # the last one wins

# kops' own names for vSphere, until 1.19, below spec.cloudConfig -> the hub's, below spec.cloudProvider.vsphere. Where
# both are given, they must agree. None: it is a secret, or has no meaning any more.
_OLD_VSPHERE: dict[str, str | None] = {
    "v_sphere_server": "server",
    "v_sphere_datacenter": "datacenter",
    "v_sphere_resource_pool": "resource_pool",
    "v_sphere_datastore": "datastore",
    "v_sphere_username": None,
    "v_sphere_password": None,
    "v_sphere_core_dns_server": None,
}

_OIDC = (
    ("oidc_client_id", "client_id"),
    ("oidc_groups_prefix", "groups_prefix"),
    ("oidc_issuer_url", "issuer_url"),
    ("oidc_username_claim", "username_claim"),
    ("oidc_username_prefix", "username_prefix"),
)
_OIDC_ATTRIBUTES = (*(flat for flat, _nested in _OIDC), "oidc_groups_claim", "oidc_required_claim")

_ROOT_VOLUME = ("encryption", "encryption_key", "iops", "optimization", "size", "throughput", "type")

Errors = list[FieldError]


# --- v1alpha2 -> hub


def _spec_to_hub(source: cluster.ClusterSpec, result: hub.ClusterSpec, errors: Errors) -> None:
    move(source, result, _MOVED)
    result.additional_policies = _rename(source.additional_policies, "master", "control-plane")
    result.external_policies = _rename(source.external_policies, "master", "control-plane")
    if source.topology is not None:
        result.networking.topology = _TO_HUB.convert(source.topology, hub_topology.TopologySpec, errors)
    if source.disable_subnet_tags is not None:
        result.networking.tag_subnets = not source.disable_subnet_tags
    _oidc_to_hub(source, result, errors)
    _cloud_to_hub(source, result, errors)


def _cloud_to_hub(source: cluster.ClusterSpec, result: hub.ClusterSpec, errors: Errors) -> None:
    name = source.cloud_provider
    if name and name not in _CLOUDS:
        allowed = ", ".join(sorted(_CLOUDS))
        message = f"is not a cloud provider{did_you_mean(name, _CLOUDS)}; allowed are {allowed}"
        errors.append(FieldError("NotSupported", "spec.cloudProvider", message, name))
        return
    if name:
        attribute, cls = _CLOUDS[name]
        own = get_path(source, f"cloud_config.{attribute}") if attribute in _WITH_CONFIG else None
        setattr(result.cloud_provider, attribute, cls() if own is None else _TO_HUB.convert(own, cls, errors))
        if name == "gce":
            set_path(result, "cloud_provider.gce.project", source.project)
        if name == "vsphere":
            _old_vsphere_to_hub(source, result.cloud_provider.vsphere, errors)
    for cloud, paths in _OF_CLOUD.items():
        if cloud == name:
            move(source, getattr(result.cloud_provider, cloud), paths)
        else:
            _forbid(source, [here for here, _there in paths], cloud, errors)
    driver = get_path(source, _EBS_CSI_DRIVER[0])
    if name != "aws":
        _forbid(source, [_EBS_CSI_DRIVER[0]], "aws", errors)
    elif driver is not None:
        converted = _TO_HUB.convert(driver, HubEBSCSIDriverSpec, errors)
        set_path(result, f"cloud_provider.aws.{_EBS_CSI_DRIVER[1]}", converted)


def _old_vsphere_to_hub(source: cluster.ClusterSpec, result: Any, errors: Errors) -> None:
    for old, new in _OLD_VSPHERE.items():
        value = get_path(source, f"cloud_config.{old}")
        if value is None:
            continue
        where = "spec." + manifest_path(cluster.ClusterSpec, f"cloud_config.{old}")
        if new is None:
            message = "is not read: the environment has the login of vCenter (VSPHERE_USER, VSPHERE_PASSWORD)"
            if old == "v_sphere_core_dns_server":
                message = "is not read: names are in DNS already, or the cluster has none"
            errors.append(FieldError("Forbidden", where, message))
        elif getattr(result, new) not in (None, value):
            message = f"contradicts spec.cloudConfig.vsphere, which says {getattr(result, new)}"
            errors.append(FieldError("Invalid", where, message, value))
        else:
            setattr(result, new, value)


def _forbid(source: cluster.ClusterSpec, paths: list[str], cloud: str, errors: Errors) -> None:
    for path in paths:
        if get_path(source, path) not in (None, []):
            where = "spec." + manifest_path(cluster.ClusterSpec, path)
            errors.append(FieldError("Forbidden", where, f"is for clusters on {_CLOUD_NAMES[cloud]} only"))


def _oidc_to_hub(source: cluster.ClusterSpec, result: hub.ClusterSpec, errors: Errors) -> None:
    server = source.kube_api_server
    if server is None or all(getattr(server, name) in (None, []) for name in _OIDC_ATTRIBUTES):
        return
    oidc = hub.OIDCAuthenticationSpec()
    move(server, oidc, _OIDC)
    if server.oidc_groups_claim is not None:
        oidc.groups_claims = server.oidc_groups_claim.split(",")
    for index, claim in enumerate(server.oidc_required_claim):
        name, separator, value = claim.partition("=")
        if not separator:
            where = f"spec.kubeAPIServer.oidcRequiredClaim[{index}]"
            errors.append(FieldError("Invalid", where, "must be claim=value", claim))
        oidc.required_claims[name] = value
    set_path(result, "authentication.oidc", oidc)


def _topology_to_hub(source: topology.TopologySpec, result: hub_topology.TopologySpec, errors: Errors) -> None:
    if source.dns is not None:
        result.dns = source.dns.type


def _external_dns_to_hub(source: cluster.ExternalDNSConfig, result: hub.ExternalDNSConfig, errors: Errors) -> None:
    if source.disable:
        result.provider = _NO_EXTERNAL_DNS


def _hook_to_hub(source: common.HookSpec, result: hub_common.HookSpec, errors: Errors) -> None:
    result.enabled = None if source.enabled is None else not source.enabled
    result.roles = [_CONTROL_PLANE if role == _MASTER else role for role in source.roles]


def _group_to_hub(
    source: instance_group.InstanceGroupSpec, result: hub_group.InstanceGroupSpec, errors: Errors
) -> None:
    if source.role == _MASTER:
        result.role = _CONTROL_PLANE
    move(source, result, [(f"root_volume_{name}", f"root_volume.{name}") for name in _ROOT_VOLUME])


def _apiserver_without_oidc(source: Any, result: Any, errors: Errors) -> None:
    """The hub has OIDC in spec.authentication only; its hidden attributes of the same name stay unset."""
    for name in _OIDC_ATTRIBUTES:
        setattr(result, name, [] if name == "oidc_required_claim" else None)


# --- hub -> v1alpha2


def _spec_from_hub(source: hub.ClusterSpec, result: cluster.ClusterSpec, errors: Errors) -> None:
    move(source, result, [(there, here) for here, there in _MOVED])
    result.additional_policies = _rename(source.additional_policies, "control-plane", "master")
    result.external_policies = _rename(source.external_policies, "control-plane", "master")
    if source.networking.topology is not None:
        result.topology = _FROM_HUB.convert(source.networking.topology, topology.TopologySpec, errors)
    if source.networking.tag_subnets is not None:
        result.disable_subnet_tags = not source.networking.tag_subnets
    if result.networking == networking.NetworkingSpec():
        result.networking = None
    if result.api == cluster.APISpec():
        result.api = None
    _oidc_from_hub(source, result)
    _cloud_from_hub(source, result, errors)


def _cloud_from_hub(source: hub.ClusterSpec, result: cluster.ClusterSpec, errors: Errors) -> None:
    names = [name for name in _CLOUD_ORDER if getattr(source.cloud_provider, _CLOUDS[name][0]) is not None]
    if not names:
        return
    name = result.cloud_provider = names[-1]
    cloud = getattr(source.cloud_provider, _CLOUDS[name][0])
    move(cloud, result, [(there, here) for here, there in _OF_CLOUD.get(name, ())])
    if name == "azure":
        set_path(result, "cloud_config.azure", _FROM_HUB.convert(cloud, AzureSpec, errors))
    elif name == "openstack":
        set_path(result, "cloud_config.openstack", _FROM_HUB.convert(cloud, OpenstackSpec, errors))
    elif name == "vsphere":
        set_path(result, "cloud_config.vsphere", _FROM_HUB.convert(cloud, VSphereSpec, errors))
    elif name == "gce":
        result.project = cloud.project
    elif name == "aws" and cloud.ebs_csi_driver is not None:
        driver = _FROM_HUB.convert(cloud.ebs_csi_driver, EBSCSIDriverSpec, errors)
        set_path(result, _EBS_CSI_DRIVER[0], driver)


def _oidc_from_hub(source: hub.ClusterSpec, result: cluster.ClusterSpec) -> None:
    oidc = get_path(source, "authentication.oidc")
    if oidc is None:
        return
    if result.kube_api_server is None:
        result.kube_api_server = kube_apiserver.KubeAPIServerConfig()
    server = result.kube_api_server
    move(oidc, server, [(there, here) for here, there in _OIDC])
    if oidc.groups_claims:
        server.oidc_groups_claim = ",".join(oidc.groups_claims)
    server.oidc_required_claim = sorted(f"{name}={value}" for name, value in oidc.required_claims.items())


def _topology_from_hub(source: hub_topology.TopologySpec, result: topology.TopologySpec, errors: Errors) -> None:
    if source.dns:
        result.dns = topology.DNSSpec(type=source.dns)


def _external_dns_from_hub(source: hub.ExternalDNSConfig, result: cluster.ExternalDNSConfig, errors: Errors) -> None:
    if source.provider == _NO_EXTERNAL_DNS:
        result.disable = True
        result.provider = None


def _hook_from_hub(source: hub_common.HookSpec, result: common.HookSpec, errors: Errors) -> None:
    result.enabled = None if source.enabled is None else not source.enabled
    result.roles = [_MASTER if role == _CONTROL_PLANE else role for role in source.roles]


def _group_from_hub(
    source: hub_group.InstanceGroupSpec, result: instance_group.InstanceGroupSpec, errors: Errors
) -> None:
    if source.role == _CONTROL_PLANE:
        result.role = _MASTER
    move(source, result, [(f"root_volume.{name}", f"root_volume_{name}") for name in _ROOT_VOLUME])


def _rename(entries: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in entries.items()}


_PAIRS: dict[tuple[type, type], tuple[Any, Any]] = {
    (cluster.ClusterSpec, hub.ClusterSpec): (_spec_to_hub, _spec_from_hub),
    (topology.TopologySpec, hub_topology.TopologySpec): (_topology_to_hub, _topology_from_hub),
    (cluster.ExternalDNSConfig, hub.ExternalDNSConfig): (_external_dns_to_hub, _external_dns_from_hub),
    (common.HookSpec, hub_common.HookSpec): (_hook_to_hub, _hook_from_hub),
    (instance_group.InstanceGroupSpec, hub_group.InstanceGroupSpec): (_group_to_hub, _group_from_hub),
    (kube_apiserver.KubeAPIServerConfig, hub_apiserver.KubeAPIServerConfig): (_apiserver_without_oidc,) * 2,
    (networking.CanalNetworkingSpec, hub_networking.CanalNetworkingSpec): (negate("flanneld_iptables_forward_rules"),)
    * 2,
    (networking.CiliumNetworkingSpec, hub_networking.CiliumNetworkingSpec): (
        negate("install_iptables_rules", "masquerade"),
    )
    * 2,
}
_TO_HUB = Converter({(ours, theirs): hooks[0] for (ours, theirs), hooks in _PAIRS.items()})
_FROM_HUB = Converter({(theirs, ours): hooks[1] for (ours, theirs), hooks in _PAIRS.items()})

# kind -> class here, class of the hub
KINDS: dict[str, tuple[type, type]] = {
    "Cluster": (cluster.Cluster, hub.Cluster),
    "Host": (hub_host.Host, hub_host.Host),
    "InstanceGroup": (instance_group.InstanceGroup, hub_group.InstanceGroup),
    "Keyset": (keyset.Keyset, hub_keyset.Keyset),
    "SSHCredential": (hub_ssh.SSHCredential, hub_ssh.SSHCredential),
}


# Attributes of Clusters and InstanceGroups that are in other places in v1alpha2: hub -> v1alpha2. The conversion's own
# tables, and what its functions do to topology and clouds.
MOVED: dict[str, dict[str, str]] = {
    "Cluster": {
        **{f"spec.{there}": f"spec.{here}" for here, there in _MOVED},
        **{
            f"spec.cloud_provider.{attribute}": f"spec.cloud_config.{attribute}"
            if attribute in _WITH_CONFIG
            else "spec.cloud_provider"
            for attribute, _class in _CLOUDS.values()
        },
        **{
            f"spec.cloud_provider.{cloud}.{there}": f"spec.{here}"
            for cloud, paths in _OF_CLOUD.items()
            for here, there in paths
        },
        f"spec.cloud_provider.aws.{_EBS_CSI_DRIVER[1]}": f"spec.{_EBS_CSI_DRIVER[0]}",
        "spec.cloud_provider.gce.project": "spec.project",
        **{f"spec.authentication.oidc.{nested}": f"spec.kube_api_server.{flat}" for flat, nested in _OIDC},
        "spec.networking.topology": "spec.topology",
        "spec.networking.topology.dns": "spec.topology.dns.type",
        "spec.networking.tag_subnets": "spec.disable_subnet_tags",
    },
    "InstanceGroup": {f"spec.root_volume.{name}": f"spec.root_volume_{name}" for name in _ROOT_VOLUME},
}


def to_hub(obj: Any, target: type, errors: Errors) -> Any:
    """The hub object (of class target) for a v1alpha2 object. Contradictions are added to errors."""
    return _TO_HUB.convert(obj, target, errors)


def from_hub(obj: Any, target: type) -> Any:
    """The v1alpha2 object (of class target) for a hub object."""
    return _FROM_HUB.convert(obj, target, [])


def set_defaults(obj: Any) -> None:
    """Apply the version's defaults; only a Cluster has any."""
    if not isinstance(obj, cluster.Cluster):
        return
    spec = obj.spec
    if spec.topology is None:
        spec.topology = topology.TopologySpec()
    if spec.topology.dns is None:
        spec.topology.dns = topology.DNSSpec()
    spec.topology.dns.type = spec.topology.dns.type or "Public"
    if spec.api is None and spec.cloud_provider != "openstack":
        spec.api = cluster.APISpec()
    spec.authorization = authorization_or_default(spec.authorization)
    if spec.networking is not None and spec.networking.flannel is not None:
        spec.networking.flannel.backend = spec.networking.flannel.backend or "udp"
