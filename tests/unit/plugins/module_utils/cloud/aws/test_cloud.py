# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Server errors of AWS, and of what stands before it, are retried whatever their text is."""

from __future__ import annotations

import io
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.cloud.aws.conftest import CLUSTER, REGION
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError

# One operation of each protocol: ec2, query, JSON, REST with XML.
OPERATIONS = {
    "ec2": "describe_vpcs",
    "autoscaling": "describe_auto_scaling_groups",
    "sqs": "list_queues",
    "route53": "list_hosted_zones",
}
PAGES = {
    "html": (502, b"<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1><br></body></html>\n"),
    "well-formed html": (503, b'<?xml version="1.0"?>\n<html xmlns="x"><body>Service Unavailable</body></html>'),
    "text": (500, b"Internal Server Error"),
    "nothing": (504, b""),
}
XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'
ERROR = b"<Error><Code>Own</Code><Message>words</Message></Error>"
ANSWERS = {
    "ec2": XML + b"<Response><Errors>" + ERROR + b"</Errors><RequestID>1</RequestID></Response>",
    "autoscaling": b"<ErrorResponse>" + ERROR + b"<RequestId>1</RequestId></ErrorResponse>",
    "sqs": b'{"__type": "Own", "message": "words"}',
    "route53": XML + b"<ErrorResponse>" + ERROR + b"<RequestId>1</RequestId></ErrorResponse>",
}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)


@pytest.fixture
def cloud(moto_server: str) -> AWSCloud:
    """With clients of its own: each may try again only so often."""
    return AWSCloud(REGION, CLUSTER)


def asked(cloud: AWSCloud, service: str, status: int, body: bytes, times: int) -> tuple[int, Any]:
    """Call an operation of which the first attempts get an answer: how many there were, and what came back."""
    client, attempts = cloud.client(service), []

    def answer(request: Any, **_event: Any) -> AWSResponse | None:
        attempts.append(request.url)
        if len(attempts) > times:
            return None
        raw: Any = io.BytesIO(body)
        raw.stream = lambda *_size, **_more: iter([body])
        return AWSResponse(request.url, status, {"Content-Type": "text/html"}, raw)

    client.meta.events.register_first("before-send", answer)
    try:
        found = getattr(client, OPERATIONS[service])()
    finally:
        client.meta.events.unregister("before-send", answer)
    return len(attempts), found


@pytest.mark.parametrize("service", OPERATIONS)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_pages_are_retried(cloud: AWSCloud, service: str, page: tuple[int, bytes]) -> None:
    attempts, found = asked(cloud, service, *page, times=2)
    assert attempts == 3
    assert found["ResponseMetadata"]["HTTPStatusCode"] == 200


@pytest.mark.parametrize("service", OPERATIONS)
def test_a_page_that_stays_is_an_error_with_its_status(cloud: AWSCloud, service: str) -> None:
    with pytest.raises(ClientError, match=r"An error occurred \(502\) .*reached max retries: .*: Bad Gateway"):
        asked(cloud, service, *PAGES["html"], times=100)


@pytest.mark.parametrize(("service", "answer"), ANSWERS.items())
def test_errors_of_aws_keep_their_words(cloud: AWSCloud, service: str, answer: bytes) -> None:
    with pytest.raises(ClientError, match=r"An error occurred \(Own\) .*: words"):
        asked(cloud, service, 500, answer, times=100)
