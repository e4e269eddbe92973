# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts: the few values of a NodeConfig that differ between nodes of a group. Texts refer to them by markers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..exchange.document import API_HOSTS
from .system.machine import Machine

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
# Facts that are a part of a file by themselves.
_OF_SEVERAL_LINES = {API_HOSTS}

# Facts that a node finds out itself, unless they are given. All others (ZONE, PROVIDER_ID ...) must be given.
FOUND: dict[str, Callable[[Machine, Mapping[str, str]], str]] = {
    "HOSTNAME": lambda machine, _given: machine.host.hostname(),
    # Kubernetes names nodes in lower case.
    "NODE_NAME": lambda machine, _given: machine.host.hostname().lower(),
    "INTERNAL_IP": lambda machine, _given: machine.host.address(),
    "INTERFACE": lambda machine, given: machine.host.interface(given.get("INTERNAL_IP") or machine.host.address()),
    "BINARIES": lambda machine, _given: machine.distribution.binaries,
    "RESOLV_CONF": lambda machine, _given: _resolv_conf(machine),
}
_RESOLV_CONF, _RESOLVED = "/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"
_NAMESERVER = re.compile(r"^\s*nameserver\s+(\S+)", re.MULTILINE)


def _resolv_conf(machine: Machine) -> str:
    """The resolv.conf for pods. With systemd-resolved, /etc/resolv.conf may contain only loopback addresses, which are
    other ones inside of a pod.
    """
    servers = _NAMESERVER.findall(machine.read_text(_RESOLV_CONF))
    elsewhere = any(not server.startswith("127.") and server != "::1" for server in servers)
    return _RESOLV_CONF if elsewhere or not os.path.exists(machine.path(_RESOLVED)) else _RESOLVED


def gather(needed: Iterable[str], given: Mapping[str, str], machine: Machine, problems: list[str]) -> dict[str, str]:
    """The needed facts: given ones, else what the node finds out. Missing facts are added to problems."""
    facts: dict[str, str] = {}
    for name in sorted(set(needed)):
        facts[name] = given.get(name) or (FOUND[name](machine, given) if name in FOUND else "")
        if not facts[name]:
            problems.append(f"facts: {name} is needed; it was not given, and the node does not know it")
    return facts


def check_given(given: Mapping[str, Any]) -> list[str]:
    """Problems of the given facts: a value with a line break could change the meaning of a file."""
    problems = [f"facts: {name!r} is not a valid name" for name in given if not _NAME.fullmatch(name)]
    for name, value in given.items():
        lines = str(value).split("\n") if name in _OF_SEVERAL_LINES else [str(value)]
        if not isinstance(value, (str, int, type(None))) or any(re.search(r"[\x00-\x1f\x7f]", line) for line in lines):
            problems.append(f"facts: {name} must be one line of text")
    return problems
