# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two manifests differ."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.differing import differing


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"spec": {"minSize": 1}}, {"spec": {"minSize": 1}}, []),
        ({"spec": {"minSize": 1}}, {"spec": {"minSize": 2}}, [("spec.minSize", 1, 2)]),
        (None, {"kind": "Cluster", "spec": {"a": {"b": 1}}}, [("kind", None, "Cluster"), ("spec.a.b", None, 1)]),
        ({"a": {"b": 1}}, {}, [("a.b", 1, None)]),
        ({}, {"cni": {}}, [("cni", None, {})]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [("a[0].b", 1, 2)]),
        ({"a": [1]}, {"a": [1, 2]}, [("a", [1], [1, 2])]),
        ({"a": "text"}, {"a": {"b": 1}}, [("a", "text", {"b": 1})]),
        ({"labels": {}}, {"labels": {"kops.k8s.io/x": "y"}}, [('labels["kops.k8s.io/x"]', None, "y")]),
    ],
)
def test_the_deepest_places_that_differ(old: Any, new: Any, found: list[tuple[str, Any, Any]]) -> None:
    assert list(differing(old, new)) == found
