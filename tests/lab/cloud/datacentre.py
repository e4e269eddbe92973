# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data centre: makes machines, disks, load balancers and names of what the account says, once a second."""

from __future__ import annotations

import pathlib
import shlex
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import balancers, disks, machines, metadata, names
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Instance, Reader

_SERVER = "cloud-datacentre"
_PAUSE = 0.5
# Starting a container is slow, and several at once are not slower.
_AT_ONCE = 4


class DataCentre:
    """What it has done so far, so that the next round only does what is new."""

    def __init__(self) -> None:
        self.metadata = metadata.Instances()
        self._reader, self._balancers, self._disks = Reader(), balancers.Reader(), disks.Disks()
        self._addresses: set[str] = set()

    def turn(self) -> None:
        """One round."""
        instances = self._reader.read()
        # First of all: a machine asks as soon as it runs.
        self.metadata.show(instances)
        found = self._balancers.read(instances)
        self._addresses = balancers.show(found, self._addresses)
        names.show(instances, {each.dns_name: each.addresses for each in found})
        self._machines(instances)
        for line in self._disks.show(instances):
            say(line)

    def _machines(self, instances: dict[str, Instance]) -> None:
        present = machines.present()
        gone = sorted(present.keys() - instances.keys())
        if gone:
            machines.remove(*gone)
            say(f"removed {' '.join(gone)}")
        # A machine that has ended by itself was told to reboot; one that hangs does so until its instance ends.
        off = [each for each in instances.values() if each.runs and present.get(each.id) not in ("running", "paused")]
        on = [each.id for each in instances.values() if not each.runs and present.get(each.id) == "running"]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for name in pool.map(self._start, off):
                say(f"started {name}")
            for name in pool.map(self._stop, on):
                say(f"stopped {name}")

    @staticmethod
    def _start(instance: Instance) -> str:
        machines.start(instance)
        return instance.id

    @staticmethod
    def _stop(name: str) -> str:
        machines.stop(name)
        return name


def say(line: str) -> None:
    """Into the log, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def run() -> None:
    """Work for ever; what goes wrong is tried again in the next round."""
    centre, said = DataCentre(), ""
    metadata.serve(centre.metadata)
    _ready().touch()
    while True:
        try:
            centre.turn()
        except Exception as error:
            if repr(error) != said:
                said = repr(error)
                say("".join(traceback.format_exception(error)))
        time.sleep(_PAUSE)


def start() -> None:
    """Start it as a process of its own, unless it runs."""
    _ready().unlink(missing_ok=True) if not processes.is_running(_SERVER) else None
    processes.start(_SERVER, [sys.executable, "-m", __spec__.name], _ready().exists)


def stop() -> None:
    """Stop it, and remove machines and disks."""
    processes.stop(_SERVER)
    machines.remove(*machines.present())
    disks.clear()


def is_running() -> bool:
    """Whether it runs."""
    return processes.is_running(_SERVER)


def _ready() -> pathlib.Path:
    return cache.directory() / "cloud-datacentre.ready"


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    run()
