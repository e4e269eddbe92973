# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warm pools: an instance is prepared, stopped, and becomes a node when its group needs it and starts it again.

As in kops (command.go and warm_pool.go of nodeup), everything is installed and images are pulled, but no kubelet runs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ...base.errors import KopsError
from ...exchange.document import config_hash
from ...exchange.items import WarmPool
from ...exchange.schema import read
from ..apply.static_pods import PARALLEL, PULL
from ..system.host import Host
from ..system.waiting import say

_KUBELET = "kubelet.service"
_ATTEMPTS, _PAUSE = 3, 5.0


def warm_pool_of(config: Mapping[str, Any]) -> WarmPool | None:
    """The part of a NodeConfig about it; None for a group that has no pool."""
    part = config.get("warmPool")
    return None if part is None else read(WarmPool, part, "warmPool", [])


def prepared(config: Mapping[str, Any]) -> dict[str, Any]:
    """The NodeConfig of an instance that is only prepared: without a kubelet, and so without pods."""
    waits = {"enabled": False, "state": "stopped"}
    units = [{**unit, **waits} if unit["name"] == _KUBELET else unit for unit in config.get("units") or ()]
    return {**config, "units": units, "staticPods": [], "checks": []}


def hashes(config: Mapping[str, Any], sha256: str) -> tuple[str, ...]:
    """By which a node's record knows a NodeConfig: its hash, and that of the form in which it was prepared."""
    return (sha256,) if config.get("warmPool") is None else (sha256, config_hash(prepared(config)))


def pull(host: Host, images: Sequence[str]) -> None:
    """Pull images, several at once. What cannot be pulled is said: a kubelet pulls it when a pod needs it."""
    with ThreadPoolExecutor(PARALLEL) as threads:
        for image, problem in zip(images, threads.map(lambda image: _pull(host, image), images)):
            if problem:
                say(f"{image} is not pulled in advance: {problem}")


def _pull(host: Host, image: str) -> str:
    """Why the image could not be pulled; "" if it is there."""
    problem = ""
    for number in range(_ATTEMPTS):
        time.sleep(_PAUSE if number else 0)
        try:
            host.check_output(*PULL, image)
        except KopsError as error:
            problem = str(error)
        else:
            return ""
    return problem
