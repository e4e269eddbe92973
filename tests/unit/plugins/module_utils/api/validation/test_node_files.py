# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users add to nodes, where files come from, and rolling updates."""

from __future__ import annotations

import pytest


def hook(**change):
    return {"hooks": [{"name": "a", **change}]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (hook(manifest="x"), []),
        (hook(), ["Required::spec.hooks[0]"]),
        (hook(enabled=False), []),
        (hook(execContainer={"image": "x"}), []),
        (hook(execContainer={"command": ["x"]}), ["Required::spec.hooks[0].execContainer.image"]),
        (hook(useRawManifest=True, manifest="[Service]\nExecStart=x"), []),
        (hook(useRawManifest=True), ["Required::spec.hooks[0]"] * 2),
        (
            hook(useRawManifest=True, execContainer={"image": "x"}),
            ["Forbidden::spec.hooks[0]", "Required::spec.hooks[0]"],
        ),
        (hook(useRawManifest=True, manifest="x", before=["a"]), ["Forbidden::spec.hooks[0]"]),
        (hook(useRawManifest=True, manifest="x", requires=["a"]), ["Forbidden::spec.hooks[0]"]),
        ({"fileAssets": [{"name": "a", "content": "b"}]}, []),
        ({"fileAssets": [{}]}, ["Required::spec.fileAssets[0].content", "Required::spec.fileAssets[0].name"]),
        ({"sysctlParameters": ["a=b", "c"]}, ["Invalid::spec.sysctlParameters[1]"]),
        ({"updatePolicy": "external"}, []),
        ({"updatePolicy": ""}, ["NotSupported::spec.updatePolicy"]),
    ],
)
def test_of_cluster_and_group(judge, judge_group, spec, expected):
    assert judge(spec) == expected
    assert judge_group(spec) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"name": "a", "type": "text/x-shellscript", "content": "x"}, []),
        ({"type": "text/x-shellscript", "content": "x"}, ["Required::additionalUserData.name"]),
        ({"name": "a", "type": "text/x-shellscript"}, ["Required::additionalUserData.content"]),
        ({"name": "a", "type": "text/plain", "content": "x"}, ["NotSupported::additionalUserData.type"]),
        ({"name": "a", "content": "x"}, ["NotSupported::additionalUserData.type"]),
    ],
)
def test_user_data(judge_group, part, expected):
    assert judge_group({"additionalUserData": [part]}) == expected


@pytest.mark.parametrize(
    ("repository", "cloud", "valid"),
    [
        ("https://example.com/files", "aws", True),
        ("http://example.com/files", "gce", True),
        ("s3://bucket/kops", "aws", True),
        ("s3://bucket/kops", "gce", False),
        ("gs://bucket/kops", "gce", True),
        ("gs://bucket/kops", "aws", False),
        ("azureblob://account/container/kops", "azure", True),
        ("azureblob://account/container/kops", "aws", False),
        ("azureblob://account", "azure", False),
        ("example.com/files", "aws", False),
        ("https://", "aws", False),
        ("", "aws", False),
        ("https://host:port/", "aws", False),
    ],
)
def test_file_repository(judge, repository, cloud, valid):
    found = set(judge({"assets": {"fileRepository": repository}}, cloud))
    assert found == (set() if valid else {"Invalid::spec.assets.fileRepository"})


@pytest.mark.parametrize(
    ("region", "valid"), [("us-east-1", True), ("us-gov-west-1", True), ("cn-north-1", False), ("us-iso-east-1", False)]
)
def test_file_repository_in_s3_of_other_partitions(judge, region, valid):
    subnets = {"networking": {"subnets": [{"name": "a", "type": "Public", "zone": f"{region}a"}]}}
    found = judge({"assets": {"fileRepository": "s3://bucket/kops"}, **subnets})
    assert found == ([] if valid else ["Forbidden::spec.assets.fileRepository"])
    assert judge({"assets": {"fileRepository": "https://example.com/"}, **subnets}) == []


def test_registry_or_proxy(judge):
    both = {"containerProxy": "a", "containerRegistry": "b"}
    assert judge({"assets": both}) == ["Forbidden::spec.assets.containerProxy"]


@pytest.mark.parametrize(
    ("unavailable", "surge", "expected", "on_control_plane"),
    [
        (None, None, [], []),
        (0, None, [], []),
        ("0%", None, [], []),
        ("nope", None, ["Invalid::maxUnavailable"], ["Invalid::maxUnavailable"]),
        ("1", None, ["Invalid::maxUnavailable"], ["Invalid::maxUnavailable"]),
        ("x%", None, ["Invalid::maxUnavailable"], ["Invalid::maxUnavailable"]),
        (-1, None, ["Invalid::maxUnavailable"], ["Invalid::maxUnavailable"]),
        ("-1%", None, ["Invalid::maxUnavailable"], ["Invalid::maxUnavailable"]),
        (None, 0, [], []),
        (None, "0%", [], []),
        (None, 1, [], ["Forbidden::maxSurge"]),
        (None, "1%", [], ["Forbidden::maxSurge"]),
        (None, "nope", ["Invalid::maxSurge"], ["Invalid::maxSurge"]),
        (None, -1, ["Invalid::maxSurge"], ["Forbidden::maxSurge"]),
        (None, "-1%", ["Invalid::maxSurge"], ["Forbidden::maxSurge"]),
        (0, 0, ["Forbidden::maxSurge"], ["Forbidden::maxSurge"]),
        ("50%", 0, ["Forbidden::maxSurge"], ["Forbidden::maxSurge"]),
    ],
)
def test_rolling_update(judge, judge_group, unavailable, surge, expected, on_control_plane):
    spec = {"rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}}
    for found, wanted in (
        (judge(spec), expected),
        (judge_group(spec), expected),
        (judge_group(spec, role="ControlPlane"), on_control_plane),
    ):
        assert [problem.replace("spec.rollingUpdate.", "") for problem in found] == wanted
