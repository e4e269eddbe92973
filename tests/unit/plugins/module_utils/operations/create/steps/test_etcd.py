# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of etcd members."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.steps.etcd import member_names


@pytest.mark.parametrize(
    ("groups", "members"),
    [
        (["control-plane-us-east-1a"], ["a"]),
        (["control-plane-us-east-1a", "control-plane-us-east-1b"], ["a", "b"]),
        (["control-plane-fsn1-1", "control-plane-fsn1-2"], ["etcd-1", "etcd-2"]),
        (["control-plane-a-1", "control-plane-b-1", "control-plane-a-2"], ["a-1", "b-1", "a-2"]),
    ],
)
def test_etcd_member_names(groups, members):
    assert member_names(groups) == members
