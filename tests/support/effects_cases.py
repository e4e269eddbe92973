# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small cluster of every cloud to set each field of the specification in, and what fields need for a meaning."""

from __future__ import annotations

import re
from typing import Any

from .effects import Laboratory

_CLUSTER = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: demo.example.com
  labels: {{{labels}}}
spec:
  kubernetesVersion: 1.34.2
  networking: {{flannel: {{}}}}
  nonMasqueradeCIDR: 100.64.0.0/10
  authorization: {{rbac: {{}}}}
  iam: {{}}
  clusterAutoscaler: {{enabled: true, expander: priority}}
  etcdClusters:
  - {{name: main, etcdMembers: [{{name: a, instanceGroup: control-plane}}]}}
  - {{name: events, etcdMembers: [{{name: a, instanceGroup: control-plane}}]}}
{spec}
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata: {{name: control-plane, labels: {{kops.k8s.io/cluster: demo.example.com}}}}
spec: {{role: Master, minSize: 1, maxSize: 1, {group}}}
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata: {{name: nodes, labels: {{kops.k8s.io/cluster: demo.example.com}}}}
spec: {{role: Node, minSize: 2, maxSize: 2, {group}}}
"""
_AWS = """
  configBase: s3://store/demo.example.com
  cloudProvider: aws
  networkCIDR: 172.20.0.0/16
  sshAccess: [10.0.0.0/8]
  kubernetesApiAccess: [10.0.0.0/8]
  api: {loadBalancer: {type: Public, class: Network}}
  topology: {dns: {type: Public}}
  subnets:
  - {name: a, type: Private, zone: us-test-1a, cidr: 172.20.32.0/19}
  - {name: utility-a, type: Utility, zone: us-test-1a, cidr: 172.20.0.0/22}
"""
_GCE = """
  configBase: gs://store/demo.example.com
  cloudProvider: gce
  project: project
  sshAccess: [10.0.0.0/8]
  kubernetesApiAccess: [10.0.0.0/8]
  api: {loadBalancer: {type: Public}}
  topology: {dns: {type: Public}}
  subnets:
  - {name: a, type: Private, region: us-test1, cidr: 10.0.16.0/20}
"""
_METAL = """
  configBase: file:///srv/kops/demo.example.com
  api: {}
  topology: {dns: {type: None}}
  subnets:
  - {name: a, type: Public, zone: a}
"""
_KUBELET = {
    "evictionHard": ["memory.available<50Mi"],
    "evictionSoft": ["memory.available<50Mi"],
    "evictionSoftGracePeriod": ["memory.available=1m"],
    "evictionMinimumReclaim": ["memory.available=1Mi"],
    "taints": [["a=b:NoSchedule"]],
    "featureGates": [{"A": "true"}],
}
_VALUES: dict[str, Any] = {
    "spec.addons[].manifest": ["https://example.com/addons.yaml"],
    **{
        f"spec.{kubelet}.{key}": value
        for kubelet in ("kubelet", "controlPlaneKubelet")
        for key, value in _KUBELET.items()
    },
    "spec.additionalPolicies": [{"node": '[{"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["*"]}]'}],
    "spec.externalPolicies": [{"node": ["arn:aws:iam::123456789012:policy/p"]}],
    "spec.etcdClusters[].manager.env[].name": ["ETCD_B"],
    "spec.etcdClusters[].version": ["3.5.21"],
    **{
        f"spec.{of}{key}": [value]
        for of, iops, throughput in (
            ("etcdClusters[].etcdMembers[].", "volumeIOPS", "volumeThroughput"),
            ("rootVolume.", "iops", "throughput"),
        )
        for key, value in ((iops, 5000), (throughput, 500))
    },
    "spec.fileAssets[].roles": [["Bastion"]],
    "spec.hooks[].roles": [["Bastion"]],
    "spec.networking.topology.dns": ["None", "Private"],
    "spec.updatePolicy": ["external"],
    "spec.rollingUpdate.maxUnavailable": [3],
    "spec.sysctlParameters": [["vm.swappiness=1"]],
    "spec.taints": [["a=b:NoSchedule"]],
    "spec.volumeMounts[].device": ["/dev/xvde"],
    "spec.volumeMounts[].filesystem": ["xfs"],
    "spec.volumeMounts[].path": ["/b"],
    "spec.role": ["Bastion"],
    "spec.iam.profile": ["arn:aws:iam::123456789012:instance-profile/p"],
    "spec.api.loadBalancer.class": ["Classic", "Network"],
}
_GIVEN = {
    "spec.hooks[]": {"name": "hook", "manifest": "Type=oneshot\n"},
    "spec.fileAssets[]": {"name": "file", "content": "YQ=="},
    "spec.etcdClusters[].manager.env[]": {"name": "ETCD_A", "value": "1"},
    "spec.networking.egressProxy": {"httpProxy": {"host": "proxy"}},
    "spec.containerd.packages": dict.fromkeys(("urlAmd64", "urlArm64"), "https://a/b.tar.gz")
    | dict.fromkeys(("hashAmd64", "hashArm64"), "0" * 64),
    "spec.containerd.runc.packages": dict.fromkeys(("urlAmd64", "urlArm64"), "https://a/b")
    | dict.fromkeys(("hashAmd64", "hashArm64"), "0" * 64),
    "spec.volumeMounts[]": {"device": "/dev/xvdd", "filesystem": "ext4", "path": "/a"},
    "spec.volumes[]": {"device": "/dev/sdb", "size": 10},
    "spec.guestAccelerators[]": {"acceleratorType": "nvidia", "acceleratorCount": 1},
    "spec.iam.serviceAccountExternalPermissions[]": {"name": "n", "namespace": "s", "aws": {"policyARNs": ["arn:a"]}},
    "spec.networking.subnets[].additionalRoutes[]": {"cidr": "10.9.0.0/16", "target": "pcx-12345678"},
    "spec.serviceAccountIssuerDiscovery.discoveryService": {"url": "https://discovery.example.com"},
    "spec.api.loadBalancer.subnets[]": {"name": "utility-a"},
}
_BESIDE: dict[str, dict[str, Any]] = {
    "spec.etcdClusters[].etcdMembers[].volumeIOPS": {"spec.etcdClusters[].etcdMembers[].volumeType": "io1"},
    "spec.etcdClusters[].etcdMembers[].volumeThroughput": {"spec.etcdClusters[].etcdMembers[].volumeType": "gp3"},
    "spec.api.loadBalancer.sslPolicy": {
        "spec.api.loadBalancer.sslCertificate": "arn:aws:acm:us-test-1:1:certificate/1"
    },
    "spec.networking.networkCIDR": {"spec.networking.egressProxy.httpProxy.host": "proxy"},
    "spec.networking.additionalNetworkCIDRs": {"spec.networking.egressProxy.httpProxy.host": "proxy"},
    "spec.networking.calico.vxlanMode": {"spec.networking.calico.encapsulationMode": "vxlan"},
    **{
        f"spec.networking.calico.typhaPrometheusMetrics{key}": {
            "spec.networking.calico.typhaReplicas": 1,
            "spec.networking.calico.typhaPrometheusMetricsEnabled": key != "Enabled",
        }
        for key in ("Enabled", "Port")
    },
    "spec.kubeScheduler.tlsPrivateKeyFile": {"spec.kubeScheduler.tlsCertFile": "/a"},
    "spec.kubeControllerManager.tlsPrivateKeyFile": {"spec.kubeControllerManager.tlsCertFile": "/a"},
    **{
        f"spec.networking.cilium.{field}": {f"spec.networking.cilium.{switch}": True}
        for field, switch in (
            ("agentPrometheusPort", "enablePrometheusMetrics"),
            ("metrics", "enablePrometheusMetrics"),
            ("encryptionType", "enableEncryption"),
            ("nodeEncryption", "enableEncryption"),
            ("hubble.metrics", "hubble.enabled"),
            ("gatewayAPI.enableSecretsSync", "gatewayAPI.enabled"),
            ("ingress.enforceHttps", "ingress.enabled"),
            ("ingress.enableSecretsSync", "ingress.enabled"),
            ("ingress.loadBalancerAnnotationPrefixes", "ingress.enabled"),
            ("ingress.defaultLoadBalancerMode", "ingress.enabled"),
            ("ingress.sharedLoadBalancerServiceName", "ingress.enabled"),
        )
    },
    **{
        f"spec.cloudProvider.aws.nodeTerminationHandler.enable{field}": {
            "spec.cloudProvider.aws.nodeTerminationHandler.enableSQSTerminationDraining": False
        }
        for field in ("SpotInterruptionDraining", "ScheduledEventDraining", "RebalanceMonitoring")
    },
    **{
        f"spec.kubeDNS.{field}": {"spec.kubeDNS.provider": "KubeDNS"}
        for field in ("cacheMaxSize", "cacheMaxConcurrent", "stubDomains")
    },
    **{
        f"spec.externalDNS.{field}": {"spec.externalDNS.provider": "external-dns"}
        for field in ("watchIngress", "watchNamespace")
    },
    **{
        f"spec.authentication.aws.identityMappings[].{field}": {"spec.authentication.aws.backendMode": "CRD"}
        for field in ("arn", "username", "groups")
    },
    "spec.autoscalePriority": {"spec.autoscale": True},
    "spec.rootVolume.iops": {"spec.rootVolume.type": "io1"},
    "spec.rootVolume.throughput": {"spec.rootVolume.type": "gp3"},
    "spec.rootVolume.encryptionKey": {"spec.rootVolume.encryption": True},
    "spec.containerd.useECRCredentialsForMirrors": {"spec.containerd.registryMirrors": {"a": ["https://b"]}},
    "spec.serviceAccountIssuerDiscovery.additionalAudiences": {
        "spec.serviceAccountIssuerDiscovery.enableAWSOIDCProvider": True
    },
}
_AWS_GROUP = "subnets: [a], machineType: m3.medium, image: ami-12345678"
_GCE_GROUP = "subnets: [a], zones: [us-test1-a], machineType: n1-standard-1, image: cos-cloud/cos-1"


def _laboratory(spec: str, group: str, labels: str = "", **beside: Any) -> Laboratory:
    return Laboratory(_CLUSTER.format(spec=spec, group=group, labels=labels), _GIVEN, {**_BESIDE, **beside}, _VALUES)


LABORATORIES = {
    "aws": _laboratory(
        _AWS,
        _AWS_GROUP,
        **{
            "spec.associatePublicIP": {"spec.subnets": ["utility-a"]},
            # Nodes with addresses of IPv4 alone always say theirs.
            "spec.networking.cni.usesSecondaryIP": {"spec.cloudProvider.aws.nodeIPFamilies": ["ipv4", "ipv6"]},
        },
    ),
    "gce": _laboratory(_GCE, _GCE_GROUP),
    "metal": _laboratory(_METAL, "subnets: [a]", "alpha.kops.k8s.io/cloud: metal"),
}

# Fields of components that are the same in all clouds: they are tried in one of them.
SHARED = re.compile(
    r"spec\.(addons|kubelet|controlPlaneKubelet|kubeAPIServer|kubeControllerManager|kubeProxy|kubeScheduler"
    r"|fileAssets|hooks|packages|sysctlParameters)\b"
)
# What create_cluster writes into every cluster, as kops does, also where it has no effect: not worth a warning.
WRITTEN = {
    "metal": ("spec.api.access", "spec.api.loadBalancer.type", "spec.image", "spec.sshAccess"),
}
# Fields that no output of a model shows: path -> which module below module_utils/ reads it, and as what.
ELSEWHERE = {
    "spec.channel": ("operations/versions/upgrade.py", "channel"),
    "spec.iam.legacy": ("api/validation/iam.py", "legacy"),
    "spec.api.loadBalancer.class": ("api/validation/load_balancer.py", "class_"),
    # kops writes it into every cluster.
    "spec.iam.allowContainerRegistry": ("model/aws/iam/instance_roles.py", "allow_container_registry"),
    "spec.minSize": ("model/aws/autoscaling_group.py", "min_size"),
    "spec.maxSize": ("model/aws/autoscaling_group.py", "max_size"),
    "spec.subnets": ("api/validation/instance_group/in_cluster.py", "subnets"),
    "spec.etcdClusters[].etcdMembers[].name": ("operations/metal/etcd_members.py", "name"),
    "spec.etcdClusters[].manager.backupInterval": ("api/etcd_schedule.py", "backup_interval"),
    "spec.etcdClusters[].manager.backupRetentionDays": ("api/etcd_schedule.py", "backup_retention_days"),
    **{
        f"spec.networking.subnets[].{key}": ("api/validation/subnets.py", key)
        for key in ("name", "type", "zone", "region")
    },
    # These need machines of another kind: with GPUs, with another architecture, bastions.
    "spec.containerd.nvidiaGPU.enabled": ("model/node/context.py", "nvidia_gpu"),
    "spec.containerd.nvidiaGPU.package": ("model/node/system/packages.py", "package"),
    **{
        f"spec.containerd.{of}packages.{key}Arm64": ("model/node/files/assets.py", "packages")
        for of in ("", "runc.")
        for key in ("url", "hash")
    },
    "spec.networking.topology.bastion.publicName": ("model/aws/bastion.py", "public_name"),
    "spec.networking.topology.bastion.loadBalancer.type": ("model/aws/bastion.py", "type"),
    "spec.networking.topology.bastion.loadBalancer.additionalSecurityGroups": (
        "model/aws/bastion.py",
        "additional_security_groups",
    ),
}
