# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a vCenter, and the ways to the API."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import Image, InstanceType
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import NoLogin
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.facts import VSphereFacts
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ingress import api_endpoints, api_targets
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.kinds import MACHINE
from ansible_collections.kubeops.kops.tests.support.vsphere import applying
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import TEMPLATE, VCenter


def test_machine_types_say_what_they_are() -> None:
    facts = VSphereFacts(applying.client())
    assert facts.instance_type("4cpu-8gb") == InstanceType("4cpu-8gb", vcpus=4, memory_mib=8192)
    assert facts.instance_type("t3.medium") is None
    assert facts.default_instance_type("ControlPlane", []) == facts.default_instance_type("Node", []) == "2cpu-4gb"
    assert facts.default_instance_type("Bastion", []) == "1cpu-1gb"
    assert (facts.zones(), facts.dns_zones(), facts.network_of_subnet("any")) == ([], [], None)


@pytest.mark.lab_programs
def test_images_and_networks(vcenter: VCenter) -> None:
    facts = VSphereFacts(applying.client())
    found = facts.image(TEMPLATE)
    by_path = facts.image(f"DC0/vm/{TEMPLATE}")
    assert isinstance(found, Image) and by_path is not None
    assert (found.id, found.name) == (by_path.id, TEMPLATE)
    # Machines are no templates.
    assert facts.image("DC0_C0_RP0_VM0") is None
    assert facts.network("VM Network") is not None
    assert facts.network("none") is None


def test_without_a_login_nothing_is_taken_for_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SERVER", "USER", "PASSWORD"):
        monkeypatch.delenv(f"VSPHERE_{name}", raising=False)
    with pytest.raises(NoLogin):
        VSphereFacts(applying.client()).image(TEMPLATE)


@pytest.mark.lab_programs
def test_control_planes_that_run_are_the_ways_to_the_api(vcenter: VCenter) -> None:
    applying.applied(applying.client(), applying.tasks())
    cloud = applying.client()
    made = []
    for number, role in ((1, names.CONTROL_PLANE), (2, names.CONTROL_PLANE), (3, names.NODE)):
        made.append(cloud.object(MACHINE, applying.machine(cloud, number, role=role)))
        vcenter.give_address(f"nodes-{number:06x}", f"10.0.0.{number}")
    assert [each.host for each in api_endpoints(cloud)] == ["10.0.0.1", "10.0.0.2"]
    cloud.run("switch it off", made[1].PowerOffVM_Task)
    assert [each.host for each in api_endpoints(cloud)] == ["10.0.0.1"]
    assert api_targets(cloud) is None
