# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What selectors of labels find."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.selectors import selects

EXPRESSION = {"key": "tier", "operator": "In", "values": ["front", "back"]}
SELECTOR = {"matchLabels": {"app": "web"}, "matchExpressions": [EXPRESSION]}


@pytest.mark.parametrize(
    ("namespace", "labels", "expected"),
    [
        ("default", {"app": "web", "tier": "front", "more": "yes"}, True),
        ("other", {"app": "web", "tier": "front"}, False),
        ("default", {"app": "web", "tier": "side"}, False),
        ("default", {"app": "web"}, False),
        ("default", {"tier": "front"}, False),
        ("default", None, False),
    ],
)
def test_pods_of_a_workload(namespace: str, labels: dict[str, str] | None, expected: bool) -> None:
    """A manifest may leave out the namespace "default"."""
    workload: dict[str, Any] = {"metadata": {"name": "web"}, "spec": {"selector": SELECTOR}}
    assert selects(workload, {"metadata": {"namespace": namespace, "labels": labels}}) is expected
