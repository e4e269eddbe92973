# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in Google Cloud Storage, for URLs ``gs://BUCKET/KEY``."""

from __future__ import annotations

import json
import urllib.error

from .gs_bucket import Access
from .gs_files import BucketOfFiles
from .object_store import ObjectStore


def store(access: Access) -> GSStore:
    """What node/stores/by_scheme.py asks of a scheme. access: as an instance has it."""
    return GSStore(access)


class GSStore(ObjectStore[Access]):
    """Tags are generations of objects."""

    def __init__(self, access: Access) -> None:
        super().__init__(access, BucketOfFiles)

    def words(self, content: bytes, error: urllib.error.HTTPError) -> str:
        """JSON, but answers to requests for the content of an object are plain text."""
        try:
            return str(json.loads(content)["error"]["message"])
        except (ValueError, KeyError, TypeError):
            return super().words(content, error)
