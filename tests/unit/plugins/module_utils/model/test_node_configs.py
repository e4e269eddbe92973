# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes read in the store: it changes when, and only when, what a node gets does, and is never written over."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import Image, InstanceType
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import config_hash, content_hash
from ansible_collections.kubeops.kops.plugins.module_utils.model import node_configs
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program

from .conftest import Facts

MIXED = {"mixedInstancesPolicy": {"instances": ["m6g.large", "m5.large", "gone"]}}


@dataclasses.dataclass
class TwoArchitectures(Facts):
    """A region with machine types of two architectures."""

    def instance_type(self, name: str) -> InstanceType | None:
        architecture = {"m6g.large": "arm64", "m5.large": "amd64"}.get(name)
        return InstanceType(name, (architecture,)) if architecture else super().instance_type(name)

    def image(self, reference: str) -> Image | None:
        return dataclasses.replace(super().image("ubuntu") or Image("", ""), architecture="arm64")


def stored_by(context, group="nodes"):
    """The files of a group's NodeConfigs by architecture."""
    node_configs.build(context)
    return node_configs.stored(context, context.group(group))


def config_of(context, group="nodes") -> dict[str, Any]:
    return json.loads(stored_by(context, group)["amd64"].data)


def location_of(context, group="nodes") -> str:
    return stored_by(context, group)["amd64"].location


@pytest.mark.parametrize(
    ("cluster", "group"),
    [
        ({"kubernetesVersion": "1.34.1"}, {}),
        ({"sysctlParameters": ["vm.swappiness=1"]}, {}),
        ({"kubeProxy": {"proxyMode": "nftables"}}, {}),
        ({"cloudProvider.aws.nodeIPFamilies": ["ipv4", "ipv6"]}, {}),
        ({}, {"kubelet": {"maxPods": 20}}),
        ({}, {"nodeLabels": {"a": "b"}}),
        ({}, {"containerd": {"logLevel": "debug"}}),
        ({}, {"packages": ["nfs-common"]}),
        ({}, {"fileAssets": [{"name": "x", "path": "/x", "content": "y"}]}),
    ],
)
def test_it_changes_with_what_a_node_gets(context_of, cluster, group):
    assert location_of(context_of(cluster, {"nodes": group})) != location_of(context_of())


@pytest.mark.parametrize(
    ("cluster", "group"),
    [
        ({"sshAccess": ["192.0.2.0/24"]}, {}),
        ({"networking.tagSubnets": False}, {}),
        ({"kubeAPIServer.logLevel": 5}, {}),
        ({}, {"maxSize": 50}),
        ({}, {"machineType": "i3.big"}),
        ({}, {"rootVolume": {"size": 500}}),
    ],
)
def test_it_stays_when_only_the_cloud_changes(context_of, cluster, group):
    assert location_of(context_of(cluster, {"nodes": group})) == location_of(context_of())


def test_what_is_stored_is_what_a_node_hashes(context_of):
    (file,) = stored_by(context_of()).values()
    digest = config_hash(json.loads(file.data))
    assert digest == content_hash(file.data)
    assert file.location == f"igconfig/node/nodes/nodeconfig/{digest}.json"


def test_what_a_node_would_refuse_is_told_of_all_groups_with_its_field(context_of):
    files = ("/var/lib/kubelet/kubelet.conf", "/etc/sysconfig/kubelet", "/srv/kubernetes")
    groups = {
        "nodes": {"fileAssets": [{"name": path, "path": path, "content": "y"} for path in files]},
        "control-plane": {"packages": ["a b"]},
    }
    with pytest.raises(ValidationError) as told:
        stored_by(context_of({}, groups))
    found = {(each.group, each.path) for each in told.value.errors}
    expected = {("nodes", f"spec.fileAssets[{index}]{key}") for index, key in enumerate(("", ".path", ""))}
    assert found == {*expected, ("control-plane", "spec.packages[0]")}, told.value
    assert "instance group nodes: nodes have file:/var/lib/kubelet/kubelet.conf already" in str(told.value)


def test_what_it_stores_stays_whatever_terraform_does(context_of):
    context = context_of()
    node_configs.build(context)
    assert (
        {key for key, task in context.tasks.items() if task.store_only}
        == context.tasks.keys()
        == {
            *(f"ContentAddressedFile/nodeconfig-{name}-amd64" for name in ("control-plane", "nodes")),
            "ContentAddressedFile/node-program",
        }
    )


def test_the_program_is_named_by_its_hash(context_of):
    context = context_of()
    node_configs.build(context)
    file = node_configs.stored_program(context)
    assert file.data == node_program(AWS, ("s3",))
    assert file.location == f"igconfig/node-program/{content_hash(file.data)}.pyz"


def test_neither_keys_nor_secrets_are_needed(context_of):
    context = context_of({"encryptionConfig": True, "authentication": {"aws": {}}}, secret_names={"dockerconfig"})
    references = {file.get("reference") for file in config_of(context, "control-plane")["files"]}
    assert {"authority/kubernetes-ca", "key/service-account", "secret/encryptionconfig", "secret/dockerconfig"} <= (
        references
    )
    assert "secret/dockerconfig" not in json.dumps(config_of(context_of(), "control-plane"))


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ({}, ["amd64"]),
        ({"machineType": "m6g.large"}, ["arm64"]),
        (MIXED, ["amd64", "arm64"]),
        ({"machineType": None, "manager": "Karpenter"}, ["arm64"]),
        ({"machineType": "gone", "image": None}, ["amd64"]),
    ],
)
def test_one_for_each_architecture(context_of, group, expected):
    context = context_of(groups={"nodes": group}, facts=TwoArchitectures())
    files = stored_by(context)
    assert list(files) == expected
    assert [json.loads(file.data)["architecture"] for file in files.values()] == expected


def test_other_clouds_have_one_architecture(context_of):
    context = context_of({"cloudProvider": {"gce": {"project": "p"}}}, {"nodes": {"machineType": "m6g.large"}})
    assert list(stored_by(context)) == ["amd64"]


def test_checksums_are_asked_for_once_for_all_groups(context_of):
    asked = []

    def with_checksums(files):
        asked.append(sorted({file.architecture for file in files}))
        return [dataclasses.replace(file, sha256=file.sha256 or "1" * 64) for file in files]

    fields = {"kubernetesVersion": "1.34.99"}
    context = context_of(fields, {"nodes": MIXED}, facts=TwoArchitectures(), with_checksums=with_checksums)
    kubelet = next(item for item in config_of(context)["downloads"] if item["name"] == "kubelet")
    assert (kubelet["sha256"], asked) == ("1" * 64, [["amd64", "arm64"]])
    with pytest.raises(KopsError, match=r"v1\.34\.99/bin/linux/amd64/kubelet: its checksum is not known"):
        config_of(context_of(fields))


def test_only_control_planes_ask_for_the_users_objects(context_of):
    data = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "parallelism": 3}
    calls = []

    def additional_objects():
        calls.append(1)
        return [AdditionalObject(data)]

    context = context_of(additional_objects=additional_objects)
    assert "parallelism: 3" in json.dumps(config_of(context, "control-plane"))
    assert len(calls) == 1


def test_groups_have_their_own_and_bastions_none(context_of):
    context = context_of(groups={"bastions": {"role": "Bastion"}})
    node_configs.build(context)
    names = [json.loads(task.data)["instanceGroup"] for key, task in context.tasks.items() if "nodeconfig-" in key]
    assert names == ["control-plane", "nodes"]
