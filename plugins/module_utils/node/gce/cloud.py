# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node/clouds.py asks of Google Cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError
from .instance import GoogleInstance
from .verification import GoogleVerifier


def this_instance() -> GoogleInstance:
    """The instance of Compute Engine that the process runs on."""
    return GoogleInstance()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> GoogleVerifier:
    """Knows the workers of a cluster by their service accounts (model/gce/workers.py). Raises ConfigError."""
    problems = []
    if not workers.get("accounts"):
        problems.append("the configuration of the bootstrap server names no service account of workers")
    if named_by_address:
        problems.append("nodes in Google Cloud are named by their instances only, not by address")
    if problems:
        raise ConfigError(problems)
    return GoogleVerifier.here(cluster, workers["accounts"])
