# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids of instances, names of Nodes and provider ids, by the row of a cloud."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.instance_ids import EC2, InstanceIds


@pytest.mark.parametrize(
    ("text", "is_id", "is_name"),
    [
        ("i-0123456789abcdef0", True, True),
        ("i-1234abcd", True, True),
        ("i-1234abc", False, False),
        ("i-0123456789abcdef0\n", False, False),
        ("ip-10-0-0-7.eu-west-1.compute.internal", False, True),
        ("ip-10-0-0-7", False, False),
        ("rack-1", False, False),
        ("", False, False),
    ],
)
def test_names_of_ec2(text: str, is_id: bool, is_name: bool) -> None:
    assert (EC2.is_id(text), EC2.is_name(text)) == (is_id, is_name)


def test_provider_ids() -> None:
    made = EC2.provider_id("i-1234abcd", "us-test-1a")
    assert made == "aws:///us-test-1a/i-1234abcd"
    assert EC2.id_in(made) == "i-1234abcd"
    assert EC2.id_in("") == ""


def test_a_cloud_that_says_nothing_of_its_ids() -> None:
    """Nothing is taken for an instance that is gone."""
    ids = InstanceIds()
    assert not ids.is_id("i-1234abcd")
    assert not ids.is_name("i-1234abcd")
    assert ids.id_in("openstack:///4a8d") == "4a8d"
