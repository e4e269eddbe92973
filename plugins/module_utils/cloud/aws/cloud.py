# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One AWS account and region: sessions, retries, paging, and reads that are made once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ...statestore.vfs import boto
from ..reads import Reads
from . import lost_answers
from .errors import explain

if TYPE_CHECKING:
    import boto3

# The SDK's own retry mode does the waiting: exponential back-off with jitter on throttling, 5xx and broken connections.
MAX_ATTEMPTS = 10
CONNECTIONS = 32
# EC2 takes at most this many values in one filter.
FILTER_VALUES = 200

# How errors of AWS begin in XML, in JSON and in CBOR (a map).
_ANSWER = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<(Error|Response)|\s*\{|[\xa0-\xbf]")

Value = TypeVar("Value")


def parts(values: Sequence[Value], size: int = FILTER_VALUES) -> Iterator[Sequence[Value]]:
    """The values in as few parts as calls can take."""
    return (values[start : start + size] for start in range(0, len(values), size))


class AWSCloud(Reads):
    """AWS as tasks see it.

    region: AWS region name. cluster_name: owner of what is found and created.
    session: a boto3 session, for tests and for assumed roles; None takes the SDK's own credential chain.
    Every read goes through :meth:`once`, so that a thousand tasks cost one call for each kind of object.
    Raises CloudError when boto3 is missing, or the profile that is asked for.
    """

    def __init__(self, region: str, cluster_name: str = "", session: boto3.Session | None = None) -> None:
        super().__init__()
        try:
            import botocore.config

            self._session = session or boto.default_session()
        except Exception as error:
            raise explain(error) from error
        self.region = region
        self.cluster_name = cluster_name
        self._config = botocore.config.Config(
            region_name=region,
            retries={"mode": "standard", "max_attempts": MAX_ATTEMPTS},
            max_pool_connections=CONNECTIONS,
        )
        self._clients: dict[tuple[str, str], Any] = {}

    def client(self, service: str, region: str | None = None) -> Any:
        """The boto3 client of a service, made once (creating one costs more than most calls)."""
        key = (service, region or self.region)
        with self._lock:
            if key not in self._clients:
                made = boto.client(self._session, service, region_name=key[1], config=self._config)
                made.meta.events.register("before-parse", _drop_page)
                lost_answers.guard(made, service)
                self._clients[key] = made
            return self._clients[key]

    def paged(self, service: str, operation: str, result_key: str, **parameters: Any) -> list[Any]:
        """All items of a listing operation, over all its pages."""
        client = self.client(service)
        if not client.can_paginate(operation):
            return list(getattr(client, operation)(**parameters)[result_key])
        pages = client.get_paginator(operation).paginate(**parameters)
        return [item for page in pages for item in page.get(result_key, ())]

    @property
    def account_id(self) -> str:
        """The account of the credentials."""
        return str(self.once(_caller_identity)["Account"])

    @property
    def partition(self) -> str:
        """aws, aws-cn or aws-us-gov, from the caller's ARN."""
        return str(self.once(_caller_identity)["Arn"]).split(":")[1]


def _drop_page(response_dict: dict[str, Any], **_event: Any) -> None:
    """Empty the body of a server error that is a page of a proxy or a web server, and nothing of AWS.

    The SDK would stop with a ResponseParserError for it, at the first attempt, unless it begins with ``<html>``. Of an
    empty body it takes the status, so that the request is tried again like after every other server error.
    """
    if response_dict["status_code"] >= 500 and not _ANSWER.match(response_dict["body"]):
        response_dict["body"] = b""


def _caller_identity(cloud: AWSCloud) -> dict[str, Any]:
    return dict(cloud.client("sts").get_caller_identity())


def from_tags(tags: Iterable[dict[str, str]] | None) -> dict[str, str]:
    """AWS' list of {Key, Value} as a dict."""
    return {tag["Key"]: tag.get("Value", "") for tag in tags or ()}


def to_tags(tags: dict[str, str] | None) -> list[dict[str, str]]:
    """A dict as AWS' list of {Key, Value}, sorted so that requests are reproducible."""
    return [{"Key": key, "Value": value} for key, value in sorted((tags or {}).items())]


def tag_specifications(resource_type: str, tags: dict[str, str] | None) -> list[dict[str, Any]]:
    """The TagSpecifications argument of EC2's creating calls; empty when there is nothing to tag."""
    return [{"ResourceType": resource_type, "Tags": to_tags(tags)}] if tags else []


def intersect_tags(actual: Iterable[dict[str, str]] | None, wanted: dict[str, str] | None) -> dict[str, str]:
    """Existing tags whose keys are wanted: tags of other programs are no difference (a rule of kops)."""
    present = from_tags(actual)
    return {key: present[key] for key in wanted or {} if key in present}


def missing_tags(actual: dict[str, str] | None, wanted: dict[str, str] | None) -> dict[str, str]:
    """Wanted tags that the object lacks, or has with another value."""
    present = actual or {}
    return {key: value for key, value in (wanted or {}).items() if present.get(key) != value}
