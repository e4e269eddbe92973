# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account whose signatures and policies are checked, and an instance in it that knows nothing but its metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.metadata_service import MetadataService

INSTANCE = "i-0123456789abcdef0"
# The rights of a control plane, in short.
POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": ["s3:PutObject"],
            "Resource": "arn:aws:s3:::store/demo.example.com/backups/etcd/*",
        },
        {"Effect": "Allow", "Action": ["s3:Get*"], "Resource": "arn:aws:s3:::store/demo.example.com/*"},
        {
            "Effect": "Allow",
            "Action": ["ec2:DescribeInstances", "ec2:DescribeVolumes", "ec2:AttachVolume", "ec2:DescribeInstanceTypes"],
            "Resource": "*",
        },
    ],
}
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}


@pytest.fixture(scope="package")
def server() -> Iterator[AWSServer]:
    with AWSServer(checked=True) as running:
        s3, iam = running.client("s3"), running.client("iam")
        s3.create_bucket(Bucket="store")
        for key in ("demo.example.com/a", "other.example.com/a"):
            s3.put_object(Bucket="store", Key=key, Body=b"content")
        for name in ("masters", "nodes"):
            iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
        iam.put_role_policy(RoleName="masters", PolicyName="own", PolicyDocument=json.dumps(POLICY))
        yield running


@pytest.fixture()
def service(server: AWSServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[MetadataService]]:
    """The metadata service of an instance with the role of control planes."""
    for name in ("AWS_ENDPOINT_URL_S3", "S3_ENDPOINT", "S3_REGION"):
        monkeypatch.delenv(name, raising=False)
    with metadata_service.running(metadata_service.paths_of_an_instance(INSTANCE)) as (url, handler):
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        # Whoever asks through a proxy, asks nobody.
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "127.0.0.1:" + server.url.rpartition(":")[2])
        take_role(server, handler, "masters")
        yield handler


def take_role(server: AWSServer, service: type[MetadataService], role: str) -> None:
    """Give the instance another role."""
    arn = f"arn:aws:iam::123456789012:role/{role}"
    session = server.client("sts").assume_role(RoleArn=arn, RoleSessionName=service.paths["meta-data/instance-id"])
    for path in [path for path in service.paths if path.startswith(metadata_service.CREDENTIALS)]:
        del service.paths[path]
    service.paths.update(metadata_service.paths_of_credentials(role, session["Credentials"]))


@pytest.fixture()
def aws(service: type[MetadataService], monkeypatch: pytest.MonkeyPatch) -> api.AWS:
    """The services as that instance sees them, with short pauses."""
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    return api.AWS(Metadata())


def without_filters(aws: api.AWS, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask for everything, as if the server passed over the filters of requests."""
    pages = aws.pages

    def ask(service: str, action: str, parameters: Mapping[str, str]) -> Iterator[ElementTree.Element]:
        kept = {key: value for key, value in parameters.items() if not key.startswith("Filter.")}
        return pages(service, action, kept)

    monkeypatch.setattr(aws, "pages", ask)
