# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of specifications that are accepted and stored, but change nothing, and why.

tests/unit/plugins/module_utils/api/test_without_effect.py sets every field and compares what comes out: a field that is
not here must have an effect, and one that is here must have none. A field that begins to work leaves the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .cloud import Cloud
from .clouds import AWS, GCE, METAL
from .cluster import Cluster
from .instance_group import InstanceGroup

# The clouds whose clusters can be made.
WORKING = (AWS, GCE, METAL)

ETCD_MANAGER = "etcd runs without etcd-manager"
ROLLING = "rolling updates do not reach instances of this cloud yet"
SPARE = "an inventory has no spare hosts"
KEYS = "the cluster's own keys and certificates are used, as in kops"
GONE = "it has no effect in kops either"
OF_CLUSTER = "only the field of the cluster counts, as in kops"
OF_GROUP = "only the field of an instance group counts, as in kops"
HOSTS = "it is about machines that an autoscaling group starts"
CLOUD = "it means nothing in this cloud"


@dataclass(frozen=True)
class Row:
    """Fields of a kind. paths: of the hub; what is below them is meant, too. clouds: where they have no effect."""

    kind: type
    reason: str
    paths: Sequence[str]
    clouds: tuple[Cloud, ...] = WORKING


def _paths(text: str) -> list[str]:
    return text.split()


ROWS = (
    Row(
        Cluster,
        ETCD_MANAGER,
        _paths(
            """
            spec.etcdClusters[].backups.image
            spec.etcdClusters[].manager.discoveryPollInterval spec.etcdClusters[].manager.image
            spec.etcdClusters[].manager.logLevel spec.etcdClusters[].provider spec.useHostCertificates
            """
        ),
    ),
    Row(
        Cluster,
        ROLLING,
        _paths(
            """
            spec.rollingUpdate.drainAndTerminate spec.rollingUpdate.maxSurge spec.rollingUpdate.maxUnavailable
            """
        ),
        clouds=(GCE,),
    ),
    Row(
        Cluster,
        SPARE,
        _paths(
            """
            spec.rollingUpdate.maxSurge
            """
        ),
        clouds=(METAL,),
    ),
    Row(
        InstanceGroup,
        ROLLING,
        _paths(
            """
            spec.rollingUpdate.drainAndTerminate spec.rollingUpdate.maxSurge spec.rollingUpdate.maxUnavailable
            """
        ),
        clouds=(GCE,),
    ),
    Row(
        InstanceGroup,
        SPARE,
        _paths(
            """
            spec.rollingUpdate.maxSurge
            """
        ),
        clouds=(METAL,),
    ),
    Row(
        Cluster,
        KEYS,
        _paths(
            """
            spec.controlPlaneKubelet.clientCAFile spec.controlPlaneKubelet.tlsCertFile
            spec.controlPlaneKubelet.tlsPrivateKeyFile spec.kubeAPIServer.etcdCAFile spec.kubeAPIServer.etcdCertFile
            spec.kubeAPIServer.etcdKeyFile spec.kubeAPIServer.kubeletClientCertificate
            spec.kubeAPIServer.kubeletClientKey spec.kubeAPIServer.proxyClientCertFile
            spec.kubeAPIServer.proxyClientKeyFile spec.kubeAPIServer.requestheaderClientCAFile
            spec.kubeAPIServer.tlsCertFile spec.kubeAPIServer.tlsPrivateKeyFile spec.kubeControllerManager.rootCAFile
            spec.kubeControllerManager.serviceAccountPrivateKeyFile spec.kubelet.clientCAFile spec.kubelet.tlsCertFile
            spec.kubelet.tlsPrivateKeyFile
            """
        ),
    ),
    Row(
        InstanceGroup,
        KEYS,
        _paths(
            """
            spec.kubelet.clientCAFile spec.kubelet.tlsCertFile spec.kubelet.tlsPrivateKeyFile
            """
        ),
    ),
    Row(
        Cluster,
        GONE,
        _paths(
            """
            spec.cloudProvider.aws.spotinstOrientation spec.cloudProvider.aws.spotinstProduct
            """
        ),
        clouds=(AWS,),
    ),
    Row(
        Cluster,
        GONE,
        _paths(
            """
            spec.certManager.image spec.controlPlaneKubelet.podInfraContainerImage spec.dnsControllerGossipConfig
            spec.externalDNS.priorityClassName spec.gossipConfig spec.karpenter.logFormat
            spec.kubeAPIServer.disableBasicAuth spec.kubeScheduler.usePolicyConfigMap
            spec.kubelet.podInfraContainerImage spec.networking.calico.crossSubnet spec.networking.canal
            spec.networking.cilium.bpfCTGlobalAnyMax spec.networking.cilium.bpfCTGlobalTCPMax
            spec.networking.cilium.bpfLBAlgorithm spec.networking.cilium.bpfLBMaglevTableSize
            spec.networking.cilium.bpfLBMapMax spec.networking.cilium.bpfNATGlobalMax
            spec.networking.cilium.bpfNeighGlobalMax spec.networking.cilium.bpfPolicyMapMax
            spec.networking.cilium.disableCNPStatusUpdates spec.networking.cilium.enableHostReachableServices
            spec.networking.cilium.enablePolicy spec.networking.cilium.enableRemoteNodeIdentity
            spec.networking.cilium.enableUnreachableRoutes spec.networking.cilium.installIptablesRules
            spec.networking.cilium.sidecarIstioProxyImage spec.networking.cilium.toFQDNsEnablePoller
            spec.networking.lyftvpc spec.networking.romana spec.networking.weave spec.nodeAuthorization
            """
        ),
    ),
    Row(
        InstanceGroup,
        GONE,
        _paths(
            """
            spec.containerd.nvidiaGPU.image spec.kubelet.podInfraContainerImage
            """
        ),
    ),
    Row(
        InstanceGroup,
        OF_CLUSTER,
        _paths(
            """
            spec.containerd.installCriCtl spec.containerd.installNerdCtl spec.containerd.nvidiaGPU.dcgmExporter
            spec.containerd.packages spec.containerd.runc
            """
        ),
    ),
    Row(
        Cluster,
        OF_GROUP,
        _paths(
            """
            spec.containerd.gvisor
            """
        ),
    ),
    Row(
        InstanceGroup,
        HOSTS,
        _paths(
            """
            spec.additionalUserData[] spec.associatePublicIP spec.cloudLabels spec.compressUserData spec.machineType
            spec.rootVolume.iops spec.rootVolume.size spec.rootVolume.throughput spec.rootVolume.type spec.zones
            """
        ),
        clouds=(METAL,),
    ),
    Row(
        Cluster,
        OF_GROUP,
        _paths(
            """
            spec.cloudProvider.aws.warmPool.additionalImages
            """
        ),
        clouds=(AWS,),
    ),
    Row(
        Cluster,
        CLOUD,
        _paths(
            """
            spec.cloudControllerManager.azureNodeManagerImage
            """
        ),
    ),
    Row(
        Cluster,
        CLOUD,
        _paths(
            """
            spec.additionalPolicies spec.api.loadBalancer.accessLog spec.api.loadBalancer.additionalSecurityGroups
            spec.api.loadBalancer.crossZoneLoadBalancing spec.api.loadBalancer.securityGroupOverride
            spec.api.loadBalancer.sslCertificate spec.api.loadBalancer.sslPolicy spec.api.loadBalancer.subnets[]
            spec.certManager.hostedZoneIDs spec.clusterAutoscaler.awsUseStaticInstanceList
            spec.containerd.useECRCredentialsForMirrors spec.etcdClusters[].etcdMembers[].encryptedVolume
            spec.etcdClusters[].etcdMembers[].kmsKeyID spec.externalPolicies spec.iam.permissionsBoundary
            spec.iam.serviceAccountExternalPermissions[] spec.networking.calico.awsSrcDstCheck
            spec.networking.subnets[].additionalRoutes[] spec.networking.subnets[].ipv6CIDR
            spec.networking.subnets[].publicIP spec.networking.tagSubnets
            spec.serviceAccountIssuerDiscovery.additionalAudiences
            spec.serviceAccountIssuerDiscovery.enableAWSOIDCProvider spec.sshKeyName
            """
        ),
        clouds=(GCE, METAL),
    ),
    Row(
        Cluster,
        CLOUD,
        _paths(
            """
            spec.api.loadBalancer.useForInternalAPI spec.cloudConfig.manageStorageClasses
            spec.cloudControllerManager.allocateNodeCIDRs spec.cloudControllerManager.allowUntaggedCloud
            spec.cloudControllerManager.cidrAllocatorType spec.cloudControllerManager.cloudProvider
            spec.cloudControllerManager.clusterCIDR spec.cloudControllerManager.clusterName
            spec.cloudControllerManager.concurrentNodeSyncs spec.cloudControllerManager.configureCloudRoutes
            spec.cloudControllerManager.controllers spec.cloudControllerManager.cpuRequest
            spec.cloudControllerManager.enableLeaderMigration spec.cloudControllerManager.image
            spec.cloudControllerManager.leaderElection spec.cloudControllerManager.logLevel
            spec.cloudControllerManager.master spec.cloudControllerManager.nodeStatusUpdateFrequency
            spec.cloudControllerManager.useServiceAccountCredentials spec.cloudLabels spec.configStore.secrets
            spec.dnsZone
            spec.etcdClusters[].etcdMembers[].volumeIOPS spec.etcdClusters[].etcdMembers[].volumeSize
            spec.etcdClusters[].etcdMembers[].volumeThroughput spec.etcdClusters[].etcdMembers[].volumeType
            spec.externalDNS.provider spec.externalDNS.watchIngress spec.externalDNS.watchNamespace spec.networking.cni
            spec.networking.networkID spec.networking.subnets[].cidr spec.networking.subnets[].egress
            spec.networking.subnets[].id spec.nodePortAccess spec.target
            """
        ),
        clouds=(METAL,),
    ),
    Row(
        InstanceGroup,
        CLOUD,
        _paths(
            """
            spec.gcpProvisioningModel spec.guestAccelerators[]
            """
        ),
        clouds=(AWS, METAL),
    ),
    Row(
        InstanceGroup,
        CLOUD,
        _paths(
            """
            spec.additionalSecurityGroups spec.capacityRebalance spec.containerd.useECRCredentialsForMirrors
            spec.cpuCredits spec.detailedInstanceMonitoring spec.externalLoadBalancers[] spec.iam
            spec.instanceInterruptionBehavior spec.instanceMetadata spec.instanceProtection spec.manager
            spec.maxInstanceLifetime spec.maxPrice spec.mixedInstancesPolicy spec.rootVolume.encryption
            spec.rootVolume.encryptionKey spec.rootVolume.optimization spec.securityGroupOverride
            spec.spotDurationInMinutes spec.suspendProcesses spec.tenancy spec.volumes[]
            spec.warmPool.additionalImages spec.warmPool.enableLifecycleHook spec.warmPool.lifecycleHookTimeout
            spec.warmPool.maxSize spec.warmPool.minSize
            """
        ),
        clouds=(GCE, METAL),
    ),
)
