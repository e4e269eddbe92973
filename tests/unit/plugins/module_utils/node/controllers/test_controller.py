# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller, while its control plane leads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.controllers import problems
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.controller import Controller, Work, run
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.lease import LostLease, Term
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.table import CONTROLLERS
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving


def test_names_are_keys_of_a_config_map() -> None:
    names = [controller.name for controller in CONTROLLERS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[-._a-zA-Z0-9]+", name) for name in names)


class Hours(Term):
    """A term of so many rounds, whose pauses are written down."""

    def __init__(self, rounds: int) -> None:
        super().__init__(1, lambda: 0)
        self.pauses: list[float] = []
        self._rounds = rounds

    def wait(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if len(self.pauses) == self._rounds:
            self.end()


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        fake.add("Namespace", "kube-system")
        yield fake


@pytest.fixture
def client(api: FakeKubernetes) -> KubernetesClient:
    return api.client()


def work(client: KubernetesClient, term: Term) -> Work:
    nothing: Any = None
    return Work(nothing, client, nothing, nothing, term)


def rounds(*results: Exception | None) -> Callable[[], None]:
    left = iter(results)

    def one() -> None:
        error = next(left)
        if error is not None:
            raise error

    return one


def test_a_reason_is_said_once_and_tried_again_more_and_more_rarely(
    client: KubernetesClient, capsys: pytest.CaptureFixture[str]
) -> None:
    term = Hours(12)
    function = rounds(*[KopsError("no answer")] * 8, KopsError("403"), None, KopsError("no answer"), None)
    run(Controller("records", 30, lambda _work: function), work(client, term))
    assert term.pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60, 30, 1, 30]
    assert capsys.readouterr().out.splitlines() == [
        "kubeops: records: no answer",
        "kubeops: records: 403",
        "kubeops: records: works again",
        "kubeops: records: no answer",
        "kubeops: records: works again",
    ]


def test_what_was_not_expected_is_said_with_its_place(
    client: KubernetesClient, capsys: pytest.CaptureFixture[str]
) -> None:
    run(Controller("records", 30, lambda _work: rounds(KeyError("spec"))), work(client, Hours(1)))
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("kubeops: records: KeyError: 'spec' (test_controller.py:")


def test_a_start_that_fails_is_tried_again(client: KubernetesClient) -> None:
    started: list[int] = []

    def start(_work: Work) -> Callable[[], None]:
        started.append(1)
        if len(started) < 3:
            raise OSError("not yet")
        return lambda: None

    term = Hours(4)
    run(Controller("records", 30, start), work(client, term))
    assert (len(started), term.pauses) == (3, [1, 2, 30, 30])


def test_a_lost_lease_is_the_end_without_a_word(client: KubernetesClient, capsys: pytest.CaptureFixture[str]) -> None:
    term = Hours(2)
    run(Controller("records", 30, lambda _work: rounds(None, LostLease())), work(client, term))
    assert term.pauses == [30]
    assert not capsys.readouterr().out


def test_the_reason_is_in_the_cluster_as_long_as_it_is_one(api: FakeKubernetes, client: KubernetesClient) -> None:
    seen = []

    class Watching(Hours):
        def wait(self, seconds: float) -> None:
            seen.append(problems(client))
            super().wait(seconds)

    results = rounds(None, KopsError("a"), KopsError("a"), KopsError("b"), None, None)
    run(Controller("records", 30, lambda _work: results), work(client, Watching(6)))
    assert seen == [{}, {"records": "a"}, {"records": "a"}, {"records": "b"}, {}, {}]
    assert len(api.writes()) == 4  # A patch of nothing, its creation, another reason, and none.
    # A leader that comes later knows what an earlier one has written.
    later = rounds(KopsError("c"), None)
    for _leader in range(2):
        run(Controller("records", 30, lambda _work: later), work(client, Hours(1)))
    assert problems(client) == {}


def test_a_reason_that_cannot_be_written_down_changes_nothing(api: FakeKubernetes, client: KubernetesClient) -> None:
    api.faults = [403, 403, 403]
    term = Hours(4)
    run(Controller("records", 30, lambda _work: rounds(*[KopsError("a")] * 4)), work(client, term))
    assert term.pauses == [1, 2, 4, 8]
    assert problems(client) == {"records": "a"}
