# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of many objects by one call."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import collecting
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.inventory import inventory, machine_places
from ansible_collections.kubeops.kops.tests.support.vsphere import applying
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import COMPUTE, OTHERS, TEMPLATE, VCenter
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import Wire

pytestmark = pytest.mark.lab_programs


def test_one_call_for_all(vcenter: VCenter, wire: Wire) -> None:
    cloud = applying.client()
    found = inventory(cloud)
    assert wire.calls.count("RetrievePropertiesEx") == 1
    (compute,) = found.of(("ClusterComputeResource",))
    (pool,) = found.of(("ResourcePool",))
    # References are ids.
    assert compute["name"] == COMPUTE
    assert compute["resourcePool"] == pool["id"]
    assert pool["owner"] == pool["parent"] == compute["id"]


def test_pages(vcenter: VCenter, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "_PAGE", 1)
    cloud = applying.client()
    assert {each["name"] for each in machine_places(cloud)} == {*OTHERS, TEMPLATE}
    assert "ContinueRetrievePropertiesEx" in wire.calls
    assert wire.writes == []
