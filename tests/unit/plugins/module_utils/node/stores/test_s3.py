# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in S3 with the role of a control plane."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.by_scheme import StoreByScheme
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import S3Store
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.file_server import running

from .conftest import take_role


def test_objects_by_their_url(store):
    assert store.read("s3://store/demo.example.com/a") == b"content"
    assert store.read("s3://store/demo.example.com/none") is None


def test_an_object_that_has_not_changed_is_not_sent_again(store, server):
    url, s3 = "s3://store/demo.example.com/changing", server.client("s3")
    s3.put_object(Bucket="store", Key="demo.example.com/changing", Body=b"one")
    content, tag = store.read_changed(url, "")
    assert content == b"one" and tag
    assert store.read_changed(url, tag) is None
    s3.put_object(Bucket="store", Key="demo.example.com/changing", Body=b"two")
    content, other = store.read_changed(url, tag)
    assert content == b"two" and other != tag
    with pytest.raises(ServiceError) as caught:
        store.read_changed("s3://store/demo.example.com/none", tag)
    assert caught.value.code == "NoSuchKey"
    with pytest.raises(ServiceError) as caught:
        store.read_changed("s3://store/other.example.com/a", "")
    assert caught.value.status == 403


def test_objects_are_written_where_the_role_may(store):
    url = "s3://store/demo.example.com/backups/etcd/main/control/etcd-cluster-created"
    store.write(url, b"content & more")
    assert store.read(url) == b"content & more"
    with pytest.raises(ServiceError) as caught:
        store.write("s3://store/demo.example.com/a", b"other")
    assert caught.value.status == 403
    assert store.read("s3://store/demo.example.com/a") == b"content"


def test_what_stays_broken_is_said_with_what_was_asked(service, monkeypatch):
    monkeypatch.setattr(xml_service, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")
    with running() as (url, files):
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        files.statuses += [503] * 20
        with pytest.raises(ServiceError, match="s3://store/a: 503"):
            S3Store(Metadata()).read("s3://store/a")
        assert len(files.asked) == 6


def test_the_store_is_read_with_the_role_of_the_instance(service, server):
    assert StoreByScheme(AWSInstance()).read("s3://store/demo.example.com/a") == b"content"
    take_role(server, service, "nodes")
    with pytest.raises(ServiceError, match="403"):
        StoreByScheme(AWSInstance()).read("s3://store/demo.example.com/a")
