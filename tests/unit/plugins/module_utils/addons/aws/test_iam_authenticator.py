# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The IAM authenticator where no case of kops has it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.aws.iam_authenticator import ADDON

from .conftest import Make, Objects

SPEC = "spec.authentication.aws"
MAPPINGS = {f"{SPEC}.identityMappings": [{"arn": "arn:aws:iam::1:role/a", "username": "a"}]}


def pod(objects: Objects) -> dict[str, Any]:
    return objects["DaemonSet aws-iam-authenticator"]["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("", {"--config=/etc/aws-iam-authenticator/config.yaml"}),
        ("MountedFile", {"--config=/etc/aws-iam-authenticator/config.yaml", "--backend-mode=MountedFile"}),
        ("CRD", {"--cluster-id=demo.example.com", "--backend-mode=CRD"}),
        ("CRD,MountedFile", {"--config=/etc/aws-iam-authenticator/config.yaml", "--backend-mode=CRD,MountedFile"}),
    ],
)
def test_identities_come_from_where_the_specification_says(make: Make, mode: str, expected: set[str]) -> None:
    objects = make(ADDON, {f"{SPEC}.backendMode": mode, **MAPPINGS})
    common = {"server", "--state-dir=/var/aws-iam-authenticator", "--kubeconfig-pregenerated=true"}
    assert set(pod(objects)["containers"][0]["args"]) - common == expected
    reads_file = any(argument.startswith("--config=") for argument in expected)
    assert ("config" in [volume["name"] for volume in pod(objects)["volumes"]]) is reads_file
    assert ("IAMIdentityMapping iam-identity-mapping-0" in objects) is ("CRD" in mode)


def test_it_runs_where_the_api_server_runs(make: Make) -> None:
    assert pod(make(ADDON))["nodeSelector"] == {"node-role.kubernetes.io/control-plane": ""}
    with_own_nodes = make(ADDON, features=frozenset({"APIServerNodes"}))
    assert pod(with_own_nodes)["nodeSelector"] == {"node-role.kubernetes.io/api-server": ""}


def test_its_resources_are_those_of_the_specification(make: Make) -> None:
    resources = pod(make(ADDON, {f"{SPEC}.cpuLimit": "200m", f"{SPEC}.memoryRequest": "64Mi"}))["containers"][0]
    assert resources["resources"] == {
        "requests": {"cpu": "10m", "memory": "64Mi"},
        "limits": {"cpu": "200m", "memory": "20Mi"},
    }
