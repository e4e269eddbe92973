# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that nodes download, with their checksums, against what kops tells its nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assets import remap_image
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.assets import (
    ARCHITECTURES,
    file_assets,
    image_assets,
)
from ansible_collections.kubeops.kops.tests.golden import completed

NODE_CONFIGURATIONS = "data/*nodeupconfig*_content"


def test_nodes_get_the_files_that_kops_gives_them(golden: Path) -> None:
    compared, wrong = 0, []
    for case in completed.cases(golden):
        cluster = completed.complete(case).cluster
        # The checksums of Kubernetes' pre-releases are known to their publisher only.
        unpinned = ("kubelet", "kubectl") if "-" in str(cluster.spec.kubernetes_version) else ()
        for path in sorted(case.directory.glob(NODE_CONFIGURATIONS)):
            # Bastions get none.
            expected = yaml.safe_load(path.read_text()).get("Assets") or {}
            for architecture, files in expected.items():
                kops = [tuple(file.partition(",")[0].split("@")) for file in files]
                actual = [
                    (sha256 if file.kind in unpinned else file.sha256, file.url)
                    for file, (sha256, _url) in zip(file_assets(cluster, architecture), kops, strict=True)
                ]
                compared += 1
                if actual != kops:
                    wrong.append(f"{case.name} {path.name} {architecture}\n  kops: {kops}\n  here: {actual}")
    assert not wrong, "\n".join(wrong)
    if not compared:
        pytest.skip("none of the cases tells what files nodes get")


def test_files_and_images_are_among_those_that_kops_lists(golden: Path) -> None:
    compared = 0
    for case in completed.cases(golden):
        path = case.directory / "assets.yaml"
        if not path.is_file():
            continue
        compared += 1
        listed = yaml.safe_load(path.read_text())
        result = completed.complete(case)
        cluster = result.cluster
        files = {file.url: file.sha256 for architecture in ARCHITECTURES for file in file_assets(cluster, architecture)}
        assert files == {file["canonical"]: file["sha"] for file in listed["files"]}, case.name
        expected = {image["canonical"]: image["download"] for image in listed["images"]}
        for image in image_assets(cluster, result.groups):
            assert remap_image(image, cluster.spec.assets) == expected[image], f"{case.name} {image}"
    if not compared:
        pytest.skip("none of the cases lists its assets")
