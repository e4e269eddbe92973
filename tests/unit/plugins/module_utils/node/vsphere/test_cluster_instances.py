# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines of a cluster, as its controllers see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.instances import certain_id
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.cluster_instances import VirtualMachines
from ansible_collections.kubeops.kops.tests.support import instances_contract as contract

from .fake_vcenter import FOLDER, NAME, OTHER, FakeVCenter


class Party:
    """Machines of vSphere, for the contract of instances."""

    group = "nodes-a"

    def __init__(self) -> None:
        self.vcenter = FakeVCenter()

    def instances(self) -> VirtualMachines:
        return VirtualMachines(self.vcenter, NAME, FOLDER, "control-plane-a-c5a001")

    def start(self, role: str, *, foreign: bool = False) -> str:
        name = f"machine-c5a00{len(self.vcenter.found) + 1}"
        return self.vcenter.machine(name, role, OTHER if foreign else NAME).name

    def end(self, instance: str) -> None:
        self.vcenter.found[instance] = replace(self.vcenter.found[instance], power="poweredOff")


# A provider id has the uuid of the machine, which does not tell its name.
CHECKS = [each for each in contract.CHECKS if each is not contract.ids_are_known_by_their_form]


@pytest.mark.parametrize("check", CHECKS, ids=lambda each: str(each.__name__))
def test_they_keep_the_contract(check: Callable[[contract.Party], None]) -> None:
    check(Party())


def test_a_node_is_its_machines_whatever_id_the_provider_has() -> None:
    instances = Party().instances()
    node = {"metadata": {"name": "nodes-c5a001"}, "spec": {"providerID": "vsphere://4223aaaa-0000-4000-8000-1"}}
    assert certain_id(node, instances.ids) == "nodes-c5a001"
    assert certain_id({"metadata": {"name": "by-hand"}, "spec": node["spec"]}, instances.ids) == ""
    assert instances.own_id() == "control-plane-a-c5a001"
