# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.google_instance_ids import COMPUTE_ENGINE


@pytest.mark.parametrize(
    ("text", "is_id"),
    [
        ("nodes-us-test1-a-x1y2", True),
        ("a-0000", True),
        ("n" * 58 + "-0000", True),
        ("n" * 59 + "-0000", False),
        ("nodes-a-x1y2\n", False),
        ("nodes-a-x1y", False),
        ("nodes-a-X1Y2", False),
        ("1-0000", False),
        ("nodes-a-x1y2.c.project.internal", False),
        ("", False),
    ],
)
def test_names_of_compute_engine(text: str, is_id: bool) -> None:
    """Nodes have the names of their instances, and no others."""
    assert (COMPUTE_ENGINE.is_id(text), COMPUTE_ENGINE.is_name(text)) == (is_id, is_id)


def test_provider_ids() -> None:
    """As the cloud controller manager of Google writes them."""
    made = COMPUTE_ENGINE.provider_id("nodes-a-x1y2", "my-project/us-test1-a")
    assert made == "gce://my-project/us-test1-a/nodes-a-x1y2"
    assert COMPUTE_ENGINE.id_in(made) == "nodes-a-x1y2"
