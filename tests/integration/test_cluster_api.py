# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_api_export: a cluster in AWS as objects of Cluster API, by the playbook as a user runs it."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import cloud_of
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.export import (
    CONTROL_PLANES,
    EXTERNAL,
    Options,
    Source,
    export,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.read import read_carried
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.versions import VERSIONS, inside
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import infrastructures
from ansible_collections.kubeops.kops.plugins.module_utils.operations.cluster_api.export import (
    ExportOptions,
    export_cluster,
)
from ansible_collections.kubeops.kops.tests.documented.runs import CLUSTER_API, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, ZONE, Account, run_ansible

from tests.golden import completed
from tests.support.cluster_api import problems_of
from tests.support.cluster_api_cases import CASES

from .test_playbooks import cluster, play_reading

__all__ = ["cluster"]


def read(path: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The objects of a file, by kind; of several, the last one."""
    return {each["kind"]: each for each in yaml.safe_load_all(path.read_text())}


def test_the_playbook(cluster: Account, tmp_path: pathlib.Path) -> None:
    """Check mode writes nothing, and a second run changes nothing."""
    file = tmp_path / "objects" / "cluster-api.yaml"
    given = {"kops_cluster_api": str(file)}
    shown = play_reading(cluster, "cluster_api_export", "--check", "--diff", changed=1, **given)
    assert "MachineDeployment demo-example-com-nodes-us-east-1a" in shown
    assert not file.parent.exists()
    play_reading(cluster, "cluster_api_export", changed=1, **given)
    play_reading(cluster, "cluster_api_export", **given)
    before = file.read_text()
    play_reading(cluster, "cluster_api_export", changed=1, **given, kops_cluster_api_version="v1beta1")
    play_reading(cluster, "cluster_api_export", changed=1, **given)
    assert file.read_text() == before


def test_the_documented_commands(cluster: Account, tmp_path: pathlib.Path) -> None:
    as_it_is, new = taken_by(CLUSTER_API, "docs/cluster-api.md")
    assert "Cluster demo-example-com" in run_ansible(*as_it_is.words, directory=tmp_path)
    run_ansible(*new.words, directory=tmp_path)
    assert "KubeadmControlPlane" not in read(tmp_path / "out" / "cluster-api.yaml")
    assert "KubeadmControlPlane" in read(tmp_path / "out" / "new.yaml")


def test_machines_are_made_as_the_cluster_s_own_instances_are(cluster: Account, tmp_path: pathlib.Path) -> None:
    """What Cluster API makes from the objects has what bootstrap servers and security groups ask for."""
    file = tmp_path / "cluster-api.yaml"
    result = export_cluster(ExportOptions(STORE, NAME, str(file), Options()))
    objects = read(file)
    assert result.objects[0] == "Cluster demo-example-com"
    assert objects["Cluster"]["spec"]["controlPlaneEndpoint"]["host"]
    assert objects["AWSCluster"]["metadata"]["annotations"] == {"cluster.x-k8s.io/managed-by": "kubeops.kops"}
    ec2 = cluster.client("ec2")
    network = objects["AWSCluster"]["spec"]["network"]
    (subnet,) = ec2.describe_subnets(Filters=[{"Name": "tag:KubernetesCluster", "Values": [NAME]}])["Subnets"]
    assert network["vpc"]["id"] == subnet["VpcId"]
    assert [each["id"] for each in network["subnets"]] == [subnet["SubnetId"]]
    versions = ec2.describe_launch_template_versions(LaunchTemplateName=f"nodes-{ZONE}.{NAME}", Versions=["$Latest"])
    template = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    machine = objects["AWSMachineTemplate"]["spec"]["template"]["spec"]
    assert objects["Secret"]["data"]["value"] == template["UserData"]
    assert machine["instanceType"] == template["InstanceType"]
    assert machine["ami"] == {"id": template["ImageId"]}
    assert machine["iamInstanceProfile"] == template["IamInstanceProfile"]["Name"]
    tags = {each["Key"]: each["Value"] for each in template["TagSpecifications"][0]["Tags"]}
    assert machine["additionalTags"] == {key: value for key, value in tags.items() if key != "Name"}
    named = [each["filters"][0]["values"][0] for each in machine["additionalSecurityGroups"]]
    assert named == [f"nodes.{NAME}"]
    deployment = objects["MachineDeployment"]["spec"]["template"]["spec"]
    assert deployment["bootstrap"] == {"dataSecretName": objects["Secret"]["metadata"]["name"]}
    assert deployment["failureDomain"] == ZONE
    assert "PRIVATE KEY" not in base64.b64decode(template["UserData"]).decode()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("control_plane", CONTROL_PLANES)
def test_definitions_of_cluster_api_accept_it(
    cluster: Account, tmp_path: pathlib.Path, version: str, control_plane: str
) -> None:
    file = tmp_path / "cluster-api.yaml"
    export_cluster(ExportOptions(STORE, NAME, str(file), Options(control_plane, version)))
    assert [problem for each in yaml.safe_load_all(file.read_text()) for problem in problems_of(each)] == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("control_plane", CONTROL_PLANES)
def test_definitions_of_cluster_api_accept_each_case(version: str, control_plane: str) -> None:
    """Of all clouds."""
    for case in CASES:
        source = case.made() if control_plane == EXTERNAL else case.source()
        result = export(source, infrastructures()[case.cloud], Options(control_plane, version))
        assert [(case.name, problem) for each in result.objects for problem in problems_of(each)] == []


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("control_plane", CONTROL_PLANES)
def test_cases_of_kops_come_back(golden: pathlib.Path, control_plane: str, version: str) -> None:
    """Completed as kops completes them, they are valid and lose nothing."""
    known = infrastructures()
    for case in completed.cases(golden):
        given = manifest.load(case.source.read_text(), source=case.source.name, ignored=[])
        cluster = next(each for each in given if isinstance(each, Cluster))
        cloud = cloud_of(cluster).name
        if cloud not in known:
            continue
        groups = [each for each in given if isinstance(each, InstanceGroup)]
        done = completed.complete(case)
        source = Source(cluster, groups, done.cluster, done.groups, "api.example.com")
        objects = export(source, known[cloud], Options(control_plane, version)).objects
        assert [(case.name, problem) for each in objects for problem in problems_of(each)] == []
        read_cluster, read_groups = read_carried([inside(each) for each in objects], known[cloud], cloud)
        assert read_cluster == manifest.to_data(cluster), case.name
        wanted = sorted((manifest.to_data(each) for each in groups), key=lambda each: str(each["metadata"]["name"]))
        assert read_groups == wanted, case.name


def test_a_cluster_that_is_not_there_yet(account: Account, tmp_path: pathlib.Path) -> None:
    """Nothing could join its control plane; a new one of the same shape can be described."""
    account.create(zones=[ZONE])
    file = tmp_path / "cluster-api.yaml"
    with pytest.raises(KopsError, match="update_cluster first, or export with control_plane=kubeadm"):
        export_cluster(ExportOptions(STORE, NAME, str(file), Options()))
    assert not file.exists()
    result = export_cluster(ExportOptions(STORE, NAME, str(file), Options("kubeadm")))
    assert "KubeadmControlPlane demo-example-com-control-plane" in result.objects
    assert json.loads(read(file)["Cluster"]["metadata"]["annotations"]["kubeops.kops/manifest"])
    with pytest.raises(KopsError, match="is a directory; name a file in it"):
        export_cluster(ExportOptions(STORE, NAME, str(tmp_path), Options("kubeadm")))
