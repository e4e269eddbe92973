# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of the state store, which the controller has given this control plane."""

from __future__ import annotations

from ..cloud.given import given_store_key
from ..stores.given_credentials import GivenAccess


def access() -> GivenAccess:
    """What node/stores/s3.py asks of the instance."""
    return GivenAccess(given_store_key)
