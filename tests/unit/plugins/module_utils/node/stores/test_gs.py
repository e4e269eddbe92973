# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in Cloud Storage with the account of a control plane."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.by_scheme import StoreByScheme
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.gs import GSStore
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.storage_server import Fault, Service

URL = "gs://store/demo.example.com/a b&c"


def test_what_is_busy_or_breaks_is_asked_again(gs_store: GSStore, storage: Service) -> None:
    storage.faults = [
        Fault("POST", 503),
        Fault("POST"),
        Fault("POST", 429),
        Fault("GET", 500),
        Fault("GET", act=True, after=2),
    ]
    gs_store.write(URL, b"content")
    assert gs_store.read(URL) == b"content"
    assert [each.partition(" ")[0] for each in storage.asked] == ["POST"] * 4 + ["GET"] * 3


def test_what_stays_broken_is_said_with_what_was_asked(gs_store: GSStore, storage: Service) -> None:
    storage.faults = [Fault("GET", 503) for _attempt in range(20)]
    with pytest.raises(ServiceError, match="gs://store/demo.example.com/a b&c: 503"):
        gs_store.read(URL)
    assert len(storage.asked) == 6


def test_refusals_are_said_at_once_and_in_their_own_words(gs_store: GSStore, storage: Service) -> None:
    storage.buckets["store"].denied = {"get", "create", "list", "delete"}
    for ask, permission in (
        (lambda: gs_store.read(URL), "get"),
        (lambda: gs_store.write(URL, b""), "create"),
        (lambda: gs_store.names("gs://store/demo.example.com"), "list"),
        (lambda: gs_store.remove(URL), "delete"),
    ):
        storage.asked.clear()
        with pytest.raises(ServiceError, match=f"403 .* does not have storage.objects.{permission} access") as caught:
            ask()
        assert caught.value.status == 403
        assert len(storage.asked) == 1


def test_a_bucket_that_is_missing_is_no_missing_object(gs_store: GSStore, storage: Service) -> None:
    for ask in (gs_store.read, gs_store.remove, gs_store.names):
        with pytest.raises(ServiceError, match="gs://none/a.*: 404 The specified bucket does not exist"):
            ask("gs://none/a")
    assert gs_store.read(URL) is None
    # Whoever may not list learns nothing of the bucket, and is told so of the object.
    storage.buckets["store"].denied = {"list"}
    assert gs_store.read(URL) is None
    gs_store.remove(URL)


def test_a_token_that_is_not_taken_is_said(gs_store: GSStore, storage: Service) -> None:
    storage.tokens = {"another"}
    with pytest.raises(ServiceError, match="401 Invalid Credentials"):
        gs_store.read(URL)


def test_no_token_is_in_an_error(gs_store: GSStore, storage: Service) -> None:
    given = storage.tokens
    storage.tokens = {"another"}
    with pytest.raises(ServiceError) as caught:
        gs_store.write(URL, b"content")
    assert given
    assert not any(token in f"{caught.value!r} {caught.value.__cause__!r}" for token in given)


def test_the_store_is_read_with_what_the_instance_has(gs_store: GSStore, storage: Service) -> None:
    class Instance:
        def access_to(self, scheme: str) -> object:
            assert scheme == "gs"
            return gs_store._access

    gs_store.write(URL, b"content")
    assert StoreByScheme(Instance()).read(URL) == b"content"
