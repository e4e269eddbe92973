# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node/clouds.py asks of the stub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .instance import StubInstance
from .verification import StubVerifier


def this_instance() -> StubInstance:
    """The instance that the process runs on."""
    return StubInstance()


def verifier(cluster: str, workers: Mapping[str, Any], *, named_by_address: bool) -> StubVerifier:
    """Knows the workers of a cluster."""
    return StubVerifier(cluster)
