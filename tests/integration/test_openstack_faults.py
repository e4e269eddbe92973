# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens when it goes wrong on OpenStack's own services: killed, refused, logged out, two at once.

Running again completes, nothing is there twice, and nothing is left of a deletion.
"""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.killable import OPERATIONS, Killable
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import EXTERNAL, IMAGE, Cloud
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import KEY
from ansible_collections.kubeops.kops.tests.support.openstack.ended import ended_at_write
from ansible_collections.kubeops.kops.tests.support.openstack.objects import inventory

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("openstack")]
NAME, ZONE = "faults.k8s.local", "az-1"
# Of the requests, those that go wrong.
FAULTY = 0.1
# Runs that may end with an error before one comes through.
ROUNDS = 6
# Kills in all, and of one operation, which ends before.
KILLS, MOST_KILLS = 30, 60


@pytest.fixture(scope="module")
def login(whole_openstack: Cloud) -> dict[str, str]:
    """Of a member of a project of its own."""
    return whole_openstack.user("faults")


@pytest.fixture
def client(login: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenStackCloud]:
    """A client of the project, whose login is in the environment."""
    for name, value in login.items():
        monkeypatch.setenv(name, value)
    found = OpenStackCloud("", NAME)
    yield found
    found.connection.close()


@pytest.fixture
def given(client: OpenStackCloud) -> dict[str, Any]:
    """Arguments of operations on a stored cluster with a load balancer and a bastion."""
    container = "faults-state"
    client.connection.object_store.create_container(container)
    store = {"state_store": f"swift://{container}", "name": NAME}
    options = {
        "cloud": "openstack",
        "zones": [ZONE],
        "os_ext_net": EXTERNAL,
        "os_octavia": True,
        "api_loadbalancer_type": "public",
        "topology": "private",
        "bastion": True,
        "network_cidr": ["10.0.0.0/16"],
        "networking": "cilium",
        "etcd_storage_type": "standard",
        "image": IMAGE,
        "ssh_public_key": KEY,
        "kubernetes_version": "1.34.4",
    }
    create_cluster({**store, **options}, check_mode=False)
    return store


@pytest.fixture
def specification(given: dict[str, Any]) -> Callable[[], None]:
    """Function: store the cluster again, after it was deleted."""
    saved = [(each.path, each.path.read()) for each in open_path(given["state_store"]).list_tree()]

    def store() -> None:
        for path, content in saved:
            path.write(content)

    return store


@pytest.fixture
def whole(
    client: OpenStackCloud, given: dict[str, Any], specification: Callable[[], None]
) -> Iterator[Callable[[], None]]:
    """Function: check that the cluster is as an undisturbed run makes it, and no object is there twice.

    It makes one and deletes it, which has to come after the specification was saved.
    """
    before = inventory(client)
    OPERATIONS["update"](given)
    wanted = inventory(client)
    OPERATIONS["delete"](given)
    assert inventory(client) == before

    def check() -> None:
        found = inventory(client)
        assert {kind: names for kind, names in found.items() if names != wanted[kind]} == {}
        assert not OPERATIONS["update"](given)

    yield check
    # What a test has made.
    if open_path(given["state_store"]).list_tree():
        OPERATIONS["delete"](given)
    assert inventory(client) == before


class Faulty:
    """Some requests are refused with HTTP 503, and some break off after they were carried out. count: of both."""

    def __init__(self, seed: int) -> None:
        self.chance, self.count, self.lock = random.Random(seed), 0, threading.Lock()

    def sending(self) -> Callable[..., Any]:
        """What sends requests in the place of the library's adapter."""
        send = requests.adapters.HTTPAdapter.send

        def sent(adapter: Any, request: Any, **options: Any) -> Any:
            with self.lock:
                fate = self.chance.random()
                self.count += fate < FAULTY
            if fate < FAULTY / 2:
                refused = requests.Response()
                refused.status_code, refused.request, refused.url = 503, request, request.url
                refused._content = b"try again"
                return refused
            answer = send(adapter, request, **options)
            if fate < FAULTY:
                raise requests.exceptions.ConnectionError("Connection aborted.", ConnectionResetError(104, "reset"))
            return answer

        return sent


def until_done(operation: str, given: dict[str, Any]) -> int:
    """Run an operation until it comes through: how many runs ended with an error, each with a sentence."""
    said = []
    for failed in range(ROUNDS):
        try:
            OPERATIONS[operation](given)
        except KopsError as error:
            assert "Traceback" not in str(error)
            said.append(str(error))
        else:
            return failed
    raise AssertionError(f"{operation} has not come through in {ROUNDS} runs:\n" + "\n".join(said))


@pytest.mark.parametrize("seed", [1, 2])
def test_requests_that_are_refused_or_break_off(
    whole: Callable[[], None],
    specification: Callable[[], None],
    given: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    specification()
    faulty = Faulty(seed)
    with monkeypatch.context() as patched:
        patched.setattr(requests.adapters.HTTPAdapter, "send", faulty.sending())
        failed = until_done("update", given)
    print(f"{faulty.count} requests went wrong, {failed} runs ended with an error")
    assert faulty.count > 10
    whole()
    with monkeypatch.context() as patched:
        patched.setattr(requests.adapters.HTTPAdapter, "send", faulty.sending())
        until_done("delete", given)


def test_a_token_that_ends_in_the_middle(
    whole: Callable[[], None],
    specification: Callable[[], None],
    given: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is none any more, again and again: services answer 401 for it."""
    specification()
    ask, lock, refused = OpenStackCloud.ask, threading.Lock(), []
    asked: list[str] = []

    def ending(cloud: OpenStackCloud, *arguments: Any) -> dict[str, Any]:
        with lock:
            asked.append(str(arguments[-1]))
            if len(asked) % 15 == 0:
                session = cloud.connection.session
                session.auth.get_access(session)._auth_token = "ended"
        return ask(cloud, *arguments)

    def noting(adapter: Any, request: Any, **options: Any) -> Any:
        answer = send(adapter, request, **options)
        if answer.status_code == 401:
            refused.append(request.url)
        return answer

    send = requests.adapters.HTTPAdapter.send
    with monkeypatch.context() as patched:
        patched.setattr(OpenStackCloud, "ask", ending)
        patched.setattr(requests.adapters.HTTPAdapter, "send", noting)
        OPERATIONS["update"](given)
    assert refused
    whole()


def test_two_that_write_at_once(
    whole: Callable[[], None], specification: Callable[[], None], given: dict[str, Any]
) -> None:
    specification()
    first, second = (Killable("update", {**given, "lease_wait": 120.0}) for _each in range(2))
    for each in (first, second):
        each.go()
    assert sorted(each.changed() for each in (first, second)) == [False, True]
    whole()


def killed_until_done(operation: str, given: dict[str, Any], chance: random.Random) -> int:
    """Run an operation again and again, each time killed a few writes later, until it comes through: how often."""
    for killed in range(MOST_KILLS):
        run = functools.partial(ended_at_write, operation, chance.choice((1, 1, 2)), chance.random() < 0.5)
        if not Killable(run, {**given, "break_lease": True}).was_killed():
            return killed
    return MOST_KILLS


def test_killed_anywhere(whole: Callable[[], None], specification: Callable[[], None], given: dict[str, Any]) -> None:
    """Made and deleted, each killed at every few writes, which others that are under way at the moment share."""
    chance, kills = random.Random(1), 0
    while kills < KILLS:
        specification()
        for operation in ("update", "delete"):
            count = killed_until_done(operation, given, chance)
            assert count < MOST_KILLS
            kills += count
            if operation == "update":
                whole()
    print(f"killed {kills} times")
