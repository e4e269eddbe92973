# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of a bare-metal cluster: tests/integration/test_dumps_and_addons.py has those of AWS."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.index import INDEX
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status import addons as addons_info
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.addons import AddonsOptions, read_addons

NAME = "metal.example.com"


class Client:
    """A cluster that has recorded these addons: name -> what."""

    def __init__(self, records: dict[str, dict[str, Any]]) -> None:
        self.annotations = {f"addons.k8s.io/{name}": json.dumps(record) for name, record in records.items()}

    def get(self, path: str) -> dict[str, Any]:
        assert path == "/api/v1/namespaces/kube-system"
        return {"metadata": {"annotations": self.annotations}}


def test_what_the_controller_has_applied_is_known_by_its_id(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record has a hash of the objects, the store has one of its file."""
    url = f"file://{tmp_path}"
    wanted = {"cloud": "metal", "zones": ["main"], "networking": "flannel", "kubernetes_version": "1.34.2"}
    create_cluster({"name": NAME, "state_store": url, **wanted}, check_mode=False)
    entries = [{"name": name, "id": "k8s-1.12", "manifestHash": "of-the-file"} for name in ("a", "b", "c", "d")]
    path = tmp_path / NAME / INDEX
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump({"kind": "Addons", "spec": {"addons": entries}}))
    records = {
        "a": {"id": "k8s-1.12", "manifestHash": "of-the-objects"},
        "b": {"id": "k8s-1.9", "manifestHash": "of-the-objects"},
        "d": {"id": "k8s-1.12"},
    }
    monkeypatch.setattr(addons_info, "api_client", lambda *_: Client(records))
    found = read_addons(AddonsOptions(url, NAME)).found
    assert {each["name"]: each["status"] for each in found} == {
        "a": "applied",
        "b": "pending",
        "c": "missing",
        "d": "pending",
    }
