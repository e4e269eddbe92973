# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of several candidates, at most one leads at any time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.lease import (
    Election,
    LostLease,
    Term,
    Times,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kops-controller-manager"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


@pytest.fixture
def clock() -> Clock:
    return Clock()


def candidate(api: FakeKubernetes, clock: Clock, name: str) -> Election:
    return Election(api.client(), name, Times(duration=15, deadline=10), clock)


def test_the_first_one_leads_and_renews_with_one_request(api: FakeKubernetes, clock: Clock) -> None:
    first = candidate(api, clock, "a")
    assert first.attempt() == 1010
    spec = api.objects[PATH]["spec"]
    assert (spec["holderIdentity"], spec["leaseDurationSeconds"], spec["leaseTransitions"]) == ("a", 15, 0)
    clock.now += 4
    del api.requests[:]
    assert first.attempt() == 1014
    assert len(api.requests) == 1
    assert api.objects[PATH]["spec"]["acquireTime"] == spec["acquireTime"] < api.objects[PATH]["spec"]["renewTime"]


def test_another_one_takes_it_only_after_it_has_seen_no_change_for_long_enough(
    api: FakeKubernetes, clock: Clock
) -> None:
    first, second = candidate(api, clock, "a"), candidate(api, clock, "b")
    first.attempt()
    # However long ago that was: this candidate has only just seen it.
    clock.now += 100
    assert second.attempt() == 0 and second.leader == "a"
    clock.now += 14
    assert second.attempt() == 0
    first.attempt()
    clock.now += 14
    assert second.attempt() == 0
    clock.now += 15.1
    assert second.attempt() == clock.now + 10
    assert api.objects[PATH]["spec"]["leaseTransitions"] == 1
    # The first one notices at its next renewal, with which it writes nothing.
    assert first.attempt() == 0 and first.leader == "b"
    assert api.objects[PATH]["spec"]["holderIdentity"] == "b"


def test_of_two_that_take_it_at_once_one_does(api: FakeKubernetes, clock: Clock) -> None:
    candidates = [candidate(api, clock, name) for name in "ab"]
    # Both have seen that there is none; then one of them is faster.
    found = [each.client.find for each in candidates]
    for each in candidates:
        each.client.find = lambda _path: None
    assert [bool(each.attempt()) for each in candidates] == [True, False]
    for each, find in zip(candidates, found):
        each.client.find = find
    assert [bool(each.attempt()) for each in candidates] == [True, False]
    assert api.objects[PATH]["spec"]["holderIdentity"] == "a"


def test_a_released_lease_is_free_at_once(api: FakeKubernetes, clock: Clock) -> None:
    first, second = candidate(api, clock, "a"), candidate(api, clock, "b")
    first.attempt()
    assert second.attempt() == 0
    first.release()
    assert second.attempt()
    second.release()
    # Not that of another one.
    first.attempt()
    second.release()
    assert api.objects[PATH]["spec"]["holderIdentity"] == "a"


def test_the_same_candidate_goes_on_at_once_after_it_was_killed(api: FakeKubernetes, clock: Clock) -> None:
    candidate(api, clock, "a").attempt()
    acquired = api.objects[PATH]["spec"]["acquireTime"]
    assert candidate(api, clock, "a").attempt()
    assert api.objects[PATH]["spec"]["acquireTime"] == acquired


def test_a_lost_answer_is_no_lost_lease(api: FakeKubernetes, clock: Clock) -> None:
    first = candidate(api, clock, "a")
    first.attempt()
    # What was written, but not answered.
    api.objects[PATH]["metadata"]["resourceVersion"] = "99"
    assert first.attempt()


def test_a_lease_that_was_deleted_is_not_free_for_those_who_have_seen_its_leader(
    api: FakeKubernetes, clock: Clock
) -> None:
    first, second = candidate(api, clock, "a"), candidate(api, clock, "b")
    first.attempt()
    second.attempt()
    del api.objects[PATH]
    assert second.attempt() == 0
    clock.now += 4
    assert first.attempt()
    assert second.attempt() == 0
    del api.objects[PATH]
    assert second.attempt() == 0
    clock.now += 15.1
    assert second.attempt()


def test_an_api_server_that_does_not_know_is_an_error(api: FakeKubernetes, clock: Clock) -> None:
    first = candidate(api, clock, "a")
    first.attempt()
    api.faults = [403]
    with pytest.raises(KopsError, match="403"):
        first.attempt()


def test_a_term_ends_by_itself_unless_it_is_extended(clock: Clock) -> None:
    term = Term(1010, clock)
    clock.now = 1009
    term.check()
    term.extend(1019)
    clock.now = 1018
    term.check()
    clock.now = 1019
    with pytest.raises(LostLease):
        term.check()


def test_a_term_that_was_ended_stays_so(clock: Clock) -> None:
    term = Term(1010, clock)
    term.end()
    term.extend(2000)
    assert term.ended
    with pytest.raises(LostLease):
        term.check()
