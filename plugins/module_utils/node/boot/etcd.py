# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members of etcd an instance is: by the volumes that it attaches, in clouds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .instance import Instance

_PREFIX = "ETCD_"


def member_facts(instance: Instance, config: Mapping[str, Any]) -> dict[str, str]:
    """The facts ETCD_* that a NodeConfig needs; none for a group without members.

    Raises ConfigError as long as volumes of etcd are not attached by instances themselves.
    """
    needed = [name for name in config.get("facts") or () if name.startswith(_PREFIX)]
    if needed:
        raise ConfigError(
            [f"members of etcd on instances of a cloud are not supported yet; the NodeConfig needs {needed[0]}"]
        )
    return {}
