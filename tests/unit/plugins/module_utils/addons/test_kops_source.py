# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons, against kops' own expectations: the cases of its updates, in a source tree that KOPS_SOURCE names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.index import index_text
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup

from tests.support.upstream import without_definitions

SOURCE = os.environ.get("KOPS_SOURCE", "")
CASES = Path(SOURCE) / "tests" / "integration" / "update_cluster"
if not SOURCE or not CASES.is_dir():
    pytest.skip("KOPS_SOURCE names no source tree of kops", allow_module_level=True)

WITH_ADDONS = sorted(path.parent.parent.name for path in CASES.glob("*/data/*addons-bootstrap_content"))
# Its work is that of this collection's runs.
NOT_OURS = "kops-controller.addons.k8s.io"


def objects(path: Path, kind: Any) -> list[Any]:
    return [obj for obj in manifest.load(path.read_text(), ignored=[]) if isinstance(obj, kind)]


def entry(addon: Addon) -> Any:
    return yaml.safe_load(index_text([addon]))["spec"]["addons"][0]


@pytest.mark.parametrize("case", WITH_ADDONS)
def test_the_index_is_that_of_kops(case: str) -> None:
    (cluster,) = objects(next((CASES / case).glob("data/*cluster-completed.spec_content")), Cluster)
    groups = objects(next((CASES / case).glob("in-*.yaml")), InstanceGroup)
    index = yaml.safe_load(next((CASES / case).glob("data/*addons-bootstrap_content")).read_text())["spec"]["addons"]
    found = addons_of(AddonContext(cluster, groups), without_definitions)
    # The user's own objects are among the inputs that are not read here.
    theirs = [each for each in index if each["name"] not in (NOT_OURS, "cluster-addons.kops.k8s.io")]
    ours = {addon.name: addon for addon in found.addons}
    assert sorted(ours) == sorted(each["name"] for each in theirs)
    assert [entry(ours[each["name"]]) for each in theirs if each["name"] in ours] == [
        each for each in theirs if each["name"] in ours
    ]
    assert [addon.name for addon in found.addons] == [each["name"] for each in theirs if each["name"] in ours]
