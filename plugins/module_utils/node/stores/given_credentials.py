# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""S3, and compatible services, for instances that are given a key because their cloud has none for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from .signing import Credentials

# S3 says there in which region another bucket is.
_ANY_REGION = "us-east-1"


class GivenAccess:
    """An Access of s3_bucket.py. ask: gives id and secret of the key; raises OSError as long as it is not there.

    S3_REGION of the environment says where buckets are looked for first.
    """

    def __init__(self, ask: Callable[[], Mapping[str, str]]) -> None:
        self._ask = ask

    def credentials(self) -> Credentials:
        """Those that were given."""
        given = self._ask()
        return Credentials(given["id"], given["secret"])

    def region(self) -> str:
        """As the controller has said it."""
        return os.environ.get("S3_REGION") or _ANY_REGION

    def domain(self) -> str:
        """That of the region's partition."""
        return "amazonaws.com.cn" if self.region().startswith("cn-") else "amazonaws.com"
