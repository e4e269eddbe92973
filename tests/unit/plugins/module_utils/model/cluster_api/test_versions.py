# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two versions of Cluster API's own kinds, and what objects are inside."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.versions import inside, spelled

REFERENCE = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "AWSMachineTemplate", "name": "nodes"}
ARGUMENTS = {"v": "2", "feature-gates": "A=true"}
CONTROL_PLANE: dict[str, Any] = {
    "apiVersion": "",
    "kind": "KubeadmControlPlane",
    "spec": {
        "machineTemplate": {"spec": {"infrastructureRef": REFERENCE}},
        "kubeadmConfigSpec": {"clusterConfiguration": {"apiServer": {"extraArgs": ARGUMENTS}}},
    },
}


def test_v1beta1() -> None:
    found = spelled(CONTROL_PLANE, "v1beta1")
    assert found["apiVersion"] == "controlplane.cluster.x-k8s.io/v1beta1"
    assert found["spec"]["machineTemplate"] == {"infrastructureRef": REFERENCE}
    assert found["spec"]["kubeadmConfigSpec"]["clusterConfiguration"]["apiServer"]["extraArgs"] == ARGUMENTS


def test_v1beta2() -> None:
    found = spelled(CONTROL_PLANE, "v1beta2")
    reference = {"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "AWSMachineTemplate", "name": "nodes"}
    assert found["spec"]["machineTemplate"]["spec"]["infrastructureRef"] == reference
    listed = [{"name": "feature-gates", "value": "A=true"}, {"name": "v", "value": "2"}]
    assert found["spec"]["kubeadmConfigSpec"]["clusterConfiguration"]["apiServer"]["extraArgs"] == listed


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_inside_they_are_alike(version: str) -> None:
    back = inside(spelled(CONTROL_PLANE, version))["spec"]
    assert back["kubeadmConfigSpec"] == CONTROL_PLANE["spec"]["kubeadmConfigSpec"]
    assert back["machineTemplate"]["spec"]["infrastructureRef"]["name"] == "nodes"


def test_other_kinds_stay_as_they_are() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {}}
    assert spelled(secret, "v1beta1") == inside(secret) == secret


def test_a_version_that_is_not_known() -> None:
    with pytest.raises(
        KopsError, match="Cluster: cluster.x-k8s.io/v1alpha3 is not read; versions are v1beta1, v1beta2"
    ):
        inside({"apiVersion": "cluster.x-k8s.io/v1alpha3", "kind": "Cluster"})
