# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing objects of S3: apart from reading them, which is part of user data."""

from __future__ import annotations

import urllib.request

from .s3 import Bucket, own_credentials
from .signing import signed_headers

_TIMEOUT = 30


class WritableBucket(Bucket):
    """A bucket that the instance's role may write to. Reading first finds out where it is."""

    def write(self, key: str, content: bytes) -> None:
        """Write an object. Raises OSError; urllib.error.HTTPError for an answer that is an error."""
        self.region = self.region or self.metadata.get("meta-data/placement/region")
        url = self.url(key)
        credentials = own_credentials() or self.metadata.credentials()
        headers = signed_headers("PUT", url, "s3", self.region, credentials, content)
        request = urllib.request.Request(url, content, headers, method="PUT")  # noqa: S310
        # urllib would add the type of forms, which is not signed.
        request.add_unredirected_header("Content-type", "application/octet-stream")
        with urllib.request.build_opener().open(request, timeout=_TIMEOUT):
            pass
