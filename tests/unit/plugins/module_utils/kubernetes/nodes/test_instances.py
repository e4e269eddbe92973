# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance of a Node: what the Node claims, and what is certain."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.instance_ids import EC2
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.instances import certain_id, claimed_id

A, B = "i-0000000a", "i-0000000b"


@pytest.mark.parametrize(
    ("name", "provider", "claimed", "certain"),
    [
        (A, f"aws:///zone/{A}", A, A),
        (A, None, "", A),
        (A, f"aws:///zone/{B}", B, ""),
        ("ip-10-0-0-7.ec2.internal", f"aws:///zone/{A}", A, A),
        ("ip-10-0-0-7.ec2.internal", None, "", ""),
        ("rack-1", "kind://docker/rack-1", "rack-1", ""),
    ],
)
def test_the_instance_of_a_node(name: str, provider: str | None, claimed: str, certain: str) -> None:
    node = {"metadata": {"name": name}, "spec": {"providerID": provider}}
    assert (claimed_id(node, EC2), certain_id(node, EC2)) == (claimed, certain)


def test_a_node_without_a_specification() -> None:
    assert claimed_id({"metadata": {"name": A}}, EC2) == ""
    assert certain_id({"metadata": {"name": A}}, EC2) == A
