# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import CLOUDS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.loader_text import from_store
from ansible_collections.kubeops.kops.plugins.module_utils.node.clouds import this_instance


@pytest.mark.parametrize("name", [cloud.name for cloud in CLOUDS.values()])
def test_whoever_has_a_loader_can_boot(name: str) -> None:
    if from_store(name):
        assert callable(this_instance(name).facts)
        return
    with pytest.raises(ConfigError, match=f"instances of {name} cannot become nodes by themselves yet; aws can"):
        this_instance(name)
