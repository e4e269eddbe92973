# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container of Swift: a token that has ended for many threads at once, which the library renews for the first one."""

from __future__ import annotations

import types
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import openstack_sdk
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.swift_container import Container, Refused


class Adapter:
    """A store that answers with these statuses, one after the other."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)

    def get_endpoint(self) -> str:
        return ""

    def request(self, url: str, method: str, **options: Any) -> Any:
        return types.SimpleNamespace(status_code=self.statuses.pop(0), reason="", content=b"here")


def container(monkeypatch: pytest.MonkeyPatch, *statuses: int) -> tuple[Container, Adapter]:
    adapter = Adapter(*statuses)
    monkeypatch.setattr(openstack_sdk, "connect", lambda: types.SimpleNamespace(object_store=adapter))
    return Container("states"), adapter


def test_a_request_is_made_again_with_the_new_token(monkeypatch: pytest.MonkeyPatch) -> None:
    states, adapter = container(monkeypatch, 401, 401, 200)
    assert states.ask("read", "GET", "config").content == b"here"
    assert adapter.statuses == []


def test_a_login_that_is_not_accepted_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    states, _adapter = container(monkeypatch, *[401] * openstack_sdk.LOGINS)
    with pytest.raises(Refused, match="OpenStack does not accept the login"):
        states.ask("read", "GET", "config")


def test_what_is_read_while_it_is_sent_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    states, adapter = container(monkeypatch, 401, 200)
    with pytest.raises(Refused):
        states.ask("write", "PUT", "large", data=iter([b"part"]))
    assert adapter.statuses == [200]
