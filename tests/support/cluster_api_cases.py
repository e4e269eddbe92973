# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Specifications that are said as objects of Cluster API: of each cloud a base, and what others have besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_instance_profile import (
    IAMInstanceProfile,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.launch_template import LaunchTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_template import InstanceTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.service_account import ServiceAccount
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.subnet import Subnet as GoogleSubnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.security_group import (
    SecurityGroup as OpenStackSecurityGroup,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.server_group import ServerGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.server_template import ServerTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.subnet import Subnet as OpenStackSubnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.resource_pool import ResourcePool
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.vm_folder import VMFolder
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.vm_template import VMTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.export import Source

NAME = "demo.example.com"
_CLUSTER = {
    "kubernetesVersion": "1.34.1",
    "serviceClusterIPRange": "100.64.0.0/13",
    "podCIDR": "100.96.0.0/11",
}
_NODES = {"minSize": 2, "maxSize": 5}
_UUID = "9e0f0d2a-8f2b-4c7e-9a55-0d1c2b3a4f5e"

# Cloud -> spec of its Cluster, of all of its groups, and the zone.
_BASES: Mapping[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "aws": (
        {
            "networkCIDR": "172.20.0.0/16",
            "subnets": [
                {"name": "us-east-1a", "cidr": "172.20.32.0/19", "type": "Private", "zone": "us-east-1a"},
                {"name": "utility-us-east-1a", "cidr": "172.20.0.0/22", "type": "Utility", "zone": "us-east-1a"},
            ],
        },
        {"machineType": "t3.medium", "image": "ami-0123456789abcdef0", "subnets": ["us-east-1a"]},
        "us-east-1a",
    ),
    "gce": (
        {
            "project": "example",
            "subnets": [{"name": "us-test1", "cidr": "10.0.16.0/20", "region": "us-test1", "type": "Public"}],
        },
        {
            "machineType": "e2-medium",
            "image": "ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260101",
            "subnets": ["us-test1"],
            "zones": ["us-test1-a"],
        },
        "us-test1-a",
    ),
    "openstack": (
        {
            "networkCIDR": "10.0.0.0/16",
            "subnets": [{"name": "nova", "cidr": "10.0.0.0/20", "type": "Private", "zone": "nova"}],
            "cloudConfig": {"openstack": {"router": {"externalNetwork": "public", "dnsServers": "1.1.1.1,8.8.8.8"}}},
        },
        {"machineType": "m1.medium", "image": "ubuntu-24.04", "subnets": ["nova"]},
        "nova",
    ),
    "vsphere": (
        {
            "subnets": [{"name": "dc", "type": "Private", "zone": "dc"}],
            "cloudConfig": {
                "vsphere": {"server": "vc.example.com", "datacenter": "dc", "datastore": "fast", "network": "lan"}
            },
        },
        {"machineType": "4cpu-8gb", "image": "ubuntu-24.04", "subnets": ["dc"]},
        "dc",
    ),
}


@dataclass(frozen=True)
class Case:
    """A specification. cluster, group: what its Cluster and its group of workers have besides the base.

    lost: the fields of the group of workers that the objects of a cluster as it is do not say.
    """

    cloud: str
    title: str
    cluster: Mapping[str, Any]
    group: Mapping[str, Any]
    lost: Sequence[str] = ()

    @property
    def name(self) -> str:
        return f"{self.cloud}: {self.title}"

    def objects(self) -> tuple[Cluster, list[InstanceGroup]]:
        """The Cluster and the groups."""
        spec, of_groups, zone = _BASES[self.cloud]
        members = [{"name": "a", "instanceGroup": f"control-plane-{zone}"}]
        etcd = [{"name": name, "etcdMembers": members} for name in ("main", "events")]
        cluster = _object(
            "Cluster", NAME, {**_CLUSTER, **spec, "etcdClusters": etcd, "cloudProvider": self.cloud, **self.cluster}
        )
        control_plane = {"role": "Master", "minSize": 1, "maxSize": 1, **of_groups}
        return cluster, [
            _object("InstanceGroup", f"control-plane-{zone}", control_plane),
            _object("InstanceGroup", "nodes", {"role": "Node", **_NODES, **of_groups, **self.group}),
        ]

    def source(self) -> Source:
        """As it is exported."""
        cluster, groups = self.objects()
        return Source(cluster, groups, cluster, groups, "api.example.com")

    def made(self) -> Source:
        """As it is exported when it is there."""
        return replace(self.source(), tasks=tasks_of(self.cloud))


def _object(kind: str, name: str, spec: Mapping[str, Any]) -> Any:
    labels = {"labels": {"kops.k8s.io/cluster": NAME}} if kind == "InstanceGroup" else {}
    data = {
        "apiVersion": "kops.k8s.io/v1alpha2",
        "kind": kind,
        "metadata": {"name": name, **labels},
        "spec": dict(spec),
    }
    return manifest.from_data(data)


_SETTINGS = {"nodeLabels": {"team": "a"}, "taints": ["dedicated=gpu:NoSchedule"], "kubelet": {"maxPods": 80}}
CASES = (
    Case("aws", "the smallest", {}, {}),
    Case(
        "aws",
        "settings of nodes",
        {},
        {**_SETTINGS, "sysctlParameters": ["vm.swappiness=1"], "packages": ["nfs-common"]},
    ),
    Case(
        "aws",
        "disks",
        {},
        {
            "rootVolumeSize": 50,
            "rootVolumeType": "gp3",
            "rootVolumeIops": 4000,
            "rootVolumeThroughput": 200,
            "rootVolumeEncryption": True,
            "rootVolumeEncryptionKey": "arn:aws:kms:us-east-1:123456789012:key/1",
            "rootVolumeOptimization": True,
            "volumes": [
                {"device": "/dev/xvdd", "size": 20, "type": "gp3", "encrypted": True, "deleteOnTermination": False}
            ],
        },
        ("spec.rootVolumeOptimization", "spec.volumes[0].deleteOnTermination"),
    ),
    Case(
        "aws",
        "spot instances",
        {},
        {"maxPrice": "0.1", "tenancy": "dedicated", "spotDurationInMinutes": 60},
        ("spec.spotDurationInMinutes",),
    ),
    Case(
        "aws",
        "what autoscaling groups can",
        {},
        {
            "suspendProcesses": ["AZRebalance"],
            "instanceProtection": True,
            "mixedInstancesPolicy": {"instances": ["t3.medium", "t3a.medium"], "onDemandBase": 1},
            "warmPool": {"minSize": 1},
        },
        (
            "spec.instanceProtection",
            "spec.mixedInstancesPolicy.instances",
            "spec.mixedInstancesPolicy.onDemandBase",
            "spec.suspendProcesses",
            "spec.warmPool.minSize",
        ),
    ),
    Case(
        "aws",
        "addresses and security groups",
        {},
        {
            "associatePublicIp": True,
            "additionalSecurityGroups": ["sg-1", "sg-2"],
            "instanceMetadata": {"httpTokens": "required", "httpPutResponseHopLimit": 2},
            "cloudLabels": {"owner": "team-a"},
        },
    ),
    Case(
        "aws",
        "a network that is there",
        {
            "networkID": "vpc-1",
            "subnets": [
                {
                    "name": "us-east-1a",
                    "id": "subnet-1",
                    "cidr": "172.20.32.0/19",
                    "type": "Private",
                    "zone": "us-east-1a",
                }
            ],
        },
        {},
    ),
    Case(
        "aws",
        "its control plane",
        {
            "kubeAPIServer": {
                "maxRequestsInflight": 800,
                "featureGates": {"A": "true"},
                "oidcClientID": "id",
                "auditLogMaxAge": 3,
            },
            "kubeControllerManager": {"horizontalPodAutoscalerSyncPeriod": "30s", "concurrentDeploymentSyncs": 9},
            "kubeScheduler": {"logLevel": 4, "featureGates": {"B": "false"}},
            "additionalSans": ["api.example.org"],
            "sshKeyName": "admin",
            "cloudLabels": {"owner": "team-a"},
            "nodePortAccess": ["192.0.2.0/24"],
            "api": {"loadBalancer": {"type": "Public", "class": "Network", "crossZoneLoadBalancing": True}},
        },
        {},
    ),
    Case(
        "aws",
        "rolling updates",
        {},
        {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": "25%", "drainAndTerminate": False}},
        ("spec.rollingUpdate.drainAndTerminate",),
    ),
    Case("gce", "the smallest", {}, {}),
    Case("gce", "settings of nodes", {}, _SETTINGS),
    Case(
        "gce",
        "spot instances with GPUs",
        {},
        {
            "gcpProvisioningModel": "SPOT",
            "guestAccelerators": [{"acceleratorCount": 1, "acceleratorType": "nvidia-tesla-t4"}],
        },
    ),
    Case(
        "gce",
        "disks",
        {},
        {"rootVolumeSize": 40, "rootVolumeType": "pd-ssd", "rootVolumeIops": 3000},
        ("spec.rootVolumeIops",),
    ),
    Case("gce", "two zones", {}, {"zones": ["us-test1-a", "us-test1-b"]}, ("spec.zones",)),
    Case(
        "gce",
        "labels",
        {"cloudLabels": {"owner": "team-a"}},
        {"cloudLabels": {"tier": "web"}, "associatePublicIp": False},
    ),
    Case("openstack", "the smallest", {}, {}),
    Case("openstack", "settings of nodes", {}, _SETTINGS),
    Case(
        "openstack",
        "an image by its id, and a security group",
        {},
        {"image": _UUID, "additionalSecurityGroups": ["web", _UUID]},
    ),
    Case(
        "openstack",
        "a network that is there",
        {"networkID": _UUID, "subnets": [{"name": "nova", "id": _UUID, "type": "Private", "zone": "nova"}]},
        {},
    ),
    Case(
        "openstack",
        "a load balancer",
        {"cloudConfig": {"openstack": {"loadbalancer": {"provider": "ovn", "floatingNetwork": "public"}}}},
        {},
    ),
    Case("vsphere", "the smallest", {}, {}, ("spec.subnets",)),
    Case("vsphere", "settings of nodes", {}, _SETTINGS, ("spec.subnets",)),
    Case("vsphere", "a disk", {}, {"rootVolumeSize": 40}, ("spec.subnets",)),
    Case(
        "vsphere",
        "places",
        {
            "cloudConfig": {
                "vsphere": {"resourcePool": "blue", "folder": "k8s", "thumbprint": "AB:CD", "etcdDatastore": "safe"}
            }
        },
        {},
        ("spec.subnets",),
    ),
)


def tasks_of(cloud: str) -> dict[str, Task[Any]]:
    """What the group of workers of a case is made from, as far as a cloud's objects say it; with its user data."""
    task = _TEMPLATES[cloud]()
    return {task.key: task}


def _launch_template() -> LaunchTemplate:
    return LaunchTemplate(
        f"nodes.{NAME}",
        associate_public_ip=False,
        iam_instance_profile=IAMInstanceProfile(f"nodes.{NAME}"),
        image_id="ami-0123456789abcdef0",
        root_volume_size=128,
        root_volume_type="gp3",
        security_groups=[SecurityGroup(f"nodes.{NAME}"), SecurityGroup("sg-1")],
        ssh_key=SSHKey("admin"),
        tags={"Name": f"nodes.{NAME}", "kops.k8s.io/instancegroup": "nodes", "KubernetesCluster": NAME},
        user_data=BOOT,
    )


def _instance_template() -> InstanceTemplate:
    return InstanceTemplate(
        "nodes-demo-example-com",
        boot_disk_size_gb=128,
        boot_disk_type="pd-standard",
        can_ip_forward=True,
        has_external_ip=False,
        labels={"k8s-io-role-node": "node"},
        metadata={"kops-k8s-io-instance-group-name": "nodes", "cluster-name": NAME, "user-data": BOOT},
        scopes=["https://www.googleapis.com/auth/compute"],
        service_accounts=[ServiceAccount("node", email="node@example.iam.gserviceaccount.com")],
        subnet=GoogleSubnet("us-test1-demo-example-com"),
        tags=["demo-example-com-k8s-io-role-node"],
    )


def _server_template() -> ServerTemplate:
    return ServerTemplate(
        "nodes",
        key_name="admin",
        metadata={"KopsInstanceGroup": "nodes", "KopsRole": "Node", "k8s": NAME},
        network=Network(NAME),
        security_groups=[OpenStackSecurityGroup(f"nodes.{NAME}")],
        server_group=ServerGroup(f"{NAME}-nodes"),
        subnets=[OpenStackSubnet(f"nova.{NAME}")],
        user_data=BOOT,
    )


def _vm_template() -> VMTemplate:
    return VMTemplate(
        "nodes",
        folder=VMFolder(NAME),
        pool=ResourcePool(NAME),
        root_disk=128,
        settings={"kubeops.role": "Node"},
        user_data=BOOT,
    )


BOOT = "#!/bin/bash\n"
_TEMPLATES: Mapping[str, Callable[[], Task[Any]]] = {
    "aws": _launch_template,
    "gce": _instance_template,
    "openstack": _server_template,
    "vsphere": _vm_template,
}
