# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wanted of a cluster: old versions of Kubernetes are refused, unless the environment allows them."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import desired

CLUSTER = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: {name: demo.example.com}
spec:
  cloudProvider: aws
  kubernetesVersion: VERSION
"""


@pytest.mark.parametrize(
    ("version", "environment", "refused"),
    [
        ("1.31.9", {}, True),
        # As a credential of AWX sets a field that is not filled in.
        ("1.31.9", {"KOPS_RUN_OBSOLETE_VERSION": ""}, True),
        ("1.31.9", {"KOPS_RUN_OBSOLETE_VERSION": "yes"}, False),
        ("1.32.0", {}, False),
    ],
)
def test_old_versions(
    version: str, environment: dict[str, str], refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KOPS_RUN_OBSOLETE_VERSION", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (cluster,) = manifest.load(CLUSTER.replace("VERSION", version))
    assert isinstance(cluster, Cluster)
    found = [each.path for each in desired._problems_of_store(frozenset(), cluster, [])]
    assert found == (["spec.kubernetesVersion"] if refused else [])
