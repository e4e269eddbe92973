# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of a node start from, against what kops hands its nodes (nodeupconfig) in a few of its cases."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_config
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.context import NodeContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.assets import file_assets
from ansible_collections.kubeops.kops.tests.golden.completed import Case, cases, complete

CASES = ("complex", "containerd-custom", "minimal-ipv6", "minimal-1.36", "nvidia", "privatecilium", "apiservernodes")


def case_of(golden, name) -> Case:
    return next(case for case in cases(golden) if case.directory.name == name)


def expected(case: Case) -> dict[str, dict]:
    found = {}
    for path in case.directory.glob("data/aws_s3_object_nodeupconfig-*_content"):
        group = re.fullmatch("aws_s3_object_nodeupconfig-(.+)_content", path.name)[1]
        found[group] = yaml.safe_load(path.read_text())
    return found


def contexts(golden, name) -> list[tuple[NodeContext, dict]]:
    case = case_of(golden, name)
    completed = complete(case)
    wanted = expected(case)
    return [
        (NodeContext(completed.cluster, group, region="us-test-1"), wanted[group.metadata.name])
        for group in completed.groups
        if group.metadata.name in wanted
    ]


@pytest.mark.parametrize("name", CASES)
def test_components_are_what_kops_hands_its_nodes(golden, name):
    for context, theirs in contexts(golden, name):
        if context.role == "Bastion":
            continue
        assert codec.to_plain(context.kubelet()) == theirs["KubeletConfig"]
        proxy = context.kube_proxy()
        assert (codec.to_plain(proxy) if proxy else None) == theirs.get("KubeProxy")
        assert codec.to_plain(context.containerd) == theirs["containerdConfig"]
        if context.has_api_server:
            assert codec.to_plain(context.kube_api_server()) == theirs["APIServerConfig"]["KubeAPIServer"]


@pytest.mark.parametrize("name", CASES)
def test_downloads_are_those_of_kops(golden, name):
    for context, theirs in contexts(golden, name):
        if context.role != "Bastion":
            listed = theirs["Assets"]["amd64"]
            published = {url: sha256 for sha256, _at, url in (line.partition("@") for line in listed)}

            # A pre-release is not in the table.
            files = [
                replace(file, sha256=file.sha256 or published[file.url])
                for file in file_assets(context.cluster, "amd64")
            ]
            downloads = node_config(replace(context, files=files))["downloads"]
            ours = {f"{download['sha256']}@{url}" for download in downloads for url in download["urls"]}
            assert ours == {line for line in listed if context.has_api_server or not line.endswith("/kubectl")}
