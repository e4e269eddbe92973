# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere, as the node program asks for it (node/clouds.py)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .api import VCenter
from .instance import VSphereMachine, folder_of_cluster
from .verification import MachineVerifier


def this_instance() -> VSphereMachine:
    """The virtual machine that the process runs on."""
    return VSphereMachine()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> MachineVerifier:
    """Knows the workers of a cluster by their addresses; workers says nothing. Raises ConfigError, KopsError."""
    del workers
    if named_by_address:
        raise ConfigError(["nodes on vSphere are named by their virtual machines only, not by address"])
    # Control planes that hold the address of the API are told it.
    behind_balancer = not os.environ.get("VSPHERE_API_ADDRESS")
    return MachineVerifier(VCenter(), cluster, folder_of_cluster(), behind_balancer=behind_balancer)
