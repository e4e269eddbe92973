# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node/clouds.py asks of Hetzner Cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .api import Hetzner
from .instance import HetznerServer
from .verification import ServerVerifier


def this_instance() -> HetznerServer:
    """The server that the process runs on."""
    return HetznerServer()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> ServerVerifier:
    """Knows the workers of a cluster by their addresses; workers says nothing. Raises ConfigError."""
    del workers
    if named_by_address:
        raise ConfigError(["nodes on Hetzner are named by their servers only, not by address"])
    return ServerVerifier(Hetzner(), cluster)
