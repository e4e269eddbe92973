# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instances and nodes are not as they should be. Rules on data."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.versions import MARKED
from ansible_collections.kubeops.kops.plugins.module_utils.model.config import WORKERS_VERSION
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.nodes import of_instances
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import Instances

NOW = datetime.datetime(2026, 5, 8, 12, tzinfo=datetime.timezone.utc)
GOOD: dict[str, Any] = {
    "id": "i-1",
    "node": "i-1",
    "instance_group": "nodes",
    "role": "node",
    "status": "UpToDate",
    "reasons": [],
    "health": "healthy",
    "launched": "2026-05-08T11:00:00+00:00",
    "kubelet_version": "v1.34.1",
}


def applied(version: str = "1.34.1", workers: str = "") -> Cluster:
    cluster = Cluster()
    cluster.spec.kubernetes_version = version
    if workers:
        cluster.metadata.annotations[WORKERS_VERSION] = workers
    return cluster


def found(cluster: Cluster | None = None, **changes: Any) -> list[tuple[str, str, str, str]]:
    given = Instances([{**GOOD, **changes}])
    return [(each.where, each.what, each.kind, each.name) for each in of_instances(given, cluster or applied(), NOW)]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, []),
        ({"reasons": ["an older version"]}, [("cloud", "different", "Instance", "i-1")]),
        ({"reasons": [MARKED]}, [("cluster", "different", "Node", "i-1")]),
        ({"status": "Detached", "reasons": ["an older version"]}, [("cloud", "unwanted", "Instance", "i-1")]),
        ({"health": "missing", "node": "", "kubelet_version": ""}, [("cluster", "missing", "Node", "i-1")]),
        ({"health": "missing", "launched": "2026-05-08T11:55:00+00:00", "kubelet_version": ""}, []),
        # Nobody has asked for nodes, or it is a bastion.
        ({"health": "unknown", "kubelet_version": ""}, []),
        ({"health": "unhealthy"}, []),
        ({"kubelet_version": "v1.33.0"}, [("cluster", "different", "Node", "i-1")]),
        # An instance of an older launch template may have an older version.
        ({"kubelet_version": "v1.33.0", "reasons": ["older"]}, [("cloud", "different", "Instance", "i-1")]),
    ],
)
def test_an_instance(changes: dict[str, Any], wanted: list[tuple[str, str, str, str]]) -> None:
    assert found(**changes) == wanted


def test_workers_may_have_an_older_version_while_an_update_says_so() -> None:
    cluster = applied("1.35.0", workers="1.34.1")
    assert found(cluster) == []
    assert found(cluster, role="control-plane") == [("cluster", "different", "Node", "i-1")]


def test_instances_in_no_group() -> None:
    (stray,) = of_instances(Instances([], strays=[GOOD]), applied(), NOW)
    assert (stray.what, stray.name, stray.mend) == ("unwanted", "i-1", "kubeops.kops.delete_instance")
