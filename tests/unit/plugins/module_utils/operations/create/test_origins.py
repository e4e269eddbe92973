# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A field of the inferred specification that is refused names the option that the user has to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({"admin_access": ["10.0.0.0/33"]}, {("admin_access", "sshAccess"), ("admin_access", "kubernetesAPIAccess")}),
        ({"ssh_access": ["here"]}, {("ssh_access", "sshAccess")}),
        ({"control_plane_count": 2}, {("control_plane_count", "etcdMembers")}),
        ({"node_volume_size": -1}, {("node_volume_size", "rootVolume")}),
        ({"etcd_clusters": ["main", "other"]}, {("etcd_clusters", "etcdClusters")}),
        ({"kubernetes_feature_gates": ["a b"]}, {("kubernetes_feature_gates", "featureGates")}),
        ({"api_public_name": "10.0.0.300"}, {("api_public_name", "publicName")}),
        ({"dns": "public"}, {("dns", "dns")}),
        # This one was not an option.
        ({"set": ["spec.kubelet.maxPods=-1"]}, {("", "maxPods")}),
    ],
)
def test_problems_name_options(tmp_path: Path, given: dict[str, Any], places: set[tuple[str, str]]) -> None:
    plain = {"name": "metal.example.com", "state_store": f"file://{tmp_path}", "cloud": "metal", "zones": ["main"]}
    with pytest.raises(ValidationError) as raised:
        create_cluster({**plain, "networking": "flannel", "kubernetes_version": "1.34.2", **given}, check_mode=False)
    found = {(each.where, field) for each in raised.value.errors for _where, field in places if field in each.path}
    assert found == places
    assert {each.where for each in raised.value.errors} == {where for where, _field in places}
    assert list(tmp_path.iterdir()) == []
