# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import socket

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.api import AWS, AWSError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.file_server import running

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
    with server.recorded() as calls, pytest.raises(AWSError) as caught:
        aws.call("ec2", "DescribeInstances", {})
    assert (caught.value.status, caught.value.code) == (403, "UnauthorizedOperation")
    assert "ec2.DescribeInstances: 403" in str(caught.value)
    assert calls["ec2.DescribeInstances"] == 1


def test_objects_by_their_url(aws):
    assert aws.read_object("s3://store/demo.example.com/a") == b"content"
    with pytest.raises(AWSError) as caught:
        aws.read_object("s3://store/demo.example.com/none")
    assert caught.value.code == "NoSuchKey"
    assert aws.find_object("s3://store/demo.example.com/a") == b"content"
    assert aws.find_object("s3://store/demo.example.com/none") is None
    with pytest.raises(KopsError, match="gs://store/a is not in S3"):
        aws.read_object("gs://store/a")


def test_an_object_that_has_not_changed_is_not_sent_again(aws, server):
    url, s3 = "s3://store/demo.example.com/changing", server.client("s3")
    s3.put_object(Bucket="store", Key="demo.example.com/changing", Body=b"one")
    content, tag = aws.read_changed_object(url, "")
    assert content == b"one" and tag
    assert aws.read_changed_object(url, tag) is None
    s3.put_object(Bucket="store", Key="demo.example.com/changing", Body=b"two")
    content, other = aws.read_changed_object(url, tag)
    assert content == b"two" and other != tag
    with pytest.raises(AWSError) as caught:
        aws.read_changed_object("s3://store/demo.example.com/none", tag)
    assert caught.value.code == "NoSuchKey"
    with pytest.raises(AWSError) as caught:
        aws.read_changed_object("s3://store/other.example.com/a", "")
    assert caught.value.status == 403


def test_objects_are_written_where_the_role_may(aws):
    url = "s3://store/demo.example.com/backups/etcd/main/control/etcd-cluster-created"
    aws.write_object(url, b"content & more")
    assert aws.read_object(url) == b"content & more"
    with pytest.raises(AWSError) as caught:
        aws.write_object("s3://store/demo.example.com/a", b"other")
    assert caught.value.status == 403
    assert aws.read_object("s3://store/demo.example.com/a") == b"content"


def test_throttling_and_broken_answers_are_retried(service, monkeypatch):
    monkeypatch.setattr(api, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")
    with AWSServer(fault_percent=30, seed=3) as faulty:
        monkeypatch.setenv("AWS_ENDPOINT_URL", faulty.url)
        aws = AWS(Metadata())
        for _time in range(25):
            assert aws.call("ec2", "DescribeInstances", {}).tag == "DescribeInstancesResponse"


def test_what_stays_broken_is_said_with_what_was_asked(service, monkeypatch):
    monkeypatch.setattr(api, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")
    with running() as (url, files):
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        files.statuses += [503] * 20
        with pytest.raises(AWSError, match="s3://store/a: 503"):
            AWS(Metadata()).read_object("s3://store/a")
        assert len(files.asked) == 6
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(AWSError, match="ec2.DescribeInstances: .*refused"):
        AWS(Metadata()).call("ec2", "DescribeInstances", {})


def test_what_takes_an_address_and_says_nothing_is_not_waited_for_silently(service, monkeypatch):
    """As behind a firewall. Six attempts would be two minutes without a word."""
    monkeypatch.setattr(api, "_TIMEOUT", 0.2)
    monkeypatch.setattr(api, "_TRYING", 0.1)
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(AWSError, match="ec2.DescribeInstances: timed out"):
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
