# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines for the stub of a cloud (tests/support/stub_collection.py): hosts that run their user data once."""

from __future__ import annotations

import pathlib
import time

from ansible_collections.kubeops.kops.tests.lab import cache, capabilities, distributions, hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import account, disks, machines, network
from ansible_collections.kubeops.kops.tests.support.stub_api import Machines

# The state store, as the environment of everything that runs on a machine names it.
_SETTINGS = f"[Manager]\nDefaultEnvironment=AWS_ENDPOINT_URL={account.URL}\n"
_FILES = {"/etc/systemd/system.conf.d/lab.conf": _SETTINGS, capabilities.RUNC: capabilities.script()}
_SIZE_GB = 1
_BOOT_SECONDS, _STARTED = 90.0, ("running", "degraded")


class StubMachines(Machines):
    """Containers. They are named as those of the other cloud, whose functions look into them."""

    def __init__(self) -> None:
        self._devices: dict[str, str] = {}

    def start(self, name: str, address: str, user_data: str) -> None:
        """Start one, and run its user data when its system runs."""
        mounts = [part for source, target in _written() for part in ("--volume", f"{source}:{target}:ro")]
        hosts.create(
            machines.PREFIX + name,
            name,
            distributions.DEFAULT,
            *("--network", network.BRIDGE.name, "--ip", address, "--dns", network.BRIDGE.gateway, "--no-hosts"),
            *mounts,
        )
        end = time.monotonic() + _BOOT_SECONDS
        while machines.within(name, "systemctl", "is-system-running", check=False).strip() not in _STARTED:
            if time.monotonic() > end:
                raise RuntimeError(f"{name} has not started within {_BOOT_SECONDS:.0f} s")
            time.sleep(0.2)
        machines.within(name, "bash", "-s", stdin=user_data)

    def end(self, name: str) -> None:
        """Remove one; disks stay."""
        machines.remove(name)
        self._devices = {disk: device for disk, device in self._devices.items() if not device.startswith(f"{name} ")}

    def attach(self, disk: str, instance: str) -> str:
        """By the next device that the machine has not."""
        used = {device for device in self._devices.values() if device.startswith(f"{instance} ")}
        device = f"/dev/nvme{len(used) + 1}n1"
        self._devices[disk] = f"{instance} {device}"
        link, alias = f"stub-{disk}", f"/dev/sd{'bcdefgh'[len(used)]}"
        disks.attach(f"vol-{disk}", _SIZE_GB, machines.process(instance), device, link, alias)
        # The only name by which systemd knows the disk.
        return f"/dev/disk/by-id/{link}"


def remove(names: list[str]) -> None:
    """Remove machines and all disks."""
    machines.remove(*names)
    disks.clear()


def _written() -> list[tuple[pathlib.Path, str]]:
    """The files that all machines share: here, and in them."""
    found = []
    for target, text in _FILES.items():
        source = cache.directory() / "stub-files" / target.lstrip("/").replace("/", "-")
        source.parent.mkdir(exist_ok=True)
        source.write_text(text)
        source.chmod(0o755)
        found.append((source, target))
    return found
