# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the running kernel has, without commands."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import find_distribution
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply.kernel import NETWORK_MODULES, missing_modules
from ansible_collections.kubeops.kops.plugins.module_utils.node.observe import observe
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine

from ..fake_host import KERNEL


def machine(node: Any) -> Machine:
    distribution = find_distribution('ID=debian\nVERSION_ID="12"')
    assert distribution
    return Machine(str(node.root), node.host, distribution)


def test_modules_are_there_if_they_are_loaded_built_in_or_can_be_loaded(node: Any) -> None:
    """nf_tables is built in, as a file with a dash; ext4 is loaded."""
    node.file(f"/lib/modules/{KERNEL}/modules.dep").write_text(
        "kernel/net/ipv4/ipip.ko.zst: kernel/net/ipv4/ip_tunnel.ko.zst\nkernel/drivers/net/dummy.ko:\n"
    )
    node.file("/sys/module/vxlan").mkdir(parents=True)
    names = ("ext4", "nf_tables", "ipip", "ip_tunnel", "dummy", "vxlan", "wireguard")
    assert missing_modules(machine(node), names) == ["ip_tunnel", "wireguard"]


def test_nothing_is_missing_where_it_is_unknown_what_there_is(node: Any) -> None:
    node.file(f"/lib/modules/{KERNEL}/modules.builtin").unlink()
    assert missing_modules(machine(node), NETWORK_MODULES) == []


def test_a_machine_says_which_modules_of_networks_it_lacks(node: Any) -> None:
    found = observe(machine(node))["ready"]["missingModules"]
    assert found == [name for name in NETWORK_MODULES if name != "nf_tables"]


def test_a_machine_says_which_filesystems_of_networks_it_lacks(node: Any) -> None:
    assert observe(machine(node))["ready"]["missingFilesystems"] == []
    node.file("/proc/filesystems").write_text("nodev\tproc\nnodev\tcgroup2\n\text4\n")
    assert observe(machine(node))["ready"]["missingFilesystems"] == ["bpf"]
