# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NodeConfig that an instance was started with: it is known by its hash, and is kept for later boots."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from ...base.errors import ConfigError, KopsError
from ...exchange.document import content_hash
from ..boot_file import Settings
from ..system import atomic
from ..system.machine import Machine

DIRECTORY = "/opt/kubeops"


def wanted(settings: Settings, machine: Machine) -> tuple[str, str]:
    """Location and hash of the NodeConfig for this machine. Raises ConfigError if the group has none for it."""
    architecture = machine.host.architecture()
    named = settings.node_configs.get(architecture)
    if named is None:
        known = ", ".join(sorted(settings.node_configs))
        raise ConfigError(
            [f"instance group {settings.instance_group} has no NodeConfig for {architecture}; it has one for {known}"]
        )
    return named["location"], named["sha256"]


def kept(machine: Machine, sha256: str) -> dict[str, Any] | None:
    """The NodeConfig of an earlier boot; None if there is none, or if it is damaged."""
    try:
        with open(machine.path(_path(sha256)), "rb") as stream:
            return checked(stream.read(), sha256)
    except (OSError, KopsError):
        return None


def keep(machine: Machine, sha256: str, content: bytes) -> None:
    """Write it down for later boots."""
    os.makedirs(machine.path(DIRECTORY), exist_ok=True)
    atomic.write(machine.path(_path(sha256)), [content], mode=0o600, uid=os.getuid(), gid=os.getgid())


def checked(content: bytes, sha256: str) -> dict[str, Any]:
    """The NodeConfig in bytes that are believed because of their hash. Raises KopsError."""
    found = content_hash(content)
    if found != sha256:
        raise KopsError(f"the NodeConfig has the SHA-256 {found}, but must have {sha256}")
    data = json.loads(content)
    return dict(data)


def load(machine: Machine, sha256: str, fetch: Callable[[], bytes]) -> dict[str, Any]:
    """The NodeConfig: the one that is kept, or what is fetched. Raises what fetching raises, and KopsError."""
    config = kept(machine, sha256)
    if config is None:
        content = fetch()
        config = checked(content, sha256)
        keep(machine, sha256, content)
    return config


def _path(sha256: str) -> str:
    return f"{DIRECTORY}/nodeconfig-{sha256}.json"
