# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which claim a volume was made for, by what its driver has written."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.claims import claim_of

CREATED_FOR = "kubernetes.io/created-for/"


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ({}, ""),
        ({"Name": "a.etcd-main.demo.example.com", "k8s.io/etcd/main": "a/a"}, ""),
        ({f"{CREATED_FOR}pvc/name": "data", f"{CREATED_FOR}pvc/namespace": "web"}, "web/data"),
        ({f"{CREATED_FOR}pvc/name": "data"}, "data"),
        ({f"{CREATED_FOR}pv/name": "pvc-1", "CSIVolumeName": "pvc-1"}, "pvc-1"),
        ({"CSIVolumeName": "pvc-1", "ebs.csi.aws.com/cluster": "true"}, "pvc-1"),
    ],
)
def test_claim_of(said: dict[str, str], claim: str) -> None:
    assert claim_of(said) == claim
