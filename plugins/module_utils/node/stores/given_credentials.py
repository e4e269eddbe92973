# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""S3, or a compatible service, by a key that a control plane was given: clouds without roles have nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from .signing import Credentials

_REGION_OF_ALL = "us-east-1"
_CHINA = "cn-"


class GivenCredentials:
    """An Access (s3_bucket.py). ask: gives accessKey and secretKey as they are now; raises OSError without them."""

    def __init__(self, ask: Callable[[], Mapping[str, str]]) -> None:
        self._ask = ask

    def credentials(self) -> Credentials:
        """The key. Raises OSError."""
        given = self._ask()
        return Credentials(given["accessKey"], given["secretKey"])

    def region(self) -> str:
        """S3_REGION, else one that knows of all buckets of Amazon S3."""
        return os.environ.get("S3_REGION") or _REGION_OF_ALL

    def domain(self) -> str:
        """Of Amazon S3; a compatible service has an endpoint."""
        return "amazonaws.com.cn" if self.region().startswith(_CHINA) else "amazonaws.com"
