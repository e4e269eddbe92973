# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An OpenStack on this machine: its own services, which a process of its own starts (centre.py)."""

from __future__ import annotations

import json
import pathlib
import signal
import sys
import time
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import network

# One hypervisor each.
ZONES = ("az-1", "az-2")
CONTAINER = "lab-kops-state"
STORE = f"swift://{CONTAINER}"
_SERVER, _MODULE = "openstack-centre", f"{__package__}.centre"
# Of all its services.
_STARTED_WITHIN, _ENDED_WITHIN = 400, 30


def start() -> None:
    """Start it, unless it runs, with an empty container for the state store. All that it knows goes when it stops."""
    if is_running():
        return
    ready().unlink(missing_ok=True)
    environment = {"KUBEOPS_OPENSTACK_HOST": network.BRIDGE.gateway, "KUBEOPS_CONSOLES": str(consoles())}
    processes.start(_SERVER, [sys.executable, "-m", _MODULE], lambda: True, environment=environment)
    deadline = time.monotonic() + _STARTED_WITHIN
    while not ready().exists():
        if not is_running() or time.monotonic() > deadline:
            raise RuntimeError(f"OpenStack does not start; see {processes.log(_SERVER)}")
        time.sleep(0.5)


def stop() -> None:
    """Stop it, and wait until its services have ended."""
    processes.tell(_SERVER, signal.SIGTERM)
    deadline = time.monotonic() + _ENDED_WITHIN
    while is_running() and time.monotonic() < deadline:
        time.sleep(0.1)
    processes.stop(_SERVER)


def is_running() -> bool:
    """Whether it runs, or starts."""
    return processes.is_running(_SERVER)


def ready() -> pathlib.Path:
    """The file that says that it serves, and holds what a member of the project has in the environment."""
    return cache.directory() / "openstack-centre.json"


def consoles() -> pathlib.Path:
    """The directory with what servers print."""
    found = cache.directory() / "openstack-consoles"
    found.mkdir(exist_ok=True)
    return found


def environment() -> dict[str, str]:
    """What a controller needs in its environment to use this project and no other."""
    return {**json.loads(ready().read_text()), "KOPS_STATE_STORE": STORE}


def connection() -> Any:
    """A connection of the member of the project."""
    import openstack

    given = json.loads(ready().read_text())
    login = {key[3:].lower(): value for key, value in given.items() if key.startswith("OS_")}
    region = login.pop("region_name")
    return openstack.connect(auth=login, region_name=region)
