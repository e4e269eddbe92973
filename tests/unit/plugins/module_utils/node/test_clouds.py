# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud import Cloud
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import CLOUDS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.node.clouds import this_instance


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=lambda cloud: cloud.name)
def test_a_cloud_that_starts_nodes_can_boot(cloud: Cloud) -> None:
    if cloud.starts_nodes:
        assert callable(this_instance(cloud.name).facts)
        return
    with pytest.raises(ConfigError, match=f"instances of {cloud.name} cannot become nodes by themselves yet; aws can"):
        this_instance(cloud.name)
