# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients of the state store and of the cloud come from one session."""

from __future__ import annotations

import pathlib
import threading
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import boto
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.s3 import Bucket
from botocore.exceptions import UnknownServiceError
from botocore.loaders import JSONFileLoader


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "of-this-test")


def test_store_and_cloud_read_the_table_of_endpoints_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    load_file = JSONFileLoader.load_file

    def recorded(self: JSONFileLoader, path: str) -> object:
        found = load_file(self, path)
        if found is not None:
            read.append(path.rpartition("/")[2])
        return found

    monkeypatch.setattr(JSONFileLoader, "load_file", recorded)
    assert Bucket("one").client.meta.service_model.service_name == "s3"
    assert AWSCloud("eu-west-1").client("sts").meta.region_name == "eu-west-1"
    assert read.count("endpoints") == 1


def test_other_services_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = set()
    exists = JSONFileLoader.exists

    def recorded(self: JSONFileLoader, path: str) -> bool:
        looked_at.add(pathlib.Path(path).parts[-3])
        return exists(self, path)

    monkeypatch.setattr(JSONFileLoader, "exists", recorded)
    sts = AWSCloud("eu-west-1", session=boto._session.__wrapped__(())).client("sts")
    assert not sts.can_paginate("get_caller_identity")
    assert looked_at == {"sts"}


def test_a_service_that_the_sdk_does_not_know() -> None:
    with pytest.raises(UnknownServiceError, match="'no-service'"):
        boto.client(boto.default_session(), "no-service", region_name="eu-west-1")


def test_models_of_the_user_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    assert str(tmp_path) in boto.default_session()._loader.search_paths


def test_another_environment_is_another_session(monkeypatch: pytest.MonkeyPatch) -> None:
    before = boto.default_session()
    assert boto.default_session() is before
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-another-user")
    credentials = boto.default_session().get_credentials()
    assert credentials is not None
    assert credentials.access_key == "of-another-user"


def test_threads_make_clients_one_after_the_other() -> None:
    class OneAtATime:
        inside = 0
        together = 0

        def client(self, *_arguments: object, **_options: object) -> None:
            self.inside += 1
            self.together = max(self.together, self.inside)
            waiting.wait(0.05)
            self.inside -= 1

    waiting = threading.Event()
    session: Any = OneAtATime()
    threads = [threading.Thread(target=boto.client, args=(session, "s3")) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.together == 1
