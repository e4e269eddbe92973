# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of tests of AWS, whose S3 is the store, and a Cloud Storage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.gs import GSStore
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import S3Store
from ansible_collections.kubeops.kops.tests.support import storage_server
from ansible_collections.kubeops.kops.tests.support.storage_server import Service, StoredBucket

from ..aws.conftest import server, service, take_role

__all__ = ["server", "service", "take_role"]


@pytest.fixture()
def store(service: object, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    """S3 as that instance sees it, with short pauses."""
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    return S3Store(Metadata())


class Account:
    """What an instance of Google Cloud has: another token each time. given: all of them; the server takes these."""

    def __init__(self, given: set[str]) -> None:
        self.given = given

    def token(self) -> tuple[str, float]:
        token = f"token-{len(self.given)}"
        self.given.add(token)
        return token, 2e9


@pytest.fixture()
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A Cloud Storage with the bucket "store", which takes the tokens of the account only."""
    with storage_server.running() as (url, service):
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", url)
        monkeypatch.setenv("no_proxy", "*")
        service.buckets["store"] = StoredBucket()
        service.tokens = set()
        yield service


@pytest.fixture()
def gs_store(storage: Service, monkeypatch: pytest.MonkeyPatch) -> GSStore:
    """Cloud Storage as an instance sees it, with short pauses."""
    assert storage.tokens is not None
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    return GSStore(Account(storage.tokens))
