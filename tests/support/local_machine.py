# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A directory that is the whole machine for the modules of a process. See local_hosts.py."""

from __future__ import annotations

import pathlib

from ansible_collections.kubeops.kops.plugins.module_utils.node.system import machine
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost


class LocalMachine(FakeHost):
    """A machine with this address."""

    def __init__(self, root: pathlib.Path, address: str = "") -> None:
        super().__init__(root)
        self.distribution_units = {"chrony.service": {}, "logrotate.timer": {}}
        self._address = address

    def address(self) -> str:
        return self._address


def be(root: str, address: str) -> None:
    """Let the modules of this process find this machine, and no other. None of them may have been imported before."""
    find, host = machine.find_machine, LocalMachine(pathlib.Path(root), address)
    machine.find_machine = lambda *_root_and_host: find(root, host)
