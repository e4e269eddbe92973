# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A completed cluster on AWS to vary, and the objects that an addon has in it."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.iam.account import Account

DATA: dict[str, Any] = {
    "metadata": {"name": "demo.example.com"},
    "spec": {
        "kubernetesVersion": "1.34.4",
        "cloudProvider": {"aws": {"ebsCSIDriver": {"version": "v1.58.0"}}},
        "networking": {"nonMasqueradeCIDR": "100.64.0.0/10"},
    },
}

Objects = dict[str, dict[str, Any]]
Make = Callable[..., Objects]


@pytest.fixture
def make() -> Make:
    """Makes an addon: kind and name -> object. values: path of the specification -> value; others: of the context."""

    def objects(definition: AddonDefinition, values: dict[str, Any] | None = None, **context: Any) -> Objects:
        data = copy.deepcopy(DATA)
        for path, value in (values or {}).items():
            *parents, last = path.split(".")
            functools.reduce(lambda part, key: part.setdefault(key, {}), parents, data)[last] = value
        cluster = codec.from_plain(Cluster, data)
        where = {"groups": (), "region": "us-test-1", "account": Account("123456789012", "aws"), **context}
        addon = make_addon(definition, AddonContext(cluster, **where))
        assert addon is not None
        return {f"{obj['kind']} {obj['metadata']['name']}": obj for obj in addon.objects}

    return objects
