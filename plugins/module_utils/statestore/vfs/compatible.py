# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Object stores of clouds with the protocol of S3 and, as in kops, a scheme of their own: do://, hos:// and others.

Which there are, and what their endpoints look like, is in the table of clouds. S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID
and S3_SECRET_ACCESS_KEY are needed. Source: util/pkg/vfs/context.go of kops.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from ...api.clouds import CLOUDS
from .path import StoreError
from .s3 import S3Path


class CompatiblePath(S3Path):
    """An object in a bucket of such a store. The store itself decides how objects are encrypted."""

    @classmethod
    def open(cls, location: str, **auth: Any) -> S3Path:
        """The path for what follows the scheme. Raises StoreError without an endpoint."""
        if not os.environ.get("S3_ENDPOINT"):
            form = next(cloud.store_endpoint for cloud in CLOUDS.values() if cloud.store_scheme == cls.scheme)
            raise StoreError(f"{cls.scheme}://{location} needs S3_ENDPOINT in the environment: {form}")
        return super().open(location)

    @property
    def server_side_encryption(self) -> None:
        """None is asked for."""
        return


@functools.cache
def path_class(scheme: str) -> type[CompatiblePath]:
    """The class of a scheme."""
    return type(f"{scheme.capitalize()}Path", (CompatiblePath,), {"scheme": scheme})
