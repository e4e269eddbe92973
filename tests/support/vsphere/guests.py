# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests of machines of a simulator, which boot nothing: who is on gets an address, and what it was told is kept."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import threading
from collections.abc import Iterator
from typing import Any

from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, done
from ansible_collections.kubeops.kops.tests.support.vsphere.whole_clusters import user_data_of
from pyVmomi import vim, vmodl

_PAUSE = 0.2


@contextlib.contextmanager
def booting(vcenter: VCenter, directory: pathlib.Path) -> Iterator[None]:
    """Machines of clusters boot meanwhile. directory: where their user data are kept, by their names."""
    over, numbers = threading.Event(), itertools.count(1)

    def watch() -> None:
        with vcenter.client() as instance:
            while not over.wait(_PAUSE):
                for each in _machines(instance):
                    with contextlib.suppress(vmodl.fault.ManagedObjectNotFound):
                        _boot(each, directory, numbers)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _machines(instance: Any) -> list[Any]:
    content = instance.RetrieveContent()
    view = content.viewManager.CreateContainerView(content.rootFolder, [vim.VirtualMachine], True)
    try:
        return list(view.view)
    finally:
        view.Destroy()


def _boot(machine: Any, directory: pathlib.Path, numbers: Iterator[int]) -> None:
    said = {each.key: str(each.value) for each in machine.config.extraConfig}
    is_on = machine.runtime.powerState == "poweredOn"
    if "kubeops.cluster" in said and is_on and not machine.guest.ipAddress:
        (directory / f"{machine.name}.user-data").write_text(user_data_of(said))
        option = vim.option.OptionValue(key="SET.guest.ipAddress", value=f"10.0.0.{next(numbers)}")
        done(machine.ReconfigVM_Task(vim.vm.ConfigSpec(extraConfig=[option])))
