# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The small completed cluster, in Google Cloud."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.gce.builders import build

STORE = "gs://store/demo.example.com"
FIELDS: dict[str, Any] = {
    "cloudProvider": {"gce": {"project": "my-project"}},
    "configStore.base": STORE,
    "etcdClusters": [
        {
            "name": name,
            "version": "3.5.21",
            "etcdMembers": [{"name": "b", "instanceGroup": "control-plane"}],
            "backups": {"backupStore": f"{STORE}/backups/etcd/{name}"},
        }
        for name in ("main", "events")
    ],
    "networking.networkCIDR": None,
    "networking.subnets": [{"name": "us-east1", "region": "us-east1", "type": "Public", "cidr": "10.0.16.0/20"}],
}
GROUP = {"subnets": ["us-east1"], "zones": ["us-east1-b"], "image": "ubuntu-os-cloud/ubuntu-2404"}


@pytest.fixture(name="model")
def make_model(context_of):
    """Function: the tasks of the small cluster, with fields of its spec and its groups varied as context_of does."""

    def make(
        fields: dict[str, Any] | None = None, groups: dict[str, dict[str, Any]] | None = None, **more: Any
    ) -> dict[str, Any]:
        given = groups or {}
        names = {"control-plane", "nodes", *given}
        return build(
            context_of(
                {**FIELDS, **(fields or {})},
                {name: {**GROUP, **given.get(name, {})} for name in sorted(names)},
                **{"facts": SimpleNamespace(region="us-east1"), **more},
            )
        )

    return make


@pytest.fixture(name="of_kind")
def make_of_kind():
    """Function: the tasks of a kind by their names, without the cluster's at the end."""

    def choose(tasks: dict[str, Any], kind: str) -> dict[str, Any]:
        return {task.name.replace("-demo-example-com", ""): task for task in tasks.values() if task.kind == kind}

    return choose
