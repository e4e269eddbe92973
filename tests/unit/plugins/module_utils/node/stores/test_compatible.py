# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import CLOUDS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.stores import SCHEMES
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import do, hos
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess

ACCESS = GivenAccess(lambda: {"id": "key", "secret": "secret"})


def test_those_that_nodes_read_are_of_clouds_with_endpoints():
    of_clouds = {cloud.store_scheme for cloud in CLOUDS.values() if cloud.store_endpoint}
    assert of_clouds & {*SCHEMES} == {"do", "hos"}


@pytest.mark.parametrize("module", [do, hos])
def test_without_an_endpoint_nothing_is_asked_of_amazon(module, monkeypatch):
    monkeypatch.delenv("S3_ENDPOINT", raising=False)
    with pytest.raises(KopsError, match="S3_ENDPOINT, which user data tells, is not set"):
        module.store(ACCESS)
