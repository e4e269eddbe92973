# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""boot.json: what user data tells an instance of itself, of its cluster, and of where it reads more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import ConfigError
from ..exchange.settings import BOOT_FILE
from .system.json_files import read_json

PATH = BOOT_FILE
_TEXTS = ("cloud", "cluster", "instanceGroup", "role")


@dataclass(frozen=True)
class Settings:
    """The content of boot.json.

    cloud: its name. node_configs: architecture -> location and sha256. store: URL of the cluster's directory, "" for
    nodes that do not read it. elsewhere: as in store_places.py. servers: as bootstrap/connection.py reads them, None
    for nodes that read the store.
    certificates: names of those that a bootstrap server issues. environment: of this process and its commands.
    named_by_address: whether nodes have names that the cloud makes of their addresses.
    keysets: name -> ids of the key pairs that the cluster had when the user data was written, the primary first.
    """

    cloud: str
    cluster: str
    instance_group: str
    role: str
    node_configs: Mapping[str, Mapping[str, str]]
    store: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, Any] | None = None
    certificates: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    named_by_address: bool = False
    keysets: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read(path: str) -> Settings:
    """Read the file. Raises ConfigError with all problems."""
    data = read_json(path)
    if not isinstance(data, dict):
        raise ConfigError([f"{path} must be a mapping"])
    problems = [f"{path}: {name} must be a text" for name in _TEXTS if not isinstance(data.get(name), str)]
    configs = data.get("nodeConfigs")
    if not isinstance(configs, dict) or not all(_names_a_file(each) for each in configs.values()):
        problems.append(f"{path}: nodeConfigs must have location and sha256 for each architecture")
    if bool(data.get("store")) == bool(data.get("servers")):
        problems.append(f"{path}: needs exactly one of store and servers")
    if problems:
        raise ConfigError(problems)
    return Settings(
        cloud=data["cloud"],
        cluster=data["cluster"],
        instance_group=data["instanceGroup"],
        role=data["role"],
        node_configs=data["nodeConfigs"],
        store=str(data.get("store") or ""),
        elsewhere=data.get("elsewhere") or {},
        servers=data.get("servers"),
        certificates=tuple(data.get("certificates") or ()),
        environment=data.get("environment") or {},
        named_by_address=bool(data.get("namedByAddress")),
        keysets=data.get("keysets") or {},
    )


def _names_a_file(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("location", "sha256"))
