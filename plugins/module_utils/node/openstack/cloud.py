# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node/clouds.py asks of OpenStack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .api import OpenStack
from .instance import OpenStackServer
from .keystone import Login
from .verification import ServerVerifier


def this_instance() -> OpenStackServer:
    """The server that the process runs on."""
    return OpenStackServer()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> ServerVerifier:
    """Knows the workers of a cluster by their ports; workers says nothing. Raises ConfigError."""
    del workers
    if named_by_address:
        raise ConfigError(["nodes in OpenStack are named by their servers only, not by address"])
    return ServerVerifier(OpenStack(Login()), cluster)
