# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes, Kubernetes and AWS would refuse is refused when it is stored, and when it is updated."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.entry import deep_validate
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.refused import refused
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    load_files,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath

STORE = "memfs://store"

CLUSTER = "apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nmetadata: {name: demo.example.com}\nspec:"
SPEC = {
    "cloudProvider": "aws",
    "kubernetesVersion": "1.34.1",
    "networkCIDR": "10.20.0.0/16",
    "nonMasqueradeCIDR": "100.64.0.0/10",
    "networking": {"cilium": {}},
    "api": {"loadBalancer": {"type": "Public", "class": "Network"}},
    "topology": {"dns": {"type": "None"}},
    "iam": {"allowContainerRegistry": True},
    "etcdClusters": [
        {"name": name, "etcdMembers": [{"name": "a", "instanceGroup": "cp"}]} for name in ("main", "events")
    ],
    "subnets": [{"name": "a", "type": "Public", "zone": "us-east-1a", "cidr": "10.20.0.0/19"}],
}
MACHINES = {"machineType": "t3.medium", "minSize": 1, "maxSize": 1, "subnets": ["a"], "image": "ami-1"}
GROUPS = {"cp": {"role": "Master", **MACHINES}, "nodes": {"role": "Node", **MACHINES}}


def hook(**change: Any) -> dict[str, Any]:
    return {"hooks": [{"name": "x.service", "manifest": "Type=oneshot\nExecStart=/bin/true\n", **change}]}


def asset(**change: Any) -> dict[str, Any]:
    return {"fileAssets": [{"name": "x", "path": "/etc/x", "content": "x", **change}]}


def twice(first: str, second: str, **change: Any) -> dict[str, Any]:
    files = [{"name": str(number), "path": path, "content": "x"} for number, path in enumerate((first, second))]
    return {"fileAssets": [files[0], {**files[1], **change}]}


def mount(**change: Any) -> dict[str, Any]:
    return {"volumeMounts": [{"device": "/dev/xvdd", "filesystem": "ext4", "path": "/data", **change}]}


def volume(**change: Any) -> dict[str, Any]:
    return {"volumes": [{"device": "/dev/xvdd", "size": 20, **change}]}


def cloud_config(text: str) -> dict[str, Any]:
    return {"name": "p", "type": "text/cloud-config", "content": text}


def mixed(**fields: Any) -> dict[str, Any]:
    return {"mixedInstancesPolicy": {"instances": ["t3.medium", "t3a.medium"], **fields}}


def api_server(**fields: Any) -> dict[str, Any]:
    return {"kubeAPIServer": fields}


def balancer(**fields: Any) -> dict[str, Any]:
    return {"api": {"loadBalancer": {"type": "Public", "class": "Network", **fields}}}


def etcd(member: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    members = [{"name": "a", "instanceGroup": "cp", **(member or {})}]
    return {"etcdClusters": [{"name": name, "etcdMembers": members, **fields} for name in ("main", "events")]}


def with_dns(**fields: Any) -> dict[str, Any]:
    return {"topology": {"dns": {"type": "Public"}}, **fields}


def kubelet(**fields: Any) -> dict[str, Any]:
    return {"kubelet": fields}


def node_ranges(size: int) -> dict[str, Any]:
    return {"kubeControllerManager": {"nodeCIDRMaskSize": size}}


def other_region() -> dict[str, Any]:
    other = {"name": "b", "type": "Public", "zone": "us-west-2b", "cidr": "10.20.32.0/19"}
    return {"subnets": [*SPEC["subnets"], other]}


LARGE = json.dumps([{"Effect": "Allow", "Action": "s3:*", "Resource": ["arn:aws:s3:::" + "b" * 60] * 150}])
# Fields of the spec of the group of workers, and what is refused of them: path, and words of the message.
OF_GROUPS: list[tuple[dict[str, Any], str, str]] = [
    (asset(path="relative/b"), "spec.fileAssets[0].path", "must be an absolute path"),
    (asset(path="/etc/../etc/f"), "spec.fileAssets[0].path", "must be an absolute path"),
    (asset(path="/etc/x/"), "spec.fileAssets[0].path", "is a directory"),
    (asset(path="/"), "spec.fileAssets[0].path", "is a directory"),
    (asset(mode="644x"), "spec.fileAssets[0].mode", "must be octal digits"),
    (asset(mode="7777777"), "spec.fileAssets[0].mode", "must be octal digits"),
    (asset(content="p4ss wörd", isBase64=True), "spec.fileAssets[0].content", "is not text in base64"),
    (twice("/etc/d", "/etc/d"), "spec.fileAssets[1].path", "another file asset"),
    (twice("/etc/d", "/etc/d/e"), "spec.fileAssets[0]", "duplicate"),
    (hook(name="../../etc/cron.d/x"), "spec.hooks[0].name", "is not the name of a unit"),
    (hook(name="a b;c.service"), "spec.hooks[0].name", "is not the name of a unit"),
    (hook(name="x" * 250), "spec.hooks[0].name", "is not the name of a unit"),
    (hook(before=["kubelet"]), "spec.hooks[0].before[0]", "names of units"),
    (hook(requires=["a;b.service"]), "spec.hooks[0].requires[0]", "names of units"),
    (hook(useRawManifest=True), "spec.hooks[0].manifest", "must be a whole unit"),
    (hook(manifest=None, execContainer={"image": "a b"}), "spec.hooks[0].execContainer.image", "container image"),
    (
        {"sysctlParameters": ["net.ipv4.tcp_rmem='4 8 9'"]},
        "spec.sysctlParameters[0]",
        "must not be empty or in quotes",
    ),
    ({"sysctlParameters": ['vm.swappiness="1"']}, "spec.sysctlParameters[0]", "must not be empty or in quotes"),
    ({"sysctlParameters": ["vm.swappiness"]}, "spec.sysctlParameters[0]", "must be name=value"),
    ({"sysctlParameters": ["vm.swappiness="]}, "spec.sysctlParameters[0]", "must not be empty or in quotes"),
    ({"sysctlParameters": ["swappiness=1"]}, "spec.sysctlParameters[0]", "not the name of a kernel parameter"),
    ({"sysctlParameters": ["../../etc/x=1"]}, "spec.sysctlParameters[0]", "not the name of a kernel parameter"),
    (mount(path="data"), "spec.volumeMounts[0].path", "must be an absolute path"),
    (mount(device="xvdd"), "spec.volumeMounts[0].device", "must be an absolute path"),
    (volume(type="gp9"), "spec.volumes[0].type", "must be one of"),
    (volume(size=100_000), "spec.volumes[0].size", "1 to 65536"),
    (volume(iops=100), "spec.volumes[0].iops", "3000 to 80000"),
    (volume(throughput=5000), "spec.volumes[0].throughput", "125 to 2000"),
    ({"rootVolumeSize": 100_000}, "spec.rootVolumeSize", "a volume of type gp3"),
    ({"nodeLabels": {"team": " data science"}}, "spec.nodeLabels", "a label value"),
    ({"nodeLabels": {"foo/bar": "baz/qux"}}, "spec.nodeLabels", "a label value"),
    ({"nodeLabels": {"a b": "c"}}, "spec.nodeLabels", "a label key"),
    ({"nodeLabels": {"x" * 100 + ".example.com/a": "b"}}, "spec.nodeLabels", "AWS takes 1 to 128"),
    ({"nodeLabels": {f"label-{number}": "" for number in range(60)}}, "spec.nodeLabels", "AWS takes 50"),
    ({"taints": ["dedicated=special:NoSchedul"]}, "spec.taints[0]", "NoSchedule, PreferNoSchedule, NoExecute"),
    ({"taints": ["my key=v:NoSchedule"]}, "spec.taints[0]", "a taint's key"),
    ({"taints": ["a=b:NoSchedule", "a=c:NoSchedule"]}, "spec.taints[1]", "this key and effect"),
    ({"taints": ["a"]}, "spec.taints[0]", "key:effect"),
    ({"cloudLabels": {"aws:x": "v"}}, "spec.cloudLabels.aws:x", "reserved by AWS"),
    ({"cloudLabels": {"x": "v" * 257}}, "spec.cloudLabels.x", "AWS takes 0 to 256"),
    ({"maxPrice": "$0.5"}, "spec.maxPrice", "US dollars"),
    ({"maxPrice": "0"}, "spec.maxPrice", "US dollars"),
    ({"minSize": -1}, "spec.minSize", "0 or more"),
    ({"suspendProcesses": ["AZRebalanc"]}, "spec.suspendProcesses[0]", "did you mean AZRebalance"),
    (
        {"additionalUserData": [{"name": 'a"\nX: y', "type": "text/x-shellscript", "content": "x"}]},
        "additionalUserData.name",
        "cannot have quotes",
    ),
    (kubelet(maxPods=-5), "spec.kubelet.maxPods", "at least 0"),
    (kubelet(evictionHard="nodefs.available<10"), "spec.kubelet.evictionHard", "write 10% or 10Gi"),
    (kubelet(evictionHard="nodefs.avail<10%"), "spec.kubelet.evictionHard", "did you mean nodefs.available"),
    (kubelet(evictionHard="memory.available<110%"), "spec.kubelet.evictionHard", "0% to 100%"),
    (kubelet(evictionHard="memory.available"), "spec.kubelet.evictionHard", "signal<value"),
    (kubelet(evictionSoft="memory.available<1Gi"), "spec.kubelet.evictionSoftGracePeriod", "needs a grace period"),
    (kubelet(evictionSoftGracePeriod="memory.available=90"), "spec.kubelet.evictionSoftGracePeriod", "not a duration"),
    (kubelet(kubeReserved={"gpu": "1"}), "spec.kubelet.kubeReserved", "must be one of cpu"),
    (kubelet(systemReserved={"memory": "1GB"}), "spec.kubelet.systemReserved.memory", "not a quantity"),
    (kubelet(cpuManagerPolicy="statics"), "spec.kubelet.cpuManagerPolicy", "did you mean static"),
    (kubelet(featureGates={"X": "yes"}), "spec.kubelet.featureGates.X", "true or false"),
    (kubelet(readOnlyPort=70000), "spec.kubelet.readOnlyPort", "from 0 to 65535"),
    (kubelet(imageGCHighThresholdPercent=120), "spec.kubelet.imageGCHighThresholdPercent", "between 0 and 100"),
    (kubelet(allowedUnsafeSysctls=['--net.x="600"']), "spec.kubelet.allowedUnsafeSysctls[0]", "name of a sysctl"),
    (kubelet(allowedUnsafeSysctls=["vm.swappiness"]), "spec.kubelet.allowedUnsafeSysctls[0]", "have a namespace"),
    (kubelet(nodeStatusUpdateFrequency="-10s"), "spec.kubelet.nodeStatusUpdateFrequency", "not be negative"),
    (kubelet(containerLogMaxSize="10 MB"), "spec.kubelet.containerLogMaxSize", "not a quantity"),
    (kubelet(topologyManagerPolicy="numa"), "spec.kubelet.topologyManagerPolicy", "single-numa-node"),
    (kubelet(memorySwapBehavior="Limited"), "spec.kubelet.memorySwapBehavior", "did you mean LimitedSwap"),
    (kubelet(cpuCFSQuotaPeriod="2s"), "spec.kubelet.cpuCFSQuotaPeriod", "no such flag"),
    (
        kubelet(crashLoopBackOffMaxContainerRestartPeriod="10m"),
        "spec.kubelet.crashLoopBackOffMaxContainerRestartPeriod",
        "between 1s and 300s",
    ),
    (kubelet(imageMaximumGCAge="1m", imageMinimumGCAge="2m"), "spec.kubelet.imageMaximumGCAge", "longer than"),
    (
        kubelet(shutdownGracePeriod="10s", shutdownGracePeriodCriticalPods="30s"),
        "spec.kubelet.shutdownGracePeriodCriticalPods",
        "a part of shutdownGracePeriod",
    ),
    (kubelet(rootDir="kubelet"), "spec.kubelet.rootDir", "absolute path"),
    (kubelet(hostnameOverride="a_b"), "spec.kubelet.hostnameOverride", "DNS name"),
    (kubelet(networkPluginName="cni"), "spec.kubelet.networkPluginName", "no such flag"),
    (asset(roles=["Nodes"]), "spec.fileAssets[0].roles[0]", "did you mean Node"),
    (asset(path="/etc/" + "x" * 256), "spec.fileAssets[0].path", "255"),
    (hook(roles=["Worker"]), "spec.hooks[0].roles[0]", "must be one of"),
    (hook(manifest="Type=oneshot\nExecStart /bin/true\n"), "spec.hooks[0].manifest", "no line of a unit"),
    ({"packages": ["nfs-common", "-y"]}, "spec.packages[1]", "one package"),
    ({"packages": ["a; reboot"]}, "spec.packages[0]", "one package"),
    ({"additionalUserData": [cloud_config("a: [b")]}, "additionalUserData.content", "part p is not YAML, line"),
    ({"additionalUserData": [cloud_config("a: " + "x" * 16384)]}, "additionalUserData.content", "AWS takes 15360"),
    ({"containerd": {"configOverride": "a = ["}}, "spec.containerd.configOverride", "is not TOML"),
    (volume(type="io1", size=10, iops=2000), "spec.volumes[0].iops", "at most 50 for each GiB"),
    (volume(size=5, iops=4000), "spec.volumes[0].iops", "at most 500 for each GiB"),
    (volume(throughput=1000), "spec.volumes[0].throughput", "for each of its 3000 IOPS"),
    (volume(key="my-key"), "spec.volumes[0].key", "alias/name"),
    ({"rootVolumeEncryptionKey": "my-key"}, "spec.rootVolumeEncryptionKey", "alias/name"),
    ({"maxInstanceLifetime": "9000h"}, "nodes.spec.maxInstanceLifetime", "8760h"),
    ({"manager": "Karpentr"}, "spec.manager", "did you mean Karpenter"),
    (mixed(spotInstancePools=50), "spec.mixedInstancesPolicy.spotInstancePools", "between 1 and 20"),
    (mixed(onDemandAllocationStrategy="cheap"), "spec.mixedInstancesPolicy.onDemandAllocationStrategy", "lowest-price"),
    (
        mixed(instanceRequirements={"cpu": {"min": "4", "max": "2"}}),
        "spec.mixedInstancesPolicy.instanceRequirements.cpu.max",
        "less than min",
    ),
    (kubelet(enforceNodeAllocatable="kube-reserved"), "spec.kubelet.kubeReservedCgroup", "is needed"),
]
# The same, of the cluster.
OF_CLUSTERS: list[tuple[dict[str, Any], str, str]] = [
    (asset(path="relative"), "spec.fileAssets[0].path", "must be an absolute path"),
    (hook(name="a/b"), "spec.hooks[0].name", "is not the name of a unit"),
    (
        api_server(enableAdmissionPlugins=["PodNodeSelecter"]),
        "spec.kubeAPIServer.enableAdmissionPlugins[0]",
        "did you mean PodNodeSelector",
    ),
    (api_server(auditPolicyFile="audit.yaml"), "spec.kubeAPIServer.auditPolicyFile", "absolute path"),
    (api_server(auditLogPath="audit.log"), "spec.kubeAPIServer.auditLogPath", "absolute path"),
    (api_server(auditLogMaxAge=-1), "spec.kubeAPIServer.auditLogMaxAge", "0 or more"),
    (api_server(bindAddress="all"), "spec.kubeAPIServer.bindAddress", "IP address"),
    (api_server(goawayChance="0.5"), "spec.kubeAPIServer.goawayChance", "0 to 0.02"),
    (api_server(tlsMinVersion="1.2"), "spec.kubeAPIServer.tlsMinVersion", "VersionTLS12"),
    (api_server(tlsCipherSuites=["AES"]), "spec.kubeAPIServer.tlsCipherSuites[0]", "TLS_"),
    (api_server(oidcIssuerURL="http://x.example.com"), "spec.kubeAPIServer.oidcIssuerURL", "https://"),
    (api_server(serviceAccountIssuer="no url:"), "spec.kubeAPIServer.serviceAccountIssuer", "must be a URL"),
    (api_server(serviceAccountJWKSURI="http://a.example.com"), "spec.kubeAPIServer.serviceAccountJWKSURI", "https://"),
    (api_server(insecurePort=8080), "spec.kubeAPIServer.insecurePort", "no longer has this option"),
    ({"kubelet": {"memorySwapBehavior": "UnlimitedSwap"}}, "spec.kubelet.memorySwapBehavior", "write LimitedSwap"),
    (api_server(cpuRequest="2", cpuLimit="1"), "spec.kubeAPIServer.cpuRequest", "more than cpuLimit"),
    (
        {"kubeControllerManager": {"cidrAllocatorType": "Range"}},
        "spec.kubeControllerManager.cidrAllocatorType",
        "RangeAllocator",
    ),
    ({"podCIDR": "100.96.0.0/27"}, "spec.podCIDR", "/27 to /32"),
    ({"podCIDR": "100.96.0.0/11", **node_ranges(28)}, "spec.kubeControllerManager.nodeCIDRMaskSize", "/11 to /27"),
    ({"serviceClusterIPRange": "100.64.0.0/30"}, "spec.serviceClusterIPRange", "at least 8"),
    (
        {"kubeScheduler": {"leaderElection": {"leaderElectLeaseDuration": "5s"}}},
        "spec.kubeScheduler.leaderElection.leaderElectLeaseDuration",
        "longer than leaderElectRenewDeadlineDuration",
    ),
    ({"kubeProxy": {"metricsBindAddress": "all:10249"}}, "spec.kubeProxy.metricsBindAddress", "address:port"),
    ({"kubeProxy": {"clusterCIDR": "pods"}}, "spec.kubeProxy.clusterCIDR", "must be a CIDR"),
    ({"kubeDNS": {"provider": "Bind"}}, "spec.kubeDNS.provider", "CoreDNS"),
    ({"kubeDNS": {"stubDomains": {"a b": ["1.1.1.1"]}}}, "spec.kubeDNS.stubDomains", "DNS name"),
    ({"clusterDNSDomain": "a b"}, "spec.clusterDNSDomain", "DNS name"),
    ({"containerd": {"logLevel": "verbose"}}, "spec.containerd.logLevel", "debug"),
    ({"containerd": {"root": "data"}}, "spec.containerd.root", "absolute path"),
    ({"containerd": {"configAdditions": {"a..b": 1}}}, "spec.containerd.configAdditions", "keys with dots"),
    (
        {"containerd": {"registryMirrors": {"https://docker.io": ["https://m"]}}},
        "spec.containerd.registryMirrors[https://docker.io]",
        "without https://",
    ),
    (
        {"containerd": {"registryMirrors": {"docker.io": ["m.example.com"]}}},
        "spec.containerd.registryMirrors[docker.io][0]",
        "the URL of a mirror",
    ),
    (etcd(heartbeatInterval="1s"), "spec.etcdClusters[0].leaderElectionTimeout", "at least 5 times"),
    (etcd({"kmsKeyId": "x", "encryptedVolume": True}), "spec.etcdClusters[0].etcdMembers[0].kmsKeyId", "alias/name"),
    (
        etcd(manager={"env": [{"name": "ETCD_QUOTA_BACKEND_BYTES", "value": "8GB"}]}),
        "spec.etcdClusters[0].manager.env[0].value",
        "a whole number",
    ),
    (balancer(sslCertificate="my-cert"), "spec.api.loadBalancer.sslCertificate", "the ARN of a certificate"),
    (balancer(subnets=[{"name": "a"}, {"name": "a"}]), "spec.api.loadBalancer.subnets[1].name", "listed before"),
    (balancer(subnets=[{"name": "a", "allocationId": "x"}]), "spec.api.loadBalancer.subnets[0].allocationId", "eipall"),
    ({"additionalNetworkCIDRs": ["10.20.128.0/20"]}, "spec.additionalNetworkCIDRs[0]", "overlaps 10.20.0.0/16"),
    ({"iam": {"permissionsBoundary": "limits"}}, "spec.iam.permissionsBoundary", "the ARN of a policy"),
    ({"additionalPolicies": {"node": LARGE}}, "spec.additionalPolicies[node]", "AWS takes 10240"),
    ({"additionalSans": ["https://api.example.com"]}, "spec.additionalSans[0]", "a DNS name or an IP address"),
    (with_dns(masterPublicName="a b"), "spec.masterPublicName", "must be a DNS name"),
    (with_dns(dnsZone="example.org"), "spec.dnsZone", "Route 53 takes no records"),
    ({"secretStore": "secrets"}, "spec.secretStore", "is no store"),
    ({"configBase": "s3://a b"}, "spec.configBase", "names no bucket"),
    ({"assets": {"containerProxy": "https://p.example.com"}}, "spec.assets.containerProxy", "what images begin with"),
    (
        {"clusterAutoscaler": {"enabled": True, "scaleDownDelayAfterAdd": "10"}},
        "spec.clusterAutoscaler.scaleDownDelayAfterAdd",
        "not a duration",
    ),
    (
        {"clusterAutoscaler": {"enabled": True, "scaleDownUtilizationThreshold": "50%"}},
        "spec.clusterAutoscaler.scaleDownUtilizationThreshold",
        "0 to 1",
    ),
    ({"certManager": {"enabled": True, "nameservers": ["1.1.1.1"]}}, "spec.certManager.nameservers[0]", "host:port"),
    ({"kubernetesVersion": "1.34"}, "spec.kubernetesVersion", "full version"),
    (other_region(), "spec.subnets[1].zone", "a cluster has one region"),
    ({"networkCIDR": "10.0.0.0/8"}, "spec.networkCIDR", "/16 to /28"),
    ({"kubernetesVersion": "99.1.0"}, "spec.kubernetesVersion", "KOPS_RUN_TOO_NEW_VERSION"),
    ({"cloudLabels": {"a,b": "c"}}, "spec.cloudLabels.a,b", "IAM and others"),
    ({"kubeAPIServer": {"featureGates": {"A": "maybe"}}}, "spec.kubeAPIServer.featureGates.A", "true or false"),
    ({"kubeAPIServer": {"runtimeConfig": {"batch v1": "true"}}}, "spec.kubeAPIServer.runtimeConfig", "batch/v1"),
    ({"kubeAPIServer": {"image": "a b"}}, "spec.kubeAPIServer.image", "container image"),
    ({"kubelet": {"maxPods": -1}}, "spec.kubelet.maxPods", "at least 0"),
    ({"egressProxy": {"httpProxy": {"host": "p"}, "excludes": "$(id)"}}, "spec.egressProxy.excludes", "networks"),
    ({"egressProxy": {"httpProxy": {"host": "a`b`"}}}, "spec.egressProxy.httpProxy.host", "host name"),
    (
        {"additionalPolicies": {"node": '[{"Effect":"Allow","Acton":["es:*"],"Action":"*","Resource":"*"}]'}},
        "spec.additionalPolicies[node][0]",
        "did you mean Action",
    ),
    (
        {"additionalPolicies": {"node": '[{"Effect":"Allow","Action":"*","Resource":"*","Principal":"*"}]'}},
        "spec.additionalPolicies[node][0].Principal",
        "policies of resources",
    ),
    (
        {"additionalPolicies": {"node": '[{"Effect":"Allow","Action":"s3","Resource":"bucket"}]'}},
        "spec.additionalPolicies[node][0].Resource",
        "arn:aws:s3",
    ),
    (
        {
            "additionalPolicies": {
                "node": '[{"Effect":"Deny","Action":"*","Resource":"*","Condition":{"StringEqual":{"a":"b"}}}]'
            }
        },
        "spec.additionalPolicies[node][0].Condition",
        "did you mean StringEquals",
    ),
]
# What is taken: neighbours of what is refused.
TAKEN: list[dict[str, Any]] = [
    asset(mode="0644"),
    asset(mode="00644"),
    asset(path="/x"),
    asset(path=""),
    asset(content="aGk", isBase64=True),
    twice("/etc/d", "/etc/d", roles=["Master"]),
    hook(name="disk-setup"),
    hook(name="getty@tty1.service", before=["kubelet.service containerd.service"]),
    hook(manifest="[Service]\nExecStart=/bin/true\n", useRawManifest=True),
    {"sysctlParameters": ["vm.max_map_count = 262144", "net/ipv4/conf/eth0.1/rp_filter=0", "-net.none.such=1"]},
    {"sysctlParameters": ["# a comment = 1", "net.ipv4.tcp_rmem=4096 87380 16777216"]},
    mount(),
    volume(type="io1", iops=200),
    volume(type="st1", size=500),
    {"nodeLabels": {"team": "", "node-role.kubernetes.io/gpu": "", "example.com/a": "B.c_d-e"}},
    {"taints": ["a=b:NoSchedule", "a=b:NoExecute", "c:PreferNoSchedule", "d=:NoSchedule"]},
    {"cloudLabels": {"cost center": "r&d, 1"}},
    {"maxPrice": "0.05"},
    {"maxPrice": ".5"},
    {"suspendProcesses": ["AZRebalance"]},
    kubelet(maxPods=0, podPidsLimit=-1, cpuManagerPolicy="none"),
    kubelet(evictionHard="memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<0"),
    kubelet(evictionSoft="memory.available<1Gi", evictionSoftGracePeriod="memory.available=1m30s"),
    kubelet(kubeReserved={"cpu": "100m", "memory": "1Gi"}, cpuManagerPolicy="static"),
    kubelet(allowedUnsafeSysctls=["net.core.somaxconn", "kernel.msg*", "net.ipv4.*"]),
    kubelet(featureGates={"InPlacePodVerticalScaling": "true"}),
    kubelet(enforceNodeAllocatable="pods"),
    kubelet(shutdownGracePeriod="30s", shutdownGracePeriodCriticalPods="10s", imageMaximumGCAge="0s"),
    kubelet(hostnameOverride="@aws", memorySwapBehavior="LimitedSwap", topologyManagerPolicy="best-effort"),
    hook(manifest="# what it is for\nType=oneshot\nExecStart=/bin/sh -c \\\n  # between\n  'exit 0'\n\n"),
    hook(manifest="ExecStart=a", useRawManifest=False, roles=["Node", "Master"]),
    asset(roles=["Node", "Bastion", "APIServer"]),
    {"packages": ["nfs-common", "libstdc++6", "curl=7.88.1-10+deb12u8", "kernel-5.14.0-70.el9.x86_64", "@core"]},
    {"additionalUserData": [cloud_config("## template: jinja\n{% if x %}\na: b\n{% endif %}\n")]},
    {"containerd": {"configOverride": "version = 3\n[plugins.'a.b']\nc = true\n"}},
    volume(iops=3000, throughput=750),
    volume(size=1, iops=3000),
    volume(key="arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"),
    volume(key="alias/etcd"),
    mixed(spotInstancePools=2, onDemandAllocationStrategy="prioritized", onDemandBase=0),
    {"maxInstanceLifetime": "8760h"},
    {"manager": "CloudGroup"},
]
# The same, of clusters.
TAKEN_OF_CLUSTERS: list[dict[str, Any]] = [
    api_server(enableAdmissionPlugins=["AlwaysPullImages"], disableAdmissionPlugins=["PersistentVolumeLabel"]),
    api_server(auditLogPath="-", goawayChance="0.001", tlsMinVersion="VersionTLS13", logFormat="json"),
    api_server(serviceAccountIssuer="https://api.internal.demo.example.com", defaultNotReadyTolerationSeconds=-1),
    api_server(serviceAccountIssuer="cluster", bindAddress="::", cpuRequest="1", cpuLimit="1"),
    {
        "kubeControllerManager": {"terminatedPodGCThreshold": -1, "minResyncPeriod": "12h0m0s"},
        "podCIDR": "100.96.0.0/11",
    },
    {"podCIDR": "100.96.0.0/16", **node_ranges(26)},
    {"kubeProxy": {"metricsBindAddress": "[::]:10249", "hostnameOverride": "@aws", "clusterCIDR": "100.96.0.0/11"}},
    {"kubeScheduler": {"leaderElection": {"leaderElectLeaseDuration": "60s", "leaderElectRetryPeriod": "5s"}}},
    {"kubeDNS": {"provider": "KubeDNS", "domain": "cluster.local", "stubDomains": {"corp.example": ["10.0.0.2"]}}},
    {"containerd": {"registryMirrors": {"*": ["https://m/v2"], "localhost:5000": ["http://127.0.0.1:5000"]}}},
    {"containerd": {"configAdditions": {'plugins."io.containerd.cri.v1.runtime".enable_cdi': "true"}}},
    etcd({"kmsKeyId": "mrk-1234abcd12ab34cd56ef1234567890ab"}, heartbeatInterval="200ms"),
    etcd(manager={"env": [{"name": "ETCD_QUOTA_BACKEND_BYTES", "value": "8589934592"}]}),
    balancer(sslCertificate="arn:aws-cn:acm:cn-north-1:123456789012:certificate/a-b"),
    {"additionalNetworkCIDRs": ["10.21.0.0/16", "100.60.0.0/16"]},
    {"additionalSans": ["*.example.com", "API.example.com", "10.0.0.1", "fd00::1"]},
    with_dns(dnsZone="example.com", masterPublicName="api.demo.example.com"),
    with_dns(dnsZone="Z1AFAKE1ZON3YO"),
    {"secretStore": "s3://other/secrets", "assets": {"containerProxy": "p.example.com/mirror/"}},
    {"clusterAutoscaler": {"enabled": True, "scaleDownDelayAfterAdd": "10m0s", "scaleDownUtilizationThreshold": "0.4"}},
    {"certManager": {"enabled": True, "nameservers": ["1.1.1.1:53", "[fd00::1]:53", "https://dns.example.com/q"]}},
    {"kubernetesVersion": "v1.34.0-rc.1"},
]


def documents(change: dict[str, Any], group: str = "") -> str:
    """The manifests of the cluster, with fields of its spec or of a group's changed."""
    cluster = {**copy.deepcopy(SPEC), **({} if group else change)}
    found = [CLUSTER + " " + yaml.safe_dump(cluster, default_flow_style=True, width=100_000)]
    for name, spec in GROUPS.items():
        head = f"apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata: {{name: {name}}}\nspec: "
        merged = {**spec, **(change if name == group else {})}
        found.append(head + yaml.safe_dump(merged, default_flow_style=True, width=100_000))
    return "\n---\n".join(found)


def problems_when_stored(tmp_path: Path, text: str) -> list[str]:
    """What is told when manifests are stored: path and message of each problem, all in the manifest's spelling."""
    file = tmp_path / "manifests.yml"
    file.write_text(text)
    wanted = sort_objects(load_files([str(file)]))
    MemoryPath.clear()
    try:
        put(StoreOptions(STORE), wanted)
    except ValidationError as error:
        assert not MemoryPath("store").list_tree()
        assert all(each.where.startswith(str(file)) for each in error.errors), error
        return [f"{each.path}: {each.message}" for each in error.errors]
    return []


def problems_when_updated(text: str) -> list[str]:
    """What is told of the same objects when they are stored already: path and message of each."""
    cluster, *groups = manifest.load(text, source="stored")
    found = [*deep_validate(cluster, groups, strict=False), *refused(cluster, groups)]
    return [str(each) for each in found]


@pytest.mark.parametrize(("change", "path", "words"), OF_GROUPS)
def test_what_is_refused_of_a_group(tmp_path: Path, change: dict[str, Any], path: str, words: str) -> None:
    text = documents(change, "nodes")
    told = problems_when_stored(tmp_path, text)
    assert [each for each in told if each.startswith(f"{path}: instance group nodes: ") and words in each], told
    assert len({each.partition(": ")[0] for each in told}) == len(told), "the same is told twice"
    assert [each for each in problems_when_updated(text) if words in each]


@pytest.mark.parametrize(("change", "path", "words"), OF_CLUSTERS)
def test_what_is_refused_of_a_cluster(tmp_path: Path, change: dict[str, Any], path: str, words: str) -> None:
    told = problems_when_stored(tmp_path, documents(change))
    assert [each for each in told if each.startswith(f"{path}: ") and words in each], told
    assert len({each.partition(": ")[0] for each in told}) == len(told), "the same is told twice"


@pytest.mark.parametrize("change", TAKEN)
def test_what_is_taken(tmp_path: Path, change: dict[str, Any]) -> None:
    text = documents(change, "nodes")
    assert problems_when_stored(tmp_path, text) == []
    assert problems_when_updated(text) == []


@pytest.mark.parametrize("change", TAKEN_OF_CLUSTERS)
def test_what_is_taken_of_a_cluster(tmp_path: Path, change: dict[str, Any]) -> None:
    assert problems_when_stored(tmp_path, documents(change)) == []


def test_a_name_that_is_too_long_for_a_launch_template_is_refused(tmp_path: Path) -> None:
    text = documents({}).replace("name: nodes", f"name: {'n' * 120}")
    (told,) = problems_when_stored(tmp_path, text)
    assert told.startswith("metadata.name: ") and "the launch template would be" in told and "3 to 128" in told


def test_an_object_that_is_given_often_is_told_once_with_its_places(tmp_path: Path) -> None:
    group = documents({}).rpartition("\n---\n")[2]
    with pytest.raises(KopsError) as told:
        problems_when_stored(tmp_path, "\n---\n".join([documents({}), *[group] * 298]))
    (line,) = str(told.value).splitlines()[1:]
    assert "InstanceGroup nodes is given 299 times" in line
    assert "manifests.yml, document 3, line" in line and "296 more" in line


def test_a_list_is_not_taken_apart(tmp_path: Path) -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
    with pytest.raises(ValidationError, match="write each of its items as a document"):
        problems_when_stored(tmp_path, f"{documents({})}\n---\n{listed}")


def test_a_bad_name_is_told_once(tmp_path: Path) -> None:
    told = problems_when_stored(tmp_path, documents({}).replace("demo.example.com", "Demo_x.example.com"))
    assert len([each for each in told if each.startswith("metadata.name: ")]) == 1


def test_other_kinds_of_ssh_keys_are_refused_on_aws() -> None:
    MemoryPath.clear()
    blob = "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEbCRSgTti1tuwvTG89Ego0peikNfHLWBl9nxjet1gWX"
    key = f"ecdsa-sha2-nistp256 {blob}h5wYHJ194bXkuBA248+J6+KCgU1x0bFuKrb41sBd/fE="
    head = "apiVersion: kops.k8s.io/v1alpha2\nkind: SSHCredential\nmetadata: {name: admin}\n"
    text = f"{documents({})}\n---\n{head}spec: {{publicKey: '{key}'}}"
    wanted = sort_objects(manifest.load(text, source="m.yml"))
    with pytest.raises(ValidationError, match="ssh-rsa and ssh-ed25519, not ecdsa-sha2-nistp256"):
        put(StoreOptions(STORE), wanted)
    assert not MemoryPath("store").list_tree()
