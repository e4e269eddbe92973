# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records of a zone are a cluster's."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.dns_names import is_own


@pytest.mark.parametrize(
    ("name", "kind", "ours"),
    [
        ("api", "A", True),
        ("api.internal", "AAAA", True),
        ("kops-controller.internal", "A", True),
        ("aaaa-api", "TXT", True),
        ("main.etcd.internal", "A", True),
        ("events.etcd.internal", "AAAA", True),
        ("etcd-a.internal", "A", True),
        ("etcd-events-b.internal", "A", True),
        ("main.etcd.internal", "MX", False),
        # A user's, and those of clusters whose names are below this one's.
        ("etcd-backup", "A", False),
        ("etcd-a.internal.dev", "A", False),
        ("main.etcd.internal.dev", "A", False),
        ("main.dev.etcd.internal", "A", False),
        ("api.dev", "A", False),
        ("www", "A", False),
        ("etcd.internal", "A", False),
        ("api.other", "A", False),
    ],
)
def test_names_of_the_cluster_itself_are_its_own(name: str, kind: str, ours: bool) -> None:
    assert is_own("demo.example.com", f"{name}.demo.example.com.", kind) is ours
    assert not is_own("demo.example.com", f"{name}.demo2.example.com.", kind)
