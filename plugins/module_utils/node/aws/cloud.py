# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node/clouds.py asks of AWS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .instance import AWSInstance
from .verification import AWSVerifier


def this_instance() -> AWSInstance:
    """The instance of EC2 that the process runs on."""
    return AWSInstance()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> AWSVerifier:
    """Knows the workers of a cluster by their IAM roles (model/aws/workers.py). Raises ConfigError without any."""
    if not workers.get("roles"):
        raise ConfigError(["the configuration of the bootstrap server names no IAM role of workers"])
    return AWSVerifier.here(cluster, workers["roles"], named_by_address)
