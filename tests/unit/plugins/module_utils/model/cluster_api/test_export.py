# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Specifications as objects of Cluster API, and back: nothing is lost, and without what they carry, what is listed."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.core import CARRIED
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.export import (
    CONTROL_PLANES,
    Exported,
    Options,
    export,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.read import (
    Manifests,
    read_carried,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.rows import get, put
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.versions import VERSIONS, inside
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import infrastructures
from ansible_collections.kubeops.kops.tests.support.cluster_api_cases import BOOT, CASES, NAME, Case

EACH_CASE = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
AWS = next(case for case in CASES if case.name == "aws: the smallest")
CONTROL_PLANE = next(case for case in CASES if case.name == "aws: its control plane")


def exported(case: Case, control_plane: str = "external", version: str = "v1beta2", **options: Any) -> Exported:
    return export(case.source(), infrastructures()[case.cloud], Options(control_plane, version, **options))


def manifests(case: Case) -> Manifests:
    cluster, groups = case.objects()
    return manifest.to_data(cluster), [manifest.to_data(group) for group in groups]


def read_back(case: Case, objects: list[dict[str, Any]]) -> Manifests:
    return read_carried([inside(each) for each in objects], infrastructures()[case.cloud], case.cloud)


def found(result: Exported, kind: str) -> dict[str, Any]:
    """The object of a kind; of several, the last one."""
    return [each for each in result.objects if each["kind"] == kind][-1]


def test_the_cases_are_of_all_clouds() -> None:
    assert {case.cloud for case in CASES} == set(infrastructures())
    assert len(CASES) >= 20


@EACH_CASE
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("control_plane", CONTROL_PLANES)
def test_nothing_is_lost_on_the_way_and_back(case: Case, control_plane: str, version: str) -> None:
    result = exported(case, control_plane, version)
    assert read_back(case, result.objects) == manifests(case)
    assert result == exported(case, control_plane, version)


@EACH_CASE
def test_what_objects_of_a_cluster_as_it_is_do_not_say(case: Case) -> None:
    losses = [each for each in exported(case).losses if not each.kept_by]
    assert sorted(each.field for each in losses) == sorted(case.lost)
    assert {each.object for each in losses} <= {"InstanceGroup nodes"}


@EACH_CASE
@pytest.mark.parametrize("control_plane", CONTROL_PLANES)
def test_objects_alone_give_all_that_is_not_listed(case: Case, control_plane: str) -> None:
    """A user may take the annotations away; manifests of what is left are such that they can be read."""
    result = exported(case, control_plane)
    for each in result.objects:
        (each["metadata"].get("annotations") or {}).pop(CARRIED, None)
    cluster, groups = read_back(case, result.objects)
    for data in (cluster, *groups):
        manifest.from_data(data)
    listed = {(each.object, each.field) for each in result.losses}
    wanted, wanted_groups = manifests(case)
    assert wanted["spec"]["cloudProvider"] == cluster["spec"]["cloudProvider"]
    read = {group["metadata"]["name"]: group for group in groups}
    for field in ("machineType", "minSize", "maxSize", "image", "role"):
        value = wanted_groups[1]["spec"].get(field)
        if ("InstanceGroup nodes", f"spec.{field}") not in listed:
            assert read["nodes"]["spec"].get(field) == value


def test_a_control_plane_of_kubeadm() -> None:
    """What of it is an argument of a program is one there; the versions spell arguments in two ways."""
    arguments = {
        "audit-log-maxage": "3",
        "feature-gates": "A=true",
        "max-requests-inflight": "800",
        "oidc-client-id": "id",
    }
    path = "spec.kubeadmConfigSpec.clusterConfiguration"
    old = found(exported(CONTROL_PLANE, "kubeadm", "v1beta1"), "KubeadmControlPlane")
    assert get(old, f"{path}.apiServer.extraArgs") == arguments
    assert old["spec"]["machineTemplate"]["infrastructureRef"]["kind"] == "AWSMachineTemplate"
    new = found(exported(CONTROL_PLANE, "kubeadm"), "KubeadmControlPlane")
    listed = [{"name": name, "value": value} for name, value in arguments.items()]
    assert get(new, f"{path}.apiServer.extraArgs") == listed
    assert get(new, f"{path}.apiServer.certSANs") == ["api.example.org"]
    assert new["spec"]["version"] == "v1.34.1"
    assert new["spec"]["replicas"] == 1
    reference = {"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "AWSMachineTemplate"}
    assert reference.items() <= new["spec"]["machineTemplate"]["spec"]["infrastructureRef"].items()
    lost = {each.field for each in exported(CONTROL_PLANE, "kubeadm").losses}
    assert not {
        field for field in lost if field.startswith(("spec.kubeAPIServer", "spec.kubeController", "spec.kubeSched"))
    }


def test_the_cluster_as_it_is() -> None:
    """Its control plane and network are seen to by others, and controllers wait for the user."""
    result = exported(AWS, namespace="clusters")
    cluster = found(result, "Cluster")
    assert cluster["metadata"]["name"] == "demo-example-com"
    assert cluster["metadata"]["namespace"] == "clusters"
    assert cluster["spec"]["paused"] is True
    assert cluster["spec"]["controlPlaneEndpoint"] == {"host": "api.example.com", "port": 443}
    assert "controlPlaneRef" not in cluster["spec"]
    assert "paused" not in found(exported(AWS, paused=False), "Cluster")["spec"]
    deployment = found(result, "MachineDeployment")
    assert deployment["spec"]["replicas"] == 2
    limits = {name: value for name, value in deployment["metadata"]["annotations"].items() if "autoscaler" in name}
    assert sorted(limits.values()) == ["2", "5"]


def test_another_template_has_another_name() -> None:
    """Templates of machines never change, so machines are replaced when their deployment names another one."""
    disks = next(case for case in CASES if case.name == "aws: disks")
    names = {found(exported(case), "AWSMachineTemplate")["metadata"]["name"] for case in (AWS, disks)}
    assert len(names) == 2


def test_what_is_changed_in_the_objects_counts() -> None:
    """The rest of a manifest is as it was, with what no object says."""
    result = exported(CONTROL_PLANE, "kubeadm")
    put(found(result, "MachineDeployment"), "spec.replicas", 4)
    put(found(result, "Cluster"), "spec.clusterNetwork.serviceDomain", "example.local")
    put(found(result, "KubeadmControlPlane"), "spec.version", "v1.34.9")
    for each in result.objects:
        if each["kind"] == "AWSMachineTemplate":
            put(each, "spec.template.spec.instanceType", "m5.large")
    cluster, groups = read_back(CONTROL_PLANE, result.objects)
    wanted, wanted_groups = manifests(CONTROL_PLANE)
    assert cluster["spec"] == {**wanted["spec"], "clusterDNSDomain": "example.local", "kubernetesVersion": "1.34.9"}
    assert [each["spec"] for each in groups] == [{**each["spec"], "machineType": "m5.large"} for each in wanted_groups]


def test_more_and_fewer_groups() -> None:
    """A deployment that is deleted is no group any more, and one that is added becomes one."""
    result = exported(AWS)
    added = json.loads(json.dumps(found(result, "MachineDeployment")))
    added["metadata"] = {"name": "demo-example-com-more"}
    objects = [each for each in result.objects if each["kind"] != "MachineDeployment"]
    _cluster, groups = read_back(AWS, [*objects, added])
    assert [each["metadata"]["name"] for each in groups] == ["control-plane-us-east-1a", "more"]
    assert groups[1]["metadata"]["labels"] == {"kops.k8s.io/cluster": NAME}
    assert groups[1]["spec"]["machineType"] == "t3.medium"
    assert groups[1]["spec"]["maxSize"] == 2


def test_a_control_plane_of_kubeadm_has_an_odd_number_of_machines() -> None:
    case = Case("aws", "two", {}, {})
    cluster, groups = case.objects()
    groups[0].spec.min_size = 2
    source = case.source()
    two = export(type(source)(cluster, groups, cluster, groups), infrastructures()["aws"], Options("kubeadm"))
    assert found(two, "KubeadmControlPlane")["spec"]["replicas"] == 1


@pytest.mark.parametrize(
    ("cloud", "said"),
    [
        ("aws", {"additionalTags": {"kops.k8s.io/instancegroup": "nodes", "KubernetesCluster": NAME}}),
        (
            "gce",
            {
                "additionalMetadata": [
                    {"key": "cluster-name", "value": NAME},
                    {"key": "kops-k8s-io-instance-group-name", "value": "nodes"},
                ],
                "serviceAccounts": {
                    "email": "node@example.iam.gserviceaccount.com",
                    "scopes": ["https://www.googleapis.com/auth/compute"],
                },
            },
        ),
        (
            "openstack",
            {
                "serverMetadata": [
                    {"key": "KopsInstanceGroup", "value": "nodes"},
                    {"key": "KopsRole", "value": "Node"},
                    {"key": "k8s", "value": NAME},
                ]
            },
        ),
        (
            "vsphere",
            {"customVMXKeys": {"kubeops.cluster": NAME, "kubeops.group": "nodes", "kubeops.role": "Node"}},
        ),
    ],
)
def test_bootstrap_servers_know_its_machines(cloud: str, said: dict[str, Any]) -> None:
    """By what they know instances of the group; and these find them by the same user data."""
    case = next(each for each in CASES if each.cloud == cloud)
    objects = export(case.made(), infrastructures()[cloud], Options()).objects
    spec = next(each for each in objects if each["kind"].endswith("MachineTemplate"))["spec"]["template"]["spec"]
    assert {key: spec[key] for key in said} == said
    (secret,) = (each for each in objects if each["kind"] == "Secret")
    assert base64.b64decode(secret["data"]["value"]).decode() == BOOT
    assert secret["type"] == "cluster.x-k8s.io/secret"
    assert read_back(case, objects) == manifests(case)
