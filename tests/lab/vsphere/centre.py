# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that is a vCenter here: the simulator, what guests know of themselves, and the data centre."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import marks
from ansible_collections.kubeops.kops.tests.lab import hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import datacentre, disks, machines, network
from ansible_collections.kubeops.kops.tests.lab.cloud.balancers import Balancer, Target
from ansible_collections.kubeops.kops.tests.lab.cloud.plain_metadata import Metadata
from ansible_collections.kubeops.kops.tests.lab.vsphere import account
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from ansible_collections.kubeops.kops.tests.support.vsphere.whole_clusters import user_data_of
from pyVmomi import vim

# The machine's serial number, which containers have none of, and what VMware Tools would read from the host.
_USER_DATA = """
SERVICE = "http://169.254.169.254/lab"
classes = pathlib.Path("/sys/class")
if not (classes / "dmi").exists():
    kept = pathlib.Path("/run/lab-class")
    kept.mkdir()
    def mount(*words):
        subprocess.run(["mount", *words], check=True)
    mount("--bind", classes, kept)
    mount("-t", "tmpfs", "tmpfs", classes)
    for each in kept.iterdir():
        (classes / each.name).mkdir()
        mount("--bind", each, classes / each.name)
    (classes / "dmi" / "id").mkdir(parents=True)
    (classes / "dmi" / "id" / "product_serial").write_bytes(ask(f"{SERVICE}/serial"))
open_for(ask(f"{SERVICE}/keys"))
run_once(ask(f"{SERVICE}/user-data"))
"""
# Of the network: what DHCP gives.
_FIRST_HOST = 256 + 10
_PREFIX = network.BRIDGE.subnet.partition(".0.0/")[0]
_DISK_SIZE = 20


class VSphere:
    """What the data centre asks."""

    def __init__(self) -> None:
        self._numbers = itertools.count(_FIRST_HOST)
        self._addresses: dict[str, str] = {}
        self._uuids: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self.metadata = Metadata()

    def read(self) -> datacentre.State:
        """See Cloud."""
        with account.machines() as found:
            own = [_Machine(each) for each in found if marks.CLUSTER in account.settings_of(each)]
            for each in own:
                if each.is_on and each.uuid not in self._addresses:
                    number = next(self._numbers)
                    self._addresses[each.uuid] = f"{_PREFIX}.{number // 256}.{number % 256}"
            shown = [each for each in own if each.uuid in self._addresses]
            self._uuids = {each.name: each.uuid for each in shown}
            self.metadata.servers = {self._addresses[each.uuid]: each.told() for each in shown}
            for each in shown:
                self._files.update(each.files)
        # A disk that no machine has is there as long as its file.
        self._files = {uuid: path for uuid, path in self._files.items() if os.path.exists(path)}
        return datacentre.State(
            machines={each.name: each.is_on for each in shown},
            balancers=[self._balancer(shown)],
            names={each.name: [self._addresses[each.uuid]] for each in shown},
            disks=set(self._files),
            attached={
                uuid: disks.Attachment(each.name, _DISK_SIZE, f"wwn-0x{uuid.replace('-', '')}", f"/dev/lab-{uuid}")
                for each in shown
                if each.is_on
                for uuid in each.disks
            },
        )

    def _balancer(self, shown: list[_Machine]) -> Balancer:
        """That of the user: it passes both ports to all control planes."""
        chosen = {each.name: self._addresses[each.uuid] for each in shown if each.is_control_plane and each.is_on}
        listeners = {port: Target(port, "", dict(chosen)) for port in (443, 3988)}
        return Balancer("api", "", [account.API], listeners, account.API)

    def start(self, name: str) -> None:
        """See Cloud. VMware Tools say the address once they run."""
        address = self._addresses[self._uuids[name]]
        machines.start(name, name, address, machines.files_of("vsphere", _USER_DATA, {}))
        account.vcenter().give_address(name, address)


class _Machine:
    """A virtual machine of a cluster, as it was when it was read."""

    def __init__(self, machine: Any) -> None:
        self.name, self.uuid = str(machine.name), str(machine.config.uuid)
        self.is_on = machine.runtime.powerState == "poweredOn"
        self._settings = account.settings_of(machine)
        self.is_control_plane = self._settings.get(marks.ROLE) == marks.CONTROL_PLANE
        self.disks = [str(each["uuid"]).lower() for each in json.loads(self._settings.get(marks.DISKS) or "[]")]
        self.files = dict(_files(machine, self.disks))

    def told(self) -> dict[str, str]:
        """Path -> what the guest is told."""
        digits = self.uuid.replace("-", "")
        pairs = [digits[at : at + 2] for at in range(0, 32, 2)]
        return {
            "/lab/serial": f"VMware-{' '.join(pairs[:8])}-{' '.join(pairs[8:])}\n",
            "/lab/keys": hosts.key_pair().with_suffix(".pub").read_text().strip(),
            "/lab/user-data": user_data_of(self._settings),
        }


def _files(machine: Any, wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Disks of etcd: uuid, and the file that the simulator has for it."""
    stores = {each.name: each.info.url for each in machine.datastore}
    for device in machine.config.hardware.device:
        if isinstance(device, vim.vm.device.VirtualDisk):
            backing: Any = device.backing
            uuid = str(getattr(backing, "uuid", "") or "").lower()
            store, _bracket, path = str(backing.fileName).lstrip("[").partition("] ")
            if uuid in wanted and store in stores:
                yield uuid, os.path.join(stores[store], path)


def run() -> None:
    """Work until it is told to end: the simulator ends with it."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    with simulator.running("-listen", f"{network.BRIDGE.gateway}:{account.PORT}"):
        cloud = VSphere()
        cloud.metadata.serve()
        account.CENTRE.ready.touch()
        datacentre.run(cloud)


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    run()
