# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""containerd and the runtimes before it."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.docker import DockerConfig
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry


def nri(version="2.1.0", **change):
    return {"version": version, "nri": {"enabled": True, **change}}


@pytest.mark.parametrize(
    ("containerd", "cloud", "expected"),
    [
        *(({"version": good}, "aws", []) for good in ("2.1.0", "2.3.4", "v2.2.0", "2.1")),
        *(({"version": old}, "aws", ["Invalid::version"]) for old in ("1.7.32", "2.0.7", "2.1.0-rc.1")),
        ({"version": "not-a-version"}, "aws", ["Invalid::version", "Invalid::version"]),
        (nri(), "aws", []),
        ({"nri": {"enabled": True}}, "aws", []),
        (nri(pluginRequestTimeout="2s", pluginRegistrationTimeout="5s"), "aws", []),
        (nri(pluginRequestTimeout="-1s"), "aws", ["Invalid::nri.pluginRequestTimeout"]),
        (nri(pluginRegistrationTimeout="0s"), "aws", ["Invalid::nri.pluginRegistrationTimeout"]),
        (nri("1.6.0"), "aws", ["Forbidden::nri", "Invalid::version"]),
        (nri("1.6.0", enabled=False), "aws", ["Invalid::version"]),
        (nri("2.1"), "aws", ["Forbidden::nri", "Invalid::nri.version"]),
        ({"packages": {"urlAmd64": "https://x/y", "hashAmd64": "0" * 64}}, "aws", []),
        ({"packages": {"urlAmd64": "https://x/y"}}, "aws", ["Invalid::packageUrl"]),
        ({"packages": {"hashAmd64": "0" * 64}}, "aws", ["Invalid::packageHash"]),
        ({"packages": {"urlArm64": "https://x/y"}}, "aws", ["Invalid::packageUrlArm64"]),
        ({"packages": {"hashArm64": "0" * 64}}, "aws", ["Invalid::packageHashArm64"]),
        (
            {"packages": {"urlAmd64": "https://x:y/", "hashAmd64": "0" * 65}},
            "aws",
            ["Invalid::packageHash", "Invalid::packageUrl"],
        ),
        ({"nvidiaGPU": {"enabled": True}}, "aws", []),
        ({"nvidiaGPU": {"enabled": True}}, "gce", ["Forbidden::nvidia"]),
        ({"nvidiaGPU": {"enabled": True}}, "openstack", ["Forbidden::nvidia"]),
        ({"nvidiaGPU": {"enabled": False}}, "gce", []),
        ({"gvisor": {"enabled": False}}, "aws", ["Forbidden::gvisor"]),
    ],
)
def test_containerd_of_a_cluster(judge, containerd, cloud, expected):
    found = judge({"containerd": containerd}, cloud)
    assert [problem.replace("::spec.containerd.", "::") for problem in found] == expected


@pytest.mark.parametrize(
    ("containerd", "cloud", "expected"),
    [
        ({"nvidiaGPU": {"enabled": True}}, "openstack", []),
        ({"nvidiaGPU": {"enabled": True}}, "gce", ["Forbidden::spec.containerd.nvidia"]),
        ({"gvisor": {"enabled": True}}, "aws", []),
        ({"version": "1.7.0"}, "aws", ["Invalid::spec.containerd.version"]),
    ],
)
def test_containerd_of_a_group(judge_in_cluster, containerd, cloud, expected):
    assert judge_in_cluster({"containerd": containerd}, cloud=cloud) == expected


@pytest.mark.parametrize(
    ("runtime", "docker", "expected"),
    [
        ("containerd", None, []),
        ("docker", None, ["Forbidden::spec.containerRuntime"]),
        ("rkt", None, ["NotSupported::spec.containerRuntime"]),
        (None, DockerConfig(), ["Forbidden::spec.docker"]),
    ],
)
def test_runtime(new_cluster, runtime, docker, expected):
    cluster = new_cluster()
    cluster.spec.container_runtime, cluster.spec.docker = runtime, docker
    assert [f"{error.type}::{error.path}" for error in entry.validate_cluster(cluster, strict=False)] == expected
