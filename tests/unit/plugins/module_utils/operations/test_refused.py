# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes, Kubernetes and AWS would refuse is refused when it is stored, and when it is updated."""

from __future__ import annotations

import copy
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


def kubelet(**fields: Any) -> dict[str, Any]:
    return {"kubelet": fields}


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
    (kubelet(enforceNodeAllocatable="kube-reserved"), "spec.kubelet.kubeReservedCgroup", "is needed"),
]
# The same, of the cluster.
OF_CLUSTERS: list[tuple[dict[str, Any], str, str]] = [
    (asset(path="relative"), "spec.fileAssets[0].path", "must be an absolute path"),
    (hook(name="a/b"), "spec.hooks[0].name", "is not the name of a unit"),
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
    assert [each for each in problems_when_updated(text) if words in each]


@pytest.mark.parametrize(("change", "path", "words"), OF_CLUSTERS)
def test_what_is_refused_of_a_cluster(tmp_path: Path, change: dict[str, Any], path: str, words: str) -> None:
    told = problems_when_stored(tmp_path, documents(change))
    assert [each for each in told if each.startswith(f"{path}: ") and words in each], told


@pytest.mark.parametrize("change", TAKEN)
def test_what_is_taken(tmp_path: Path, change: dict[str, Any]) -> None:
    text = documents(change, "nodes")
    assert problems_when_stored(tmp_path, text) == []
    assert problems_when_updated(text) == []


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
