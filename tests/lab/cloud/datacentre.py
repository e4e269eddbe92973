# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data centre: makes machines, disks, load balancers and names of what a cloud's API says, once a second."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from ansible_collections.kubeops.kops.tests.lab.cloud import balancers, disks, machines, names
from ansible_collections.kubeops.kops.tests.lab.cloud.disks import Attachment

_PAUSE = 0.5
# Starting a container is slow, and several at once are not slower.
_AT_ONCE = 4


@dataclass(frozen=True)
class State:
    """What there is to be.

    machines: instance -> whether it runs. names: name -> addresses, of instances, balancers and zones.
    disks: all of them. attached: those that machines which run have.
    """

    machines: Mapping[str, bool]
    balancers: list[balancers.Balancer]
    names: dict[str, list[str]]
    disks: set[str]
    attached: Mapping[str, Attachment]


class Cloud(Protocol):
    """A cloud's API, and its metadata service."""

    def read(self) -> State:
        """What its API says. The metadata service says the same from then on: a machine asks as soon as it runs."""

    def start(self, name: str) -> None:
        """Start the machine of an instance."""


class DataCentre:
    """What it has done so far, so that the next round only does what is new."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud, self._health, self._disks = cloud, balancers.Health(), disks.Disks()
        self._addresses: set[str] = set()

    def turn(self) -> None:
        """One round."""
        state = self._cloud.read()
        self._addresses = balancers.show(self._health.of(state.balancers), self._addresses)
        names.show(state.names)
        self._machines(state.machines)
        for line in self._disks.show(state.disks, state.attached):
            say(line)

    def _machines(self, wanted: Mapping[str, bool]) -> None:
        present = machines.present()
        gone = sorted(present.keys() - wanted.keys())
        if gone:
            machines.remove(*gone)
            say(f"removed {' '.join(gone)}")
        # A machine that has ended by itself was told to reboot; one that hangs does so until its instance ends.
        off = [name for name, runs in wanted.items() if runs and present.get(name) not in ("running", "paused")]
        on = [name for name, runs in wanted.items() if not runs and present.get(name) == "running"]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for name, _done in zip(off, pool.map(self._cloud.start, off), strict=True):
                say(f"started {name}")
            for name, _done in zip(on, pool.map(machines.stop, on), strict=True):
                say(f"stopped {name}")


def say(line: str) -> None:
    """Into the log, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def run(cloud: Cloud) -> None:
    """Work for ever; what goes wrong is tried again in the next round."""
    centre, said = DataCentre(cloud), ""
    while True:
        try:
            centre.turn()
        except Exception as error:
            if repr(error) != said:
                said = repr(error)
                say("".join(traceback.format_exception(error)))
        time.sleep(_PAUSE)


def clear() -> None:
    """Remove machines and disks."""
    machines.remove(*machines.present())
    disks.clear()
