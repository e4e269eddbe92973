# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The few values that differ from node to node of one group, and how they get into the texts of a NodeConfig."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .machine import Machine

_MARKER = re.compile(r"@@([A-Z][A-Z0-9_]*)@@")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")

# What a node knows by itself, and by the facts that are given. Everything else (ZONE, PROVIDER_ID ...) has to be given.
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
    """The file that says where pods are to ask: behind systemd-resolved, /etc/resolv.conf may name loopback addresses
    only, which are other ones inside of a pod.
    """
    servers = _NAMESERVER.findall(machine.read_text(_RESOLV_CONF))
    elsewhere = any(not server.startswith("127.") and server != "::1" for server in servers)
    return _RESOLV_CONF if elsewhere or not os.path.exists(machine.path(_RESOLVED)) else _RESOLVED


def markers(value: Any) -> set[str]:
    """The names of all markers in the texts of plain data."""
    if isinstance(value, str):
        return set(_MARKER.findall(value))
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return set()
    return set().union(*(markers(each) for each in value))


def fill(value: Any, facts: Mapping[str, str]) -> Any:
    """Plain data with the markers in its texts replaced; those without a fact stay."""
    if isinstance(value, str):
        return _MARKER.sub(lambda match: facts.get(match.group(1), match.group(0)), value)
    if isinstance(value, Mapping):
        return {key: fill(each, facts) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill(each, facts) for each in value]
    return value


def gather(needed: Iterable[str], given: Mapping[str, str], machine: Machine, problems: list[str]) -> dict[str, str]:
    """The facts that are needed: given ones first, then what the node knows. What is missing goes to problems."""
    facts: dict[str, str] = {}
    for name in sorted(set(needed)):
        facts[name] = given.get(name) or (FOUND[name](machine, given) if name in FOUND else "")
        if not facts[name]:
            problems.append(f"facts: {name} is needed, and neither given nor known to the node")
    return facts


def check_given(given: Mapping[str, Any]) -> list[str]:
    """What is wrong with facts as they were given: a value that could break out of its place in a text."""
    problems = [f"facts: {name!r} is no name of a fact" for name in given if not _NAME.fullmatch(name)]
    for name, value in given.items():
        if not isinstance(value, (str, int, type(None))) or re.search(r"[\x00-\x1f\x7f]", str(value)):
            problems.append(f"facts: {name} has to be one line of text")
    return problems
