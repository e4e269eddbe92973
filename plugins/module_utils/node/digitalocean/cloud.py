# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node/clouds.py asks of DigitalOcean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .api import DigitalOcean
from .instance import Droplet
from .verification import DropletVerifier


def this_instance() -> Droplet:
    """The droplet that the process runs on."""
    return Droplet()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> DropletVerifier:
    """Knows the workers of a cluster. Raises ConfigError.

    workers: behindBalancer, whether requests come through the load balancer of the API; and tag, which they all have.
    """
    if named_by_address:
        raise ConfigError(["nodes on DigitalOcean are named by their droplets only, not by address"])
    tag, behind = workers.get("tag"), workers.get("behindBalancer")
    if not isinstance(tag, str) or not tag or not isinstance(behind, bool):
        raise ConfigError(["workers: tag and behindBalancer say how workers on DigitalOcean are known"])
    return DropletVerifier(DigitalOcean(), cluster, tag, behind_balancer=behind)
