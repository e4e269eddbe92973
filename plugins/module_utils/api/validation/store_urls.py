# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of addresses of stores: scheme://bucket/path, in characters that stores and nodes take as they are."""

from __future__ import annotations

import re

from ..suggest import did_you_mean
from .problems import Problems, invalid

# What S3 takes in the names of its oldest buckets; others take less.
_BUCKET = re.compile(r"[A-Za-z0-9._-]{1,255}")
_PATH = re.compile(r"[^\x00-\x20\x7f\"'`$\\<>|;*?{}]*")


def validate_store_url(url: str, path: str, schemes: tuple[str, ...]) -> Problems:
    """The address of a directory in a store of one of these schemes, or a path of the file system."""
    scheme, separator, rest = url.partition("://")
    example = "write it as s3://bucket/path, without quotes"
    if not separator:
        return [] if url.startswith("/") and _PATH.fullmatch(url) else [invalid(path, url, f"is no store; {example}")]
    if scheme not in schemes:
        kinds = ", ".join(f"{kind}://" for kind in schemes if kind != "memfs")
        return [invalid(path, url, f"must begin with one of {kinds}{did_you_mean(scheme, schemes)}")]
    bucket, _slash, directory = rest.partition("/")
    if scheme not in ("file", "memfs", "k8s") and not _BUCKET.fullmatch(bucket):
        return [invalid(path, url, f"names no bucket; {example}")]
    if not _PATH.fullmatch(directory):
        return [invalid(path, url, f"has characters that a path in a store cannot have; {example}")]
    return []
