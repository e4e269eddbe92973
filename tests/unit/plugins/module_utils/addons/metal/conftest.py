# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on bare metal whose spec.addons names addons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AddonSpec, AssetsSpec, Cluster


@pytest.fixture
def named(cluster: Cluster) -> Callable[..., AddonContext]:
    """Function: the cluster with these names in spec.addons. assets: fields of spec.assets."""

    def make(*names: str, **assets: Any) -> AddonContext:
        cluster.spec.addons = [AddonSpec(manifest=name) for name in names]
        cluster.spec.assets = codec.from_plain(AssetsSpec, assets) if assets else None
        return AddonContext(cluster, ())

    return make
