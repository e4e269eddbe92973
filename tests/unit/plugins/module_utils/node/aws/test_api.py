# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import socket

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.api import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

from .conftest import take_role


def test_an_operation_that_the_role_may_call(aws, server):
    started = server.client("ec2").run_instances(ImageId="ami-12345678", MinCount=2, MaxCount=2)["Instances"]
    wanted = {each["InstanceId"] for each in started}
    answers = list(aws.pages("ec2", "DescribeInstances", {"InstanceId.1": min(wanted), "InstanceId.2": max(wanted)}))
    found = [each.text for answer in answers for each in answer.findall(".//instancesSet/item/instanceId")]
    assert set(found) == wanted


def test_who_it_is_for_aws(aws):
    answer = aws.call("sts", "GetCallerIdentity", {})
    assert answer.findtext(".//Arn") == "arn:aws:sts::123456789012:assumed-role/masters/i-0123456789abcdef0"


def test_a_refusal_is_raised_at_once_with_its_code(aws, server, service):
    take_role(server, service, "nodes")
    with server.recorded() as calls, pytest.raises(ServiceError) as caught:
        aws.call("ec2", "DescribeInstances", {})
    assert (caught.value.status, caught.value.code) == (403, "UnauthorizedOperation")
    assert "ec2.DescribeInstances: 403" in str(caught.value)
    assert calls["ec2.DescribeInstances"] == 1


def test_throttling_and_broken_answers_are_retried(service, monkeypatch):
    monkeypatch.setattr(xml_service, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")
    with AWSServer(fault_percent=30, seed=3) as faulty:
        monkeypatch.setenv("AWS_ENDPOINT_URL", faulty.url)
        aws = AWS(Metadata())
        for _time in range(25):
            assert aws.call("ec2", "DescribeInstances", {}).tag == "DescribeInstancesResponse"


def test_what_stays_broken_is_said_with_what_was_asked(service, monkeypatch):
    monkeypatch.setattr(xml_service, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(ServiceError, match="ec2.DescribeInstances: .*refused"):
        AWS(Metadata()).call("ec2", "DescribeInstances", {})


def test_what_takes_an_address_and_says_nothing_is_not_waited_for_silently(service, monkeypatch):
    """As behind a firewall. Six attempts would be two minutes without a word."""
    monkeypatch.setattr(xml_service, "_TIMEOUT", 0.2)
    monkeypatch.setattr(xml_service, "_TRYING", 0.1)
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ServiceError, match="ec2.DescribeInstances: timed out"):
            AWS(Metadata()).call("ec2", "DescribeInstances", {})
        silent.settimeout(1)
        silent.accept()[0].close()
        with pytest.raises(socket.timeout):
            silent.accept()


def test_endpoints_of_services(aws, service, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_EC2", "https://vpce-1.example.com")
    assert aws.endpoint("ec2") == "https://vpce-1.example.com/"
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    service.paths["meta-data/services/domain"] = "amazonaws.com.cn"
    service.paths["meta-data/placement/region"] = "cn-north-1"
    assert aws.endpoint("sts") == "https://sts.cn-north-1.amazonaws.com.cn/"


def test_a_service_that_does_not_answer_at_first(aws, service):
    service.statuses += [500, 503]
    assert aws.told("meta-data/instance-id") == "i-0123456789abcdef0"
    assert aws.find("meta-data/nothing") == ""
