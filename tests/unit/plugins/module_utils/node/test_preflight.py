# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a machine says of its firewall. The other facts are tested where they are used."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.preflight import observe
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node

UNIT = "system.slice/firewalld.service/cgroup.procs"


@pytest.mark.parametrize("place", ["", "systemd/", "unified/"])
def test_firewalld_that_runs_is_found_by_its_processes(node: Node, place: str) -> None:
    assert observe(find_machine(str(node.root), node.host))["firewalld"] is False
    processes = node.file(f"/sys/fs/cgroup/{place}{UNIT}")
    processes.parent.mkdir(parents=True)
    processes.write_text("")
    assert observe(find_machine(str(node.root), node.host))["firewalld"] is False
    processes.write_text("713\n")
    assert observe(find_machine(str(node.root), node.host))["firewalld"] is True


@pytest.mark.parametrize(("zone", "drops"), [("public", True), ("trusted", False)])
def test_firewalld_that_accepts_everything_drops_nothing(node: Node, zone: str, drops: bool) -> None:
    for path, text in ((f"/sys/fs/cgroup/{UNIT}", "713\n"), ("/etc/firewalld/firewalld.conf", f"DefaultZone={zone}\n")):
        node.file(path).parent.mkdir(parents=True)
        node.file(path).write_text(text)
    assert observe(find_machine(str(node.root), node.host))["firewalld"] is drops
