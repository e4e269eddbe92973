# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process: it waits, leads, and stops in time."""

from __future__ import annotations

import pathlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import ControllersSettings as Settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.controller import Controller, Work
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.lease import Times
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.manager import Manager, identity_of
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving
from ansible_collections.kubeops.kops.tests.support.kubernetes import Authority, kubeconfig

PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kops-controller-manager"
FAST = Times(duration=1.5, deadline=1.0, renewed=0.2)


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


@pytest.fixture
def settings(api: FakeKubernetes, tmp_path: pathlib.Path) -> Settings:
    authority = Authority.new()
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(api.url, authority.pem, *authority.issue("admin")))
    return Settings("aws", "demo", "i-1", "s3://store/demo", str(path))


class Process:
    """A process with a controller that notes the times of its rounds."""

    def __init__(self, settings: Settings, identity: str, once: Callable[[Work], None] = lambda _work: None) -> None:
        self.rounds: list[float] = []
        self.abandoned = threading.Event()
        nothing: Any = None

        def start(work: Work) -> Callable[[], None]:
            def one() -> None:
                self.rounds.append(time.monotonic())
                once(work)

            return one

        table = [Controller("counting", 0.05, start)]
        self.manager = Manager(settings, identity, nothing, table, FAST, self.abandoned.set)
        self.thread = threading.Thread(target=self.manager.run)
        self.thread.start()

    def end(self) -> None:
        self.manager.stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


def until(condition: Callable[[], Any], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_one_leads_and_the_other_follows_at_once_when_it_stops(api: FakeKubernetes, settings: Settings) -> None:
    first = Process(settings, "a")
    until(lambda: first.rounds)
    second = Process(settings, "b")
    time.sleep(0.5)
    assert not second.rounds
    first.end()
    assert api.objects[PATH]["spec"]["holderIdentity"] in ("", "b")
    until(lambda: second.rounds, 1)
    assert max(first.rounds) < min(second.rounds)
    second.end()
    assert api.objects[PATH]["spec"]["holderIdentity"] == ""


def test_it_waits_for_the_api_server_and_says_so_once(
    api: FakeKubernetes, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    # Who may do what is known a moment after the API server answers.
    api.faults = [403, 403, 403]
    process = Process(settings, "a")
    until(lambda: process.rounds)
    process.end()
    said = capsys.readouterr().out
    assert not api.faults
    assert said.count("waiting for the API server") == 1
    assert "this control plane leads (a)" in said


def test_a_leader_that_cannot_renew_stops_before_another_may_begin(
    api: FakeKubernetes, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    requests: list[float] = []

    def ask(work: Work) -> None:
        work.client.get("/api/v1/namespaces/x")
        requests.append(time.monotonic())

    api.add("Namespace", "x")
    process = Process(settings, "a", ask)
    until(lambda: requests)
    answer = api.answer

    def refused(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        return (403, {}) if "leases" in target else answer(method, target, body, content_type)

    api.answer = refused
    moment = time.monotonic()
    until(lambda: "does not lead any more" in capsys.readouterr().out)
    assert max(requests) < moment + FAST.deadline + 0.3
    assert not process.abandoned.is_set()
    api.answer = answer
    known = len(requests)
    until(lambda: len(requests) > known)
    process.end()


def test_work_that_does_not_end_ends_the_process(
    api: FakeKubernetes, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    go = threading.Event()
    process = Process(settings, "a", lambda _work: go.wait(20) and None)
    until(lambda: process.rounds)
    # Somebody else is the holder all of a sudden.
    with api.lock:
        lease = api.objects[PATH]
        api.objects[PATH] = {
            **lease,
            "metadata": {**lease["metadata"], "resourceVersion": "999"},
            "spec": {**lease["spec"], "holderIdentity": "b"},
        }
    until(process.abandoned.is_set)
    assert "does not lead any more (b leads), and ends what counting does" in capsys.readouterr().out
    go.set()
    process.end()


def test_one_controller_that_fails_does_not_stop_another(api: FakeKubernetes, settings: Settings) -> None:
    rounds: list[int] = []
    nothing: Any = None

    def fail() -> None:
        raise RuntimeError

    table = [
        Controller("failing", 0.05, lambda _work: fail),
        Controller("counting", 0.05, lambda _work: lambda: rounds.append(1)),
    ]
    manager = Manager(settings, "a", nothing, table, FAST)
    thread = threading.Thread(target=manager.run)
    thread.start()
    until(lambda: len(rounds) > 5)
    manager.stop()
    thread.join(10)
    assert not thread.is_alive()


def test_a_kubeconfig_that_cannot_be_read_is_waited_for(
    api: FakeKubernetes, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    path = pathlib.Path(settings.kubeconfig)
    text = path.read_text()
    answer = api.answer

    def breaking(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        # Between the election and the start of the controllers.
        if method == "POST" and "leases" in target:
            path.write_text("")
        return answer(method, target, body, content_type)

    api.answer = breaking
    process = Process(settings, "a")
    until(lambda: "names no server" in capsys.readouterr().out)
    assert not process.rounds
    path.write_text(text)
    until(lambda: process.rounds)
    process.end()


def test_the_identity_names_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "machine-id"
    monkeypatch.setattr(
        "ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.manager._MACHINE_ID", str(path)
    )
    assert identity_of("i-1") == "i-1"
    path.write_text("0123456789abcdef\n")
    assert identity_of("i-1") == "i-1_01234567"
