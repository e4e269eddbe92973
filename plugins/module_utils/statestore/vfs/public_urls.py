# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a store is read over HTTPS, without its own API: a row for each scheme that can be. Nothing here asks a store.

These are addresses only.
"""

from __future__ import annotations

import re
from typing import ClassVar, Protocol
from urllib.parse import urlsplit


class Row(Protocol):
    """A scheme.

    read_with_rights: whether nodes read such a store with the rights of their instance, so that nothing in it has to be
    public.
    """

    read_with_rights: ClassVar[bool] = False

    def url(self, bucket: str, path: str, region: str, dual_stack: bool) -> str:
        """Where everybody reads what is at a path of a bucket. region: of the bucket. dual_stack: over IPv6, too."""

    def is_own(self, bucket: str, path: str, host: str, url_path: str) -> bool:
        """Whether an HTTPS URL is the store's own one of a path of the bucket. Paths neither begin nor end with "/"."""
        return False

    def location_of(self, host: str, url_path: str) -> str:
        """What follows scheme:// in the address of an HTTPS URL; "" if the URL is not of such a store."""
        return ""


class _S3(Row):
    """Amazon S3: with the bucket in the name of the host, or in the path."""

    read_with_rights: ClassVar[bool] = True

    _REGION = r"(?:[.-](?:dualstack\.)?[a-z0-9-]+)?"
    _AMAZON = r"amazonaws\.com(?:\.cn)?"
    _BUCKET_IN_PATH = re.compile(rf"s3{_REGION}\.{_AMAZON}")
    _BUCKET_IN_HOST = re.compile(rf"(?P<bucket>[a-z0-9][a-z0-9.-]+)\.s3{_REGION}\.{_AMAZON}")

    def url(self, bucket: str, path: str, region: str, dual_stack: bool) -> str:
        domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        host = f"s3.dualstack.{region}.{domain}" if dual_stack else f"s3.{region}.{domain}"
        # A certificate for the host covers one more label, hence no bucket with a dot in its name.
        return f"https://{host}/{bucket}/{path}" if "." in bucket else f"https://{bucket}.{host}/{path}"

    def is_own(self, bucket: str, path: str, host: str, url_path: str) -> bool:
        return host.startswith(f"{bucket}.s3.") and url_path == path

    def location_of(self, host: str, url_path: str) -> str:
        if self._BUCKET_IN_PATH.fullmatch(host):
            return url_path
        found = self._BUCKET_IN_HOST.fullmatch(host)
        return f"{found['bucket']}/{url_path}".rstrip("/") if found else ""


class _GS(Row):
    """Google Cloud Storage: with the bucket in the path, or in the name of the host."""

    read_with_rights: ClassVar[bool] = True

    _HOST = "storage.googleapis.com"

    def url(self, bucket: str, path: str, region: str, dual_stack: bool) -> str:
        return f"https://{self._HOST}/{bucket}/{path}"

    def is_own(self, bucket: str, path: str, host: str, url_path: str) -> bool:
        return host == self._HOST and url_path == f"{bucket}/{path}".rstrip("/")

    def location_of(self, host: str, url_path: str) -> str:
        if host == self._HOST:
            return url_path
        bucket = host.removesuffix(f".{self._HOST}")
        return f"{bucket}/{url_path}".rstrip("/") if bucket != host else ""


class _Memory(Row):
    """For tests: the address itself."""

    def url(self, bucket: str, path: str, region: str, dual_stack: bool) -> str:
        return f"https://{bucket}/{path}"


ROWS: dict[str, Row] = {"s3": _S3(), "gs": _GS(), "memfs": _Memory()}


def bucket_of(store: str) -> str:
    """The bucket in a store's address."""
    return urlsplit(store).netloc


def public_url(store: str, *, region: str, dual_stack: bool = False) -> str:
    """The HTTPS URL of what is in a store; "" if its kind has none. region: of the bucket. dual_stack: also by IPv6."""
    parts = urlsplit(store)
    row = ROWS.get(parts.scheme)
    return row.url(parts.netloc, parts.path.strip("/"), region, dual_stack).rstrip("/") if row else ""


def is_own_url(store: str, url: str) -> bool:
    """Whether an HTTPS URL is the store's own, so that what is read there must be public."""
    parts, asked = urlsplit(store), urlsplit(url)
    row = ROWS.get(parts.scheme)
    return row is not None and row.is_own(parts.netloc, parts.path.strip("/"), asked.netloc, asked.path.strip("/"))


def store_of(url: str) -> str:
    """The address of the store that an HTTPS URL reads; "" if it is none's own URL."""
    parts = urlsplit(url)
    if parts.scheme != "https":
        return ""
    found = ((scheme, row.location_of(parts.hostname or "", parts.path.strip("/"))) for scheme, row in ROWS.items())
    return next((f"{scheme}://{location}" for scheme, location in found if location), "")


def is_read_with_rights(store: str) -> bool:
    """Whether nodes read a store of this kind with the rights of their instance."""
    row = ROWS.get(urlsplit(store).scheme)
    return bool(row and row.read_with_rights)
