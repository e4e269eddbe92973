# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import sys
import types
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import by_scheme
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.by_scheme import StoreByScheme
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.gs import GSStore
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import S3Store
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.store import Store
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.swift import SwiftStore

# For mypy: what each scheme's module gives.
OF_SCHEMES: tuple[type[Store], ...] = (GSStore, S3Store, SwiftStore)


class Identity:
    """An instance. asked: the schemes for which it was asked what it has for them."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def access_to(self, scheme: str) -> str:
        self.asked.append(scheme)
        return f"the key to {scheme}"


class Fake:
    """A store that says what it is asked, and with what."""

    def __init__(self, access: str) -> None:
        self.access = access

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: (name, self.access, arguments)


def made(monkeypatch: pytest.MonkeyPatch, **modules: Any) -> tuple[Any, Identity]:
    for name, content in modules.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, f"{by_scheme.__package__}.{name}", module)
    identity: Any = Identity()
    return StoreByScheme(identity), identity


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("read", ()),
        ("read_changed", ("tag",)),
        ("write", (b"content",)),
        ("upload", ("/file", "0" * 64)),
        ("download", ("/file",)),
        ("names", ()),
        ("remove", ()),
    ],
)
def test_a_url_is_of_the_store_of_its_scheme(name: str, more: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    store, identity = made(monkeypatch, gs={"store": Fake}, swift={"store": Fake})
    for url in ("gs://bucket/a", "swift://container/a", "gs://bucket/b"):
        found = getattr(store, name)(url, *more)
        if found is not None:
            assert found == (name, f"the key to {url.partition(':')[0]}", (url, *more))
    # Each knows what it has found out.
    assert identity.asked == ["gs", "swift"]


@pytest.mark.parametrize("url", ["stub://container/a", "signing://a", "store://a", "/a", "file:///a", ""])
def test_a_scheme_that_the_program_does_not_have_is_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _identity = made(monkeypatch)
    with pytest.raises(KopsError, match="this program has no code for stores of the kind"):
        store.read(url)


def test_a_fault_in_a_store_is_not_taken_for_one_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"{by_scheme.__package__}.s3", raising=False)
    monkeypatch.setitem(sys.modules, f"{by_scheme.__package__}.xml_service", None)
    store, _identity = made(monkeypatch)
    with pytest.raises(ModuleNotFoundError, match="xml_service"):
        store.read("s3://bucket/a")
