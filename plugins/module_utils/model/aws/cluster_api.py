# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Cluster API Provider AWS (CRDs of sigs.k8s.io/cluster-api-provider-aws/v2 2.13, v1beta2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.clouds import AWS
from ...api.instance_group import InstanceGroup
from ...cloud.aws.tasks.launch_template import LaunchTemplate
from ...cloud.aws.tasks.subnet import Subnet
from ...cloud.aws.tasks.vpc import VPC
from ...engine.task import Task
from ..cluster_api.infrastructure import Infrastructure, Manifest
from ..cluster_api.rows import Row, get, items, named, put, words
from ..disks import ROOT_SIZES_GB
from . import names

_TYPES = {"Public": True, "Utility": True, "Private": False}
# Tags that say whose an instance is, and are none of the user's.
_OWN_TAGS = ("kops.k8s.io/", "k8s.io/", "kubernetes.io/", "KubernetesCluster", "Name", "aws-node-termination-handler/")


def _users(tags: Any) -> dict[str, str] | None:
    return {key: value for key, value in tags.items() if not key.startswith(_OWN_TAGS)} or None


def _is_id(said: Any) -> bool:
    """Whether a subnet is there already; others have a name of the user's there."""
    return str(said).startswith("subnet-")


_SUBNETS = items(
    "spec.subnets",
    "spec.network.subnets",
    [
        Row("name", "id", lambda name: name, lambda said: None if _is_id(said) else said),
        Row("id", "id", lambda given: given, lambda said: said if _is_id(said) else None),
        Row("zone", "availabilityZone"),
        Row("cidr", "cidrBlock"),
        Row("ipv6CIDR", "ipv6CidrBlock"),
        words("type", "isPublic", _TYPES),
    ],
)
_BALANCER = "spec.controlPlaneLoadBalancer"
CLUSTER = (
    Row("spec.networkID", "spec.network.vpc.id"),
    Row("spec.networkCIDR", "spec.network.vpc.cidrBlock"),
    named("spec.additionalNetworkCIDRs", "spec.network.vpc.secondaryCidrBlocks", "ipv4CidrBlock"),
    _SUBNETS,
    Row("spec.nodePortAccess", "spec.network.nodePortIngressRuleCidrBlocks"),
    Row("spec.sshKeyName", "spec.sshKeyName"),
    Row("spec.cloudLabels", "spec.additionalTags"),
    words("spec.api.loadBalancer.type", f"{_BALANCER}.scheme", {"Public": "internet-facing", "Internal": "internal"}),
    words("spec.api.loadBalancer.class", f"{_BALANCER}.loadBalancerType", {"Network": "nlb", "Classic": "classic"}),
    Row("spec.api.loadBalancer.crossZoneLoadBalancing", f"{_BALANCER}.crossZoneLoadBalancing"),
    Row("spec.api.loadBalancer.additionalSecurityGroups", f"{_BALANCER}.additionalSecurityGroups"),
)
MACHINE = (
    Row("spec.machineType", "instanceType", lambda text: str(text).partition(",")[0]),
    Row("spec.image", "ami.id", lambda text: text if str(text).startswith("ami-") else None),
    Row("spec.rootVolumeSize", "rootVolume.size"),
    Row("spec.rootVolumeType", "rootVolume.type"),
    Row("spec.rootVolumeIops", "rootVolume.iops"),
    Row("spec.rootVolumeThroughput", "rootVolume.throughput"),
    Row("spec.rootVolumeEncryption", "rootVolume.encrypted"),
    Row("spec.rootVolumeEncryptionKey", "rootVolume.encryptionKey"),
    items(
        "spec.volumes",
        "nonRootVolumes",
        [
            Row("device", "deviceName"),
            Row("size", "size"),
            Row("type", "type"),
            Row("iops", "iops"),
            Row("throughput", "throughput"),
            Row("encrypted", "encrypted"),
            Row("key", "encryptionKey"),
        ],
    ),
    named("spec.additionalSecurityGroups", "additionalSecurityGroups", "id"),
    Row("spec.cloudLabels", "additionalTags", lambda labels: labels, _users),
    Row(
        "spec.iam.profile",
        "iamInstanceProfile",
        lambda arn: names.last_segment(arn, "spec.iam.profile"),
        lambda _name: None,
    ),
    Row("spec.associatePublicIp", "publicIP"),
    Row("spec.maxPrice", "spotMarketOptions.maxPrice"),
    Row("spec.tenancy", "tenancy"),
    Row("spec.instanceMetadata.httpTokens", "instanceMetadataOptions.httpTokens"),
    Row("spec.instanceMetadata.httpPutResponseHopLimit", "instanceMetadataOptions.httpPutResponseHopLimit"),
)
_PROFILES = "cluster-api-provider-aws.sigs.k8s.io"


def _cluster_needs(cluster: Manifest) -> dict[str, Any]:
    zones = [each.get("zone") for each in get(cluster, "spec.subnets") or () if each.get("zone")]
    return {"region": AWS.region_of_zone(zones[0])} if zones else {}


def _machine_needs(cluster: Manifest, group: Manifest) -> dict[str, Any]:
    """The profile is that which clusterawsadm makes. Without the name of an SSH key, the provider takes another."""
    spec = group["spec"]
    is_control_plane = spec.get("role") == "Master"
    size = ROOT_SIZES_GB["ControlPlane" if is_control_plane else "Node"]
    return {
        "iamInstanceProfile": f"{'control-plane' if is_control_plane else 'nodes'}.{_PROFILES}",
        "sshKeyName": "",
        "rootVolume": {"size": size},
    }


def _found(tasks: Mapping[str, Task[Any]], cluster: str, spec: dict[str, Any]) -> None:
    """The provider places machines by the ids of the network and of subnets, which the cluster has made."""
    network = next((task.id for task in tasks.values() if isinstance(task, VPC)), None)
    if network:
        put(spec, "network.vpc.id", network)
    for subnet in get(spec, "network.subnets") or ():
        task = tasks.get(f"{Subnet.__name__}/{names.subnet(str(subnet.get('id')), cluster)}")
        if isinstance(task, Subnet) and task.id:
            subnet["id"] = task.id


def _template(tasks: Mapping[str, Task[Any]], cluster: str, group: InstanceGroup) -> Task[Any]:
    return tasks[f"{LaunchTemplate.__name__}/{names.autoscaling_group(group, cluster)}"]


def _made_from(template: LaunchTemplate, cluster: str, group: str) -> dict[str, Any]:
    """Bootstrap servers know an instance by its tags; the rest is what the cluster's own security groups allow.

    User data holds no secret, so the provider need not hide it.
    """
    profile, key = template.iam_instance_profile, template.ssh_key
    return {
        "ami": {"id": template.image_id},
        "iamInstanceProfile": profile.name if profile else "",
        "sshKeyName": key.name if key else "",
        "additionalTags": {name: tag for name, tag in (template.tags or {}).items() if name != "Name"},
        "additionalSecurityGroups": [
            {"filters": [{"name": "tag:Name", "values": [each.name]}]}
            for each in sorted(template.security_groups or (), key=lambda each: each.name)
            if not each.name.startswith("sg-")
        ],
        "publicIP": bool(template.associate_public_ip),
        "rootVolume": {"size": template.root_volume_size, "type": template.root_volume_type},
        "cloudInit": {"insecureSkipSecretsManager": True},
    }


INFRASTRUCTURE = Infrastructure(
    kind="AWS",
    version="v1beta2",
    cluster=CLUSTER,
    machine=MACHINE,
    placing=(Row("spec.sshKeyName", "sshKeyName"),),
    cluster_needs=_cluster_needs,
    machine_needs=_machine_needs,
    has_failure_domains=True,
    found=_found,
    template=_template,
    made_from=_made_from,
    user_data=lambda template: template.user_data,
)
