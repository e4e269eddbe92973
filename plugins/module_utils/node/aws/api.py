# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of AWS' services with the instance's own credentials: EC2, STS, Route 53, and objects of S3.

Throttling, 5xx and broken connections are retried with growing pauses; what remains is an AWSError.
AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL_STS and AWS_ENDPOINT_URL of the environment name other endpoints.
"""

from __future__ import annotations

import http.client
import os
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar
from xml.etree import ElementTree

from ...base.errors import KopsError
from ..system.clock import clock_note
from ..system.proxy import opener
from .metadata import Metadata
from .s3_files import BucketOfFiles
from .signing import Credentials, signed_headers

VERSIONS = {"ec2": "2016-11-15", "sts": "2011-06-15", "autoscaling": "2011-01-01"}
FORM = "application/x-www-form-urlencoded; charset=utf-8"
_THROTTLED = re.compile(
    "Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|BandwidthLimitExceeded|PriorRequestNotComplete"
)
_ATTEMPTS, _PAUSE, _LONGEST_PAUSE, _TIMEOUT = 6, 0.3, 8.0, 20
# Seconds after which nothing is tried again: callers say what they wait for only when an error reaches them.
_TRYING = 15.0
_NAMESPACE = re.compile(r"\{[^}]*\}")

_NO_SUCH_OBJECT = "NoSuchKey"

Answer = TypeVar("Answer")


class AWSError(KopsError):
    """A call that failed. status: of HTTP, 0 if nothing answered. code: AWS' own, such as "AccessDenied"."""

    def __init__(self, what: str, status: int = 0, code: str = "", said: str = "") -> None:
        self.status, self.code = status, code
        super().__init__(f"{what}: {' '.join(filter(None, (str(status or ''), code, said)))}")


class AWS:
    """The services of the region that the instance is in."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self._buckets: dict[str, BucketOfFiles] = {}

    @property
    def region(self) -> str:
        """Of the instance. Raises AWSError."""
        return self.told("meta-data/placement/region")

    def told(self, path: str) -> str:
        """What the metadata service says, which is asked again if it does not answer. Raises AWSError."""
        return retried(f"metadata service, {path}", lambda: self.metadata.get(path))

    def find(self, path: str) -> str:
        """The same; "" if it has nothing at this path."""
        return retried(f"metadata service, {path}", lambda: self.metadata.find(path))

    def endpoint(self, service: str) -> str:
        """The URL of a service."""
        chosen = os.environ.get(f"AWS_ENDPOINT_URL_{service.upper()}") or os.environ.get("AWS_ENDPOINT_URL")
        return (chosen or f"https://{service}.{self.region}.{self.told('meta-data/services/domain')}").rstrip("/") + "/"

    def call(self, service: str, action: str, parameters: Mapping[str, str]) -> ElementTree.Element:
        """The answer of an operation, its XML without namespaces. Raises AWSError."""
        form = urllib.parse.urlencode({"Action": action, "Version": VERSIONS[service], **parameters}).encode()
        url, region = self.endpoint(service), self.region

        def ask() -> bytes:
            credentials = self.metadata.credentials()
            headers = signed_headers("POST", url, service, region, credentials, form, {"content-type": FORM})
            return post(url, form, headers)

        return read_xml(retried(f"{service}.{action}", ask))

    def rest(
        self,
        service: str,
        region: str,
        method: str,
        url: str,
        body: bytes = b"",
        credentials: Callable[[], Credentials] | None = None,
    ) -> ElementTree.Element:
        """The answer of a service whose operations are paths.

        region: that it is signed for. credentials: others than the instance's. Raises AWSError.
        """
        given = credentials or self.metadata.credentials

        def ask() -> bytes:
            content_type = {"content-type": "application/xml"} if body else {}
            headers = signed_headers(method, url, service, region, given(), body, content_type)
            return send(method, url, body or None, headers)

        return read_xml(retried(f"{service} {method} {urllib.parse.urlsplit(url).path}", ask))

    def pages(self, service: str, action: str, parameters: Mapping[str, str]) -> Iterator[ElementTree.Element]:
        """The answers of an operation that gives its result in pages."""
        token = ""
        while True:
            answer = self.call(service, action, {**parameters, **({"NextToken": token} if token else {})})
            yield answer
            token = answer.findtext("nextToken") or answer.findtext(".//NextToken") or ""
            if not token:
                return

    def read_object(self, url: str) -> bytes:
        """The content of an s3:// URL. Raises AWSError; its code is NoSuchKey where there is none."""
        bucket, key = self._object(url)
        return retried(url, lambda: bucket.read(key))

    def find_object(self, url: str) -> bytes | None:
        """The same; None where there is none."""
        try:
            return self.read_object(url)
        except AWSError as error:
            if error.code == _NO_SUCH_OBJECT:
                return None
            raise

    def read_changed_object(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """The content of an s3:// URL and its ETag; None if that is still this tag. Raises AWSError as read_object."""
        bucket, key = self._object(url)
        return retried(url, lambda: bucket.read_changed(key, tag))

    def write_object(self, url: str, content: bytes) -> None:
        """Write the content of an s3:// URL. Raises AWSError."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.write(key, content))

    def upload_object(self, url: str, path: str, sha256: str) -> None:
        """Write a file to an s3:// URL, whole or not at all. sha256: of the file. Raises AWSError, OSError."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.upload(key, path, sha256))

    def download_object(self, url: str, path: str) -> None:
        """Write the content of an s3:// URL to a file, readable by its owner. Raises AWSError, KopsError."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.download(key, path))

    def list_objects(self, url: str) -> list[str]:
        """The paths of all objects below an s3:// URL. Raises AWSError."""
        bucket, key = self._object(f"{url.rstrip('/')}/")
        found, token = [], ""
        while True:
            page = read_xml(retried(url, lambda after=token: bucket.page(key, after)))  # type: ignore[misc]
            found += [(each.text or "").removeprefix(key) for each in page.iterfind("Contents/Key")]
            token = page.findtext("NextContinuationToken") or ""
            if not token:
                return found

    def remove_object(self, url: str) -> None:
        """Remove the object of an s3:// URL, if it is there. Raises AWSError."""
        bucket, key = self._object(url)
        retried(url, lambda: bucket.remove(key))

    def _object(self, url: str) -> tuple[BucketOfFiles, str]:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "s3":
            raise KopsError(f"{url} is not in S3; instances of AWS read no other store")
        return self._buckets.setdefault(parts.netloc, BucketOfFiles(parts.netloc, self.metadata)), parts.path.lstrip(
            "/"
        )


def post(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    """What a service answers. Raises OSError, urllib.error.HTTPError for an error of the service."""
    return send("POST", url, body, headers)


def send(method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
    """The same with another method of HTTP."""
    request = urllib.request.Request(url, body, dict(headers), method=method)  # noqa: S310
    with opener().open(request, timeout=_TIMEOUT) as answer:
        return bytes(answer.read())


def read_xml(content: bytes) -> ElementTree.Element:
    """An answer without its namespaces, whose versions differ between services. Raises KopsError."""
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - AWS' own answers
    except ElementTree.ParseError as error:
        raise KopsError(f"AWS answered with something that is not XML: {content[:80]!r}") from error
    for element in root.iter():
        element.tag = _NAMESPACE.sub("", element.tag)
    return root


def failure(what: str, error: urllib.error.HTTPError) -> AWSError:
    """The error that a service answered with."""
    with error:
        content = error.read(1 << 16)
    clock = clock_note(error.headers.get("Date"))
    try:
        root = read_xml(content)
    except KopsError:
        return AWSError(what, error.code, "", f"{error.reason}{clock}")
    code = root.findtext(".//Code") or ""
    return AWSError(what, error.code, code, f"{root.findtext('.//Message') or error.reason}{clock}")


def retried(what: str, ask: Callable[[], Answer]) -> Answer:
    """The answer; refusals are raised at once, as they do not change by themselves."""
    pause, end = _PAUSE, time.monotonic() + _TRYING
    for number in range(1, _ATTEMPTS + 1):
        last = number == _ATTEMPTS
        try:
            return ask()
        except urllib.error.HTTPError as error:
            found = failure(what, error)
            if (
                last
                or time.monotonic() > end
                or not (error.code >= 500 or error.code == 429 or _THROTTLED.search(found.code))
            ):
                raise found from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            if last or time.monotonic() > end:
                reason = getattr(error, "reason", None) or error
                raise AWSError(what, said=str(reason) or type(error).__name__) from error
        # Many instances that start at once do not ask again at once.
        time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311
        pause = min(pause * 2, _LONGEST_PAUSE)
    raise AssertionError
