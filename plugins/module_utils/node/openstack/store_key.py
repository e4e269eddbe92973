# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of a state store in S3: a control plane is given it as its application credential, sealed."""

from __future__ import annotations

from ...exchange.openstack_sealing import STORE_KEY
from ..stores.given_credentials import GivenAccess
from .sealed import unsealed

_STORE_KEY_FILE = "store-key.json"


def access() -> GivenAccess:
    """What node/stores/s3.py asks of the instance."""
    return GivenAccess(store_key)


def store_key() -> dict[str, str]:
    """Id and secret. Raises OSError as unsealed()."""
    return unsealed(STORE_KEY, _STORE_KEY_FILE, "the key of the state store")
