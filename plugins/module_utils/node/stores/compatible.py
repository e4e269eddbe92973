# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Object stores of clouds with the protocol of S3, and a scheme of their own. S3_ENDPOINT says where they are."""

from __future__ import annotations

import os

from ...base.errors import KopsError
from .s3 import S3Store
from .s3_bucket import Access


class CompatibleStore(S3Store):
    """A Store. Raises KopsError without an endpoint: Amazon S3 has none of its buckets."""

    def __init__(self, access: Access) -> None:
        if not os.environ.get("S3_ENDPOINT"):
            raise KopsError("the state store cannot be read: S3_ENDPOINT, which user data tells, is not set")
        super().__init__(access)
