# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One client: what is read once for all who wait, and what a write says of which nobody knows whether it was made."""

from __future__ import annotations

import time
import types
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import PORT, SERVER, Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools import latest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import openstack_sdk
from keystoneauth1 import exceptions

NAME = "demo.k8s.local"


class Reading(OpenStackCloud):
    """Servers that are there, and how often they were listed."""

    def __init__(self) -> None:
        super().__init__("", NAME)
        self.there, self.lists = ["a", "b"], 0

    def read(self, kind: Kind, **query: str) -> list[dict[str, Any]]:
        self.lists += 1
        return [{"id": each} for each in self.there]


class Adapter:
    """A service, and the paths that it was asked for. answer: what it says."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer, self.asked = answer, list[str]()

    def request(self, path: str, method: str, **options: Any) -> Any:
        self.asked.append(f"{method} {path}")
        return self.answer()


def client(monkeypatch: pytest.MonkeyPatch, answer: Callable[[], Any]) -> tuple[OpenStackCloud, Adapter]:
    """A client of services that all answer so."""
    adapter = Adapter(answer)
    connection = types.SimpleNamespace(compute=adapter, network=adapter)
    monkeypatch.setattr(openstack_sdk, "connect", lambda region: connection)
    return OpenStackCloud("", NAME), adapter


def said(status: int, body: Any = None) -> Callable[[], Any]:
    return lambda: types.SimpleNamespace(status_code=status, content=b"{}", text="", json=lambda: body)


def raised(error: Exception) -> Callable[[], Any]:
    def answer() -> Any:
        raise error

    return answer


def test_those_that_wait_share_a_reading_of_a_moment_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = Reading()
    assert [cloud.latest(SERVER, each) for each in ("a", "b", "c")] == [{"id": "a"}, {"id": "b"}, None]
    assert cloud.lists == 1
    monkeypatch.setattr(latest, "_MOMENT", 0.0)
    cloud.there.append("c")
    assert cloud.latest(SERVER, "c") == {"id": "c"}
    assert cloud.lists == 2


def test_a_reading_from_before_says_nothing() -> None:
    """That an object is there was true before its deletion, whose effect is asked for."""
    cloud = Reading()
    assert cloud.latest(SERVER, "a")
    cloud.there.remove("a")
    deleted = time.monotonic()
    assert cloud.latest(SERVER, "a", since=deleted) is None
    assert cloud.latest(SERVER, "b", since=deleted)
    assert cloud.lists == 2


@pytest.mark.parametrize(
    ("answer", "still"),
    [
        (raised(exceptions.ConnectTimeout("timed out")), openstack_sdk.SECONDS_TO_WRITE),
        (raised(exceptions.ConnectFailure("reset by peer")), 0),
        (said(504), openstack_sdk.SECONDS_TO_WRITE),
        (said(503), 0),
    ],
    ids=["no answer in time", "broken off", "a proxy has waited", "refused"],
)
def test_after_a_timeout_a_write_may_still_be_carried_out(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[], Any], still: int
) -> None:
    cloud, adapter = client(monkeypatch, answer)
    with pytest.raises(AnswerLost) as lost:
        cloud.make(SERVER, {"name": "nodes-1"})
    assert lost.value.still == still
    assert adapter.asked == ["POST /servers"]


def test_several_objects_are_made_by_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [{"name": "b", "id": "2"}, {"name": "a", "id": "1"}]
    cloud, adapter = client(monkeypatch, said(201, {"ports": made}))
    found = cloud.make_many(PORT, [{"name": "a"}, {"name": "b"}])
    assert {name: each["id"] for name, each in found.items()} == {"a": "1", "b": "2"}
    assert adapter.asked == ["POST /ports"]


def test_a_service_is_not_touched_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library asks it for its versions then."""
    touched: list[str] = []

    class Connection:
        def __getattr__(self, name: str) -> Adapter:
            touched.append(name)
            return Adapter(said(404))

    monkeypatch.setattr(openstack_sdk, "connect", lambda region: Connection())
    cloud = OpenStackCloud("", NAME)
    assert cloud.get(SERVER, "gone") is None
    assert touched == ["compute"]
