# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores that the instances of a cloud cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    load_manifests,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.node_stores import problems_of_stores

DIRECTORY = "s3://store/demo.example.com"


def _cluster(cloud: str, lines: str = "") -> Cluster:
    (found,) = manifest.load(
        "apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nmetadata:\n  name: demo.example.com\n"
        f"spec:\n  cloudProvider: {cloud}\n{lines}"
    )
    assert isinstance(found, Cluster)
    return found


@pytest.mark.parametrize(
    ("cloud", "directory", "lines", "paths"),
    [
        ("aws", DIRECTORY, "", []),
        ("aws", "/srv/kops/demo.example.com", "", ["spec.configBase"]),
        ("aws", "/srv/kops/demo.example.com", f"  configBase: {DIRECTORY}\n", []),
        ("aws", DIRECTORY, "  configBase: memfs://x\n", ["spec.configBase"]),
        (
            "aws",
            DIRECTORY,
            "  keyStore: file:///srv/pki\n  secretStore: gs://store/secrets\n",
            ["spec.keyStore", "spec.secretStore"],
        ),
        (
            "aws",
            DIRECTORY,
            "  etcdClusters:\n  - name: main\n  - name: events\n    backups:\n      backupStore: /srv/backups\n",
            ["spec.etcdClusters[1].backups.backupStore"],
        ),
        ("aws", "gs://store/demo.example.com", "", ["spec.configBase"]),
        # Control planes are given a key for S3.
        ("openstack", "swift://store/demo.example.com", "", []),
        ("openstack", DIRECTORY, "  secretStore: swift://store/secrets\n", []),
        ("openstack", "swift://store/demo.example.com", f"  keyStore: {DIRECTORY}\n", []),
        ("openstack", "gs://store/demo.example.com", f"  secretStore: {DIRECTORY}\n", ["spec.configBase"]),
        # Their instances do not become nodes by themselves.
        ("linode", "/srv/kops/demo.example.com", "", []),
    ],
)
def test_places(cloud: str, directory: str, lines: str, paths: list[str]) -> None:
    problems = problems_of_stores(_cluster(cloud, lines), directory)
    assert [problem.path for problem in problems] == paths
    where = {
        "aws": "instances of AWS cannot read this; keep the cluster's state in s3://",
        "openstack": "instances of OpenStack cannot read this; keep the cluster's state in swift:// or s3://",
    }
    assert {problem.message for problem in problems} <= {where.get(cloud)}


def test_nothing_is_stored(golden: Path, tmp_path: Path) -> None:
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text()
    wanted = sort_objects(load_manifests(["".join(x for x in text.splitlines(True) if "configBase" not in x)]))
    for check in (True, False):
        with pytest.raises(ValidationError, match="spec.configBase: instances of AWS cannot read this"):
            put(StoreOptions(f"file://{tmp_path}/store"), wanted, check=check)
    assert not (tmp_path / "store").exists()
