# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.ownership import taken_over_directory
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "demo.example.com"
TEMPLATE = """resource "aws_launch_template" "nodes" {
  user_data = filebase64("${path.module}/data/aws_launch_template_nodes_user_data")
}
"""


def _ask(directory: Path, tmp_path: Path, *adopt: str) -> list[str]:
    store = ClusterStore.open(f"file://{tmp_path}/store", NAME, adopt=adopt)
    return taken_over_directory(store, Cluster(metadata=ObjectMeta(name=NAME)), str(directory))


def _directory(path: Path, cluster: str, store: str = "") -> Path:
    (path / "data").mkdir(parents=True)
    named = f'locals {{\n  cluster_name = "{cluster}"\n}}\n' if cluster else ""
    (path / "kubernetes.tf").write_text(named + TEMPLATE)
    (path / "data" / "aws_launch_template_nodes_user_data").write_text(f"ConfigBase: {store}\n" if store else "")
    return path


def test_a_directory_that_may_be_written(tmp_path: Path) -> None:
    assert _ask(tmp_path / "new", tmp_path) == []
    assert _ask(_directory(tmp_path / "same", NAME), tmp_path) == []
    assert _ask(_directory(tmp_path / "ours", NAME, f"{tmp_path}/store/{NAME}"), tmp_path) == []


@pytest.mark.parametrize(
    ("cluster", "store", "owner", "what"),
    [
        ("other.example.com", "", "other.example.com", "the configuration of cluster other.example.com"),
        (NAME, f"s3://there/{NAME}", f"s3://there/{NAME}", "of another state store"),
        ("", "", "{directory}", "a kubernetes.tf that no cluster has written"),
    ],
)
def test_a_directory_of_another_cluster(tmp_path: Path, cluster: str, store: str, owner: str, what: str) -> None:
    directory = _directory(tmp_path / "out", cluster, store)
    owner = owner.format(directory=directory)
    with pytest.raises(KopsError, match=f"{what}.*adopt: {owner} "):
        _ask(directory, tmp_path, "third.example.com")
    (warning,) = _ask(directory, tmp_path, owner)
    assert f"is taken over from {owner}" in warning
