# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A vCenter on loopback: govmomi's simulator, with a template that machines are cloned from.

It is a Go program of the lab (tests/lab/modules/vsphere-simulator). What it does not do as vCenter: nothing boots, a
guest has the address that a test gives it, and of a disk the id follows from its path.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ansible_collections.kubeops.kops.tests.support.lab_programs import lab_program
from pyVim.connect import Disconnect, SmartConnect
from pyVmomi import vim, vmodl

USER, PASSWORD = "administrator@vsphere.local", "secret-of-tests"
TEMPLATE, DATACENTER, COMPUTE, DATASTORE, NETWORK = "debian-13", "DC0", "DC0_C0", "LocalDS_0", "VM Network"
# Machines that are not the cluster's.
OTHERS = ("DC0_C0_RP0_VM0", "DC0_C0_RP0_VM1")
_START = 30
_beside = threading.local()


def is_beside() -> bool:
    """Whether this thread asks for a test, beside the code that is tested."""
    return bool(getattr(_beside, "depth", 0))


@dataclass
class VCenter:
    """A simulator that runs. address: host and port."""

    address: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a login."""
        return {
            "VSPHERE_SERVER": self.address,
            "VSPHERE_USER": USER,
            "VSPHERE_PASSWORD": PASSWORD,
            "VSPHERE_ALLOW_UNVERIFIED_SSL": "true",
        }

    @contextlib.contextmanager
    def client(self) -> Iterator[Any]:
        """The library's own client, for what a test does and looks at beside the code."""
        host, _colon, port = self.address.partition(":")
        _beside.depth = getattr(_beside, "depth", 0) + 1
        instance = SmartConnect(host=host, port=int(port), user=USER, pwd=PASSWORD, disableSslCertValidation=True)
        try:
            yield instance
        finally:
            Disconnect(instance)
            _beside.depth -= 1

    def machine(self, instance: Any, name: str) -> Any:
        """A virtual machine, or template, by its name; None if there is none."""
        return find(instance, vim.VirtualMachine, name)

    def is_on(self, name: str) -> bool:
        """Whether a machine has been switched on."""
        with self.client() as instance:
            return bool(self.machine(instance, name).runtime.powerState == "poweredOn")

    def give_address(self, name: str, address: str) -> None:
        """Let VMware Tools say that a machine has an address."""
        with self.client() as instance:
            options = [vim.option.OptionValue(key="SET.guest.ipAddress", value=address)]
            done(self.machine(instance, name).ReconfigVM_Task(vim.vm.ConfigSpec(extraConfig=options)))


def find(instance: Any, kind: Any, name: str) -> Any:
    """An object of the inventory by its kind and name; None if there is none."""
    content = instance.RetrieveContent()
    view = content.viewManager.CreateContainerView(content.rootFolder, [kind], True)
    try:
        return next((each for each in view.view if each.name == name), None)
    finally:
        view.Destroy()


def done(task: Any) -> Any:
    """The result of a task when it is over. Raises its fault."""
    # All that a task says of itself names objects that the library does not expect there.
    paths = ["info.state", "info.error", "info.result"]
    collector = vmodl.query.PropertyCollector
    wanted = collector.FilterSpec(
        objectSet=[collector.ObjectSpec(obj=task)], propSet=[collector.PropertySpec(type=vim.Task, pathSet=paths)]
    )
    client = vim.ServiceInstance("ServiceInstance", task._stub).content.propertyCollector
    while True:
        (found,) = client.RetrievePropertiesEx([wanted], collector.RetrieveOptions()).objects
        said = {each.name: each.val for each in found.propSet}
        if said["info.state"] == "error":
            raise said["info.error"]
        if said["info.state"] == "success":
            return said.get("info.result")
        time.sleep(0.02)


@contextlib.contextmanager
def running(*options: str) -> Iterator[VCenter]:
    """A vCenter with a datacenter, a compute cluster of three hosts, two machines of others, and a template.

    options: further ones of the program. Skips the test if the lab has not built it.
    """
    program = lab_program("vsphere-simulator", "vsphere-simulator")
    command = [str(program), "-user", USER, "-password", PASSWORD, "-machines", "3", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "it has not started"
            found = VCenter(address)
            _make_template(found)
            yield found
        finally:
            process.terminate()
            process.wait(_START)


def _make_template(found: VCenter) -> None:
    """The last machine becomes a template: it has a disk, and a card in the network."""
    with found.client() as instance:
        machine = found.machine(instance, "DC0_C0_RP0_VM2")
        done(machine.PowerOffVM_Task())
        done(machine.Rename_Task(TEMPLATE))
        machine.MarkAsTemplate()
