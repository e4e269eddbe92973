# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in Object Storage of Hetzner, for URLs ``hos://BUCKET/KEY``."""

from __future__ import annotations

from .compatible import CompatibleStore
from .s3_bucket import Access


def store(access: Access) -> CompatibleStore:
    """What node/stores/by_scheme.py asks of a scheme. access: as an instance has it. Raises KopsError."""
    return CompatibleStore(access)
