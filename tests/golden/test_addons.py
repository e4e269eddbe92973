# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons of kops' cases: those that are named here are equal to kops', object by object, as data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.golden import terraform

# Addon -> pattern of the file in a case's directory addons/.
COMPARED = {
    "aws-cloud-controller.addons.k8s.io": "aws-cloud-controller.addons.k8s.io-k8s-1.18.yaml",
    "coredns.addons.k8s.io": "coredns.addons.k8s.io-k8s-1.12.yaml",
    "kubelet-api.rbac.addons.k8s.io": "kubelet-api.rbac.addons.k8s.io-k8s-1.9.yaml",
    "limit-range.addons.k8s.io": "limit-range.addons.k8s.io.yaml",
    "nodelocaldns.addons.k8s.io": "nodelocaldns.addons.k8s.io-k8s-1.12.yaml",
}


def objects(text: str | bytes) -> list[Any]:
    """The objects of a manifest, in an order that does not depend on who wrote it. A null means unset."""
    found = [without_nulls(obj) for obj in yaml.safe_load_all(text) if obj]
    return sorted(found, key=lambda obj: (obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]))


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def rendered(case: terraform.Case, addon: str) -> list[Any]:
    pattern = re.compile(rf"aws_s3_object_.*-addons-{re.escape(addon)}(-.*)?_content")
    (content,) = (content for path, content in terraform.rendered(case).items() if pattern.search(path))
    return objects(content)


@pytest.mark.parametrize("addon", COMPARED)
def test_an_addon_has_the_objects_of_kops(golden: Path, addon: str) -> None:
    cases = [case for case in terraform.cases(golden) if (case.directory / "addons" / COMPARED[addon]).is_file()]
    assert cases
    for case in cases:
        expected = objects((case.directory / "addons" / COMPARED[addon]).read_text())
        assert rendered(case, addon) == expected, case.directory.name
