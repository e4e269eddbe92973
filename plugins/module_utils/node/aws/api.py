# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of AWS' services with the instance's own credentials: EC2, STS and Route 53.

AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL_STS and AWS_ENDPOINT_URL of the environment name other endpoints.
"""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from xml.etree import ElementTree

from ..stores.signing import Credentials, signed_headers
from ..stores.xml_service import post, read_xml, retried, send
from .metadata import Metadata

VERSIONS = {"ec2": "2016-11-15", "sts": "2011-06-15", "autoscaling": "2011-01-01"}
FORM = "application/x-www-form-urlencoded; charset=utf-8"


class AWS:
    """The services of the region that the instance is in."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata

    @property
    def region(self) -> str:
        """Of the instance. Raises ServiceError."""
        return self.told("meta-data/placement/region")

    def told(self, path: str) -> str:
        """What the metadata service says, which is asked again if it does not answer. Raises ServiceError."""
        return retried(f"metadata service, {path}", lambda: self.metadata.get(path))

    def find(self, path: str) -> str:
        """The same; "" if it has nothing at this path."""
        return retried(f"metadata service, {path}", lambda: self.metadata.find(path))

    def endpoint(self, service: str) -> str:
        """The URL of a service."""
        chosen = os.environ.get(f"AWS_ENDPOINT_URL_{service.upper()}") or os.environ.get("AWS_ENDPOINT_URL")
        return (chosen or f"https://{service}.{self.region}.{self.told('meta-data/services/domain')}").rstrip("/") + "/"

    def call(self, service: str, action: str, parameters: Mapping[str, str]) -> ElementTree.Element:
        """The answer of an operation, its XML without namespaces. Raises ServiceError."""
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

        region: that it is signed for. credentials: others than the instance's. Raises ServiceError.
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
