# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of EBS volumes where no case of kops has it."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.addons.aws.ebs_csi_driver.addon import ADDON

from .conftest import Make

EBS = "spec.cloudProvider.aws.ebsCSIDriver"


def pod(workload: dict[str, Any]) -> dict[str, Any]:
    return workload["spec"]["template"]["spec"]


def test_selinux_needs_paths_of_the_host_and_a_driver_that_mounts_with_it(make: Make) -> None:
    objects = make(ADDON, features=frozenset({"SELinuxMount"}))
    node = pod(objects["DaemonSet ebs-csi-node"])
    assert {"name": "etc-selinux", "mountPath": "/etc/selinux"} in node["containers"][0]["volumeMounts"]
    assert [volume["name"] for volume in node["volumes"]][-3:] == ["etc-selinux", "sys-fs", "probe-dir"]
    assert objects["CSIDriver ebs.csi.aws.com"]["spec"]["seLinuxMount"] is True
    assert "seLinuxMount" not in make(ADDON)["CSIDriver ebs.csi.aws.com"]["spec"]


def test_with_a_role_of_its_own_the_controller_runs_on_any_node(make: Make) -> None:
    values = {"spec.iam.useServiceAccountExternalPermissions": True}
    controller = pod(make(ADDON, values)["Deployment ebs-csi-controller"])
    terms = controller["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    keys = [[each["key"] for each in term["matchExpressions"]] for term in terms["nodeSelectorTerms"]]
    assert keys == [["kubernetes.io/os"], ["kubernetes.io/os"]]
    assert "hostNetwork" not in controller
    assert [each.get("key") for each in controller["tolerations"]] == ["CriticalAddonsOnly", None]


def test_the_rate_of_calls_is_that_of_the_specification(make: Make) -> None:
    values = {f"{EBS}.kubeAPIQPS": "40", f"{EBS}.kubeAPIBurst": 200}
    provisioner = pod(make(ADDON, values)["Deployment ebs-csi-controller"])["containers"][1]
    assert {"--kube-api-qps=40", "--kube-api-burst=200"} <= set(provisioner["args"])


def test_on_the_network_of_the_host_the_zone_is_no_condition(make: Make) -> None:
    node = pod(make(ADDON, {f"{EBS}.hostNetwork": True})["DaemonSet ebs-csi-node"])
    terms = node["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert node["hostNetwork"] is True
    assert "topology.kubernetes.io/zone" not in [each["key"] for each in terms[0]["matchExpressions"]]
