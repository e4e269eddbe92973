# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keysets that cannot sign are told before a run says that there is nothing to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.known_keys import KnownKeys
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KeysetError
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, Subject
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME = "demo.example.com"
AUTHORITIES = ("kubernetes-ca", "service-account")


@pytest.fixture(name="store")
def make_store(tmp_path: Path) -> ClusterStore:
    store = ClusterStore.open(f"file://{tmp_path}", NAME)
    for name in AUTHORITIES:
        store.keysets.create(name, CertificateRequest("ca", Subject(name)))
    return store


def problems(store: ClusterStore) -> list[str]:
    return [each.message for each in KnownKeys(store, store.tree()).problems()]


def spoil(tmp_path: Path, name: str, **change: Any) -> None:
    """Change each key pair of a stored keyset; None removes a field."""
    path = tmp_path / NAME / "pki" / "private" / name / "keyset.yaml"
    stored = yaml.safe_load(path.read_text())
    keys = [{**key, **change} for key in stored["spec"]["keys"]]
    stored["spec"]["keys"] = [{field: value for field, value in key.items() if value is not None} for key in keys]
    path.write_text(yaml.safe_dump(stored))


def test_keysets_that_can_sign(store: ClusterStore) -> None:
    assert problems(store) == []
    keys = KnownKeys(store, store.tree())
    assert len(keys.all_ids("service-account")) == 1
    assert keys.all_ids("apiserver-aggregator-ca") == []


@pytest.mark.parametrize("name", AUTHORITIES)
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"privateMaterial": None}, "its primary key pair .* has no private key;"),
        ({"publicMaterial": None}, "its primary key pair .* has no certificate;"),
        ({"distrustTimestamp": "2026-01-01T00:00:00Z"}, "has no key pair that is trusted;"),
    ],
)
def test_keysets_that_cannot(
    store: ClusterStore, tmp_path: Path, name: str, change: dict[str, Any], problem: str
) -> None:
    spoil(tmp_path, name, **change)
    (told,) = problems(store)
    assert told.startswith(f"keyset {name}: ")
    assert f"pki/private/{name}/keyset.yaml" in told
    assert re.search(problem, told)


def test_a_distrusted_key_pair_needs_no_private_key(store: ClusterStore, tmp_path: Path) -> None:
    keyset = store.keysets.get("service-account")
    first = keyset.primary
    assert first is not None
    keyset.add(pki.issue(CertificateRequest("ca", Subject("service-account"))), primary=True)
    keyset.distrust([first.id])
    first.private_key = ""
    store.keysets.store("service-account", keyset)
    assert problems(store) == []
    assert first.id in KnownKeys(store, store.tree()).all_ids("service-account")


def test_a_file_that_is_no_keyset_is_named(store: ClusterStore, tmp_path: Path) -> None:
    path = tmp_path / NAME / "pki" / "private" / "service-account" / "keyset.yaml"
    path.write_text("")
    with pytest.raises(KeysetError, match=f"{path} must contain one Keyset"):
        problems(store)
