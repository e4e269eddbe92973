# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of a cloud's provider: what the docstrings of its protocols promise, as functions that each must pass.

A cloud takes part by an Account: a fake of it, in which the contract can do what users and time do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.endpoints import Endpoint
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import (
    DETACHED,
    SERVING,
    STRAY,
    WARM,
    CloudInstance,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.provider import Provider
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all

NAME, OTHER, GROUP = "demo.example.com", "other.example.com", "nodes"
_ROUNDS = 5


class Account(Protocol):
    """A cloud in which nothing exists yet.

    is_id: whether a text is the id of one of its instances.
    """

    provider: Provider[Any]
    place: Place

    def is_id(self, text: str) -> bool:
        """Whether an instance can have this id."""

    def start(self, wanted: int, cluster: str = NAME) -> None:
        """Make an instance group GROUP of a cluster, which wants so many instances, and has them."""

    def change_template(self) -> None:
        """From now on, the group starts other instances."""

    def end(self, instance: str) -> None:
        """Somebody ends an instance by hand, and the cloud has seen it."""


def opened(account: Account, cluster: str = NAME) -> Any:
    """A client as a new process has it."""
    return account.provider.open(account.place, cluster)


def serving(account: Account, cloud: Any) -> list[str]:
    """The instances that count, by name."""
    return [each.name for each in account.provider.looking.instances(cloud)[GROUP].machines]


def machines(account: Account, cloud: Any) -> dict[str, CloudInstance]:
    """All instances of the group, by name."""
    return {each.name: each for each in account.provider.looking.machines(cloud)[GROUP]}


# -- the provider -----------------------------------------------------------------------------------------------------


def clients_share_no_memory(account: Account) -> None:
    first, second = opened(account), opened(account)
    assert first is not second
    assert account.provider.looking.machines(first) == {}
    account.start(1)
    assert list(account.provider.looking.machines(second)) == [GROUP]


def every_error_gets_a_sentence(account: Account) -> None:
    for error in (RuntimeError("it broke"), KopsError("it broke")):
        assert "it broke" in account.provider.explain(error)
        assert not account.provider.is_denied(error)
        assert not account.provider.is_conflict(error)


# -- looking ----------------------------------------------------------------------------------------------------------


def discovery_reads_anew(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    assert looking.discover(cloud) == {}
    account.start(1)
    found = looking.discover(cloud)
    assert found
    assert all(key == resource.key for key, resource in found.items())
    assert looking.in_the_way(cloud, found) == []
    for _round in range(_ROUNDS):
        delete_all(found, progress=lambda line: None, explain=account.provider.explain, deadline=5)
        found = looking.discover(cloud)
        if not found:
            break
    assert found == {}


def what_is_gone_can_be_deleted_again(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(1)
    found, again = looking.discover(cloud), looking.discover(opened(account))
    for resources in (found, again):
        delete_all(resources, progress=lambda line: None, explain=account.provider.explain, deadline=5)


def another_clusters_objects_are_not_seen(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(1, OTHER)
    assert looking.discover(cloud) == {}
    assert looking.groups(cloud) == {}
    assert looking.user_data_by_instance(cloud) == {}
    assert not looking.user_data_in_use(cloud)


def groups_are_read_anew(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(2)
    first = serving(account, cloud)
    assert len(first) == len(machines(account, cloud)) == 2
    account.end(first[0])
    assert first[0] not in serving(account, cloud)
    assert first[0] not in machines(account, cloud)
    group = looking.groups(cloud)[GROUP]
    assert (group.wanted, group.keeps_number) == (2, True)


def both_views_are_one(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(2)
    wanted = {each.name for each in looking.groups(cloud)[GROUP].machines}
    assert set(serving(account, cloud)) == set(machines(account, cloud)) == wanted
    assert looking.instances(cloud)[GROUP].wanted == 2
    for each in machines(account, cloud).values():
        assert account.is_id(each.name)
        assert each.state in (SERVING, WARM, DETACHED, STRAY)
        assert each.power
        assert each.addresses


def instances_are_compared_with_new_ones(account: Account) -> None:
    cloud = opened(account)
    account.start(1)
    assert [each.outdated for each in machines(account, cloud).values()] == [""]
    account.change_template()
    assert all(each.outdated for each in machines(account, cloud).values())
    explained = account.provider.looking.machines(cloud, why=True)[GROUP]
    assert all(each.outdated for each in explained)


def what_has_ended_exists_no_more(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(2)
    gone, other = serving(account, cloud)
    assert looking.existing(cloud, [gone, other]) == {gone, other}
    account.end(gone)
    assert looking.existing(cloud, [gone, other]) == {other}
    assert looking.existing(cloud, []) == set()


def consoles_and_checks_say_what_is_known(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(1)
    (name,) = serving(account, cloud)
    assert isinstance(looking.last_line(cloud, name), str)
    assert isinstance(looking.console(cloud, name), str)
    assert name not in looking.impaired(cloud)


def user_data_is_that_of_each_instance(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    account.start(1)
    (name,) = serving(account, cloud)
    text = looking.user_data_by_instance(cloud)[name]
    assert text
    in_use = looking.user_data_in_use(cloud)
    assert in_use is None or text in in_use
    account.change_template()
    assert looking.user_data_by_instance(cloud)[name] == text
    in_use = looking.user_data_in_use(cloud)
    assert in_use is None or text in in_use


def endpoints_are_hosts(account: Account) -> None:
    cloud, looking = opened(account), account.provider.looking
    for each in (*looking.api_endpoints(cloud), *looking.bastion_endpoints(cloud)):
        assert isinstance(each, Endpoint)
        assert each.host
        assert not set(each.host) & set("/[] ")


# -- replacing --------------------------------------------------------------------------------------------------------


def whoever_ends_gets_a_successor(account: Account) -> None:
    cloud, replacing = opened(account), account.provider.replacing
    account.start(2)
    first, second = serving(account, cloud)
    machine = machines(account, cloud)[first]
    replacing.deregister(cloud, machine, 5)
    for _again in range(2):
        replacing.terminate(cloud, machine)
    assert first not in machines(account, cloud)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _each: replacing.replenish(cloud, GROUP), range(4)))
    now = serving(account, cloud)
    assert (len(now), first in now, second in now) == (2, False, True)


def the_detached_are_seen_but_do_not_count(account: Account) -> None:
    cloud, replacing = opened(account), account.provider.replacing
    account.start(2)
    first, second = serving(account, cloud)
    replacing.detach(cloud, machines(account, cloud)[first])
    replacing.replenish(cloud, GROUP)
    found, now = machines(account, cloud), serving(account, cloud)
    assert first in found
    assert (found[first].state, len(found)) == (DETACHED, 3)
    assert (len(now), first in now, second in now) == (2, False, True)
    replacing.terminate(cloud, found[first])
    replacing.replenish(cloud, GROUP)
    assert sorted(machines(account, cloud)) == sorted(now)


def what_nobody_else_starts_is_told(account: Account) -> None:
    cloud, replacing = opened(account), account.provider.replacing
    account.start(2)
    assert replacing.lacking(cloud) == {}
    account.end(serving(account, cloud)[0])
    lacking, left = replacing.lacking(cloud), len(serving(account, cloud))
    assert lacking in ({}, {GROUP: 1})
    replacing.replenish(cloud, GROUP)
    assert replacing.lacking(cloud) == {}
    # Whoever replaces instances asks first, and what is not told is not made.
    assert bool(lacking) == (len(serving(account, cloud)) > left)
    assert not lacking or len(serving(account, cloud)) == 2


def what_is_removed_has_no_successor(account: Account) -> None:
    cloud, replacing = opened(account), account.provider.replacing
    account.start(2)
    first, second = serving(account, cloud)
    machine = machines(account, cloud)[first]
    for _again in range(2):
        replacing.remove(cloud, machine, 1, True)
    replacing.replenish(cloud, GROUP)
    assert (serving(account, cloud), account.provider.looking.instances(cloud)[GROUP].wanted) == ([second], 1)


def a_cloud_that_replaces_nothing_says_so(account: Account) -> None:
    cloud, replacing, machine = opened(account), account.provider.replacing, CloudInstance("i-1", GROUP)
    asked: list[Callable[[], None]] = [
        lambda: replacing.detach(cloud, machine),
        lambda: replacing.deregister(cloud, machine, 0),
        lambda: replacing.terminate(cloud, machine),
        lambda: replacing.replenish(cloud, GROUP),
        lambda: replacing.remove(cloud, machine, 0, True),
    ]
    for ask in asked:
        with pytest.raises(KopsError):
            ask()
    # It shows no instances either.
    with contextlib.suppress(KopsError):
        assert account.provider.looking.groups(cloud) == {}


OF_EVERY_CLOUD = (every_error_gets_a_sentence, endpoints_are_hosts)
OF_CLOUDS_THAT_START_NODES = (
    clients_share_no_memory,
    discovery_reads_anew,
    what_is_gone_can_be_deleted_again,
    another_clusters_objects_are_not_seen,
    groups_are_read_anew,
    both_views_are_one,
    instances_are_compared_with_new_ones,
    what_has_ended_exists_no_more,
    consoles_and_checks_say_what_is_known,
    user_data_is_that_of_each_instance,
    whoever_ends_gets_a_successor,
    the_detached_are_seen_but_do_not_count,
    what_nobody_else_starts_is_told,
    what_is_removed_has_no_successor,
)
OF_OTHERS = (a_cloud_that_replaces_nothing_says_so,)
