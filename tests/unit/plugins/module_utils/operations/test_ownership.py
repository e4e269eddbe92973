# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import types
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.ownership import remade_keys
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.table import TARGETS
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "demo.example.com"
TEMPLATE = """resource "aws_launch_template" "nodes" {
  user_data = filebase64("${path.module}/data/aws_launch_template_nodes_user_data")
}
"""


def _ask(directory: Path, tmp_path: Path, *adopt: str) -> list[str]:
    store = ClusterStore.open(f"file://{tmp_path}/store", NAME, adopt=adopt)
    options: Any = types.SimpleNamespace(out=str(directory))
    return TARGETS["terraform"].takeovers(options, store, Cluster(metadata=ObjectMeta(name=NAME)))


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
        ("other.example.com", "", "other.example.com", "the Terraform configuration of cluster other.example.com"),
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


KEY_PAIRS = {"etcd-peers-ca-main": ["7"], "service-account": ["7", "9", "10"]}


def _remade(tmp_path: Path, *made: str, adopt: str = "", stored: dict[str, list[str]] | None = None) -> list[str]:
    """Of a cluster whose instances have key pairs of two keysets; others have user data of their own."""
    boot = json.dumps({"keysets": {"etcd-peers-ca-main": ["7"], "service-account": ["8", "9"]}})
    texts = ["#!/bin/bash\n", f"cat > /etc/kubeops/boot.json << '__EOF_BOOT'\n{boot}\n__EOF_BOOT\n"]
    looking = types.SimpleNamespace(user_data_of_templates=lambda _cloud: texts)
    provider: Any = types.SimpleNamespace(looking=looking, explain=str)
    store = ClusterStore.open(f"file://{tmp_path}/store", NAME, adopt=[adopt])
    nothing: Any = None
    cluster = Cluster(metadata=ObjectMeta(name=NAME))
    return remade_keys(store, cluster, provider, nothing, made, lambda name: (stored or KEY_PAIRS)[name])


def test_key_pairs_that_instances_have_are_not_made_anew_without_a_word(tmp_path: Path) -> None:
    assert _remade(tmp_path) == _remade(tmp_path, "apiserver-aggregator-ca") == []
    with pytest.raises(KopsError, match=f"etcd-peers-ca-main, service-account, which.*adopt: .*/store/{NAME} "):
        _remade(tmp_path, "service-account", "etcd-peers-ca-main", "apiserver-aggregator-ca")
    with pytest.raises(KopsError, match="the key pairs of service-account, which"):
        _remade(tmp_path, "service-account", adopt="s3://elsewhere")
    (warning,) = _remade(tmp_path, "service-account", adopt=f"file://{tmp_path}/store/{NAME}")
    assert "others are made" in warning


def test_key_pairs_that_were_replaced_by_those_of_another_cluster(tmp_path: Path) -> None:
    """As little as lost ones: instances sign and verify with the former ones."""
    with pytest.raises(KopsError, match="the key pairs of service-account, which .* not in the state store any more"):
        _remade(tmp_path, stored={**KEY_PAIRS, "service-account": ["11", "12"]})
    replaced = {name: ["11"] for name in KEY_PAIRS}
    (warning,) = _remade(tmp_path, stored=replaced, adopt=f"file://{tmp_path}/store/{NAME}")
    assert "etcd-peers-ca-main, service-account" in warning
    assert "but others are" in warning
