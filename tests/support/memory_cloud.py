# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloud in memory that keeps the contract of providers, and nothing else: its groups do not keep their numbers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import NoFacts
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.endpoints import Endpoint
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import (
    DETACHED,
    SERVING,
    CloudInstance,
    InstancesOfGroup,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.looking import Looking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.provider import Provider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.reads import Reads
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.replacing import Replacing
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import Resource, by_key
from ansible_collections.kubeops.kops.tests.support.cloud_contract import GROUP, NAME


@dataclass
class Group:
    """A group of a cluster, with a template of so many changes. instances: id -> the template that it is made of."""

    wanted: int
    template: int = 1
    instances: dict[str, int] = field(default_factory=dict)
    detached: set[str] = field(default_factory=set)


class MemoryCloud(Reads):
    """A client. groups: of all clusters, by their names."""

    def __init__(self, account: MemoryAccount, cluster_name: str) -> None:
        super().__init__()
        self.account, self.cluster_name = account, cluster_name


def describe_groups(cloud: MemoryCloud) -> dict[str, Group]:
    """The groups of the cluster as they are at this moment."""
    with cloud.account.lock:
        return {
            name: Group(each.wanted, each.template, dict(each.instances), set(each.detached))
            for (cluster, name), each in cloud.account.groups.items()
            if cluster == cloud.cluster_name
        }


class MemoryLooking(Looking[MemoryCloud]):
    """It remembers what it reads, as a cloud should that many tasks ask."""

    def find_objects(self, cloud: MemoryCloud) -> dict[str, Resource]:
        account, found = cloud.account, cloud.once(describe_groups)
        instances = [
            Resource("instance", each, functools.partial(account.end, each))
            for group in found.values()
            for each in group.instances
        ]
        groups = [Resource("group", each, functools.partial(account.drop, cloud.cluster_name, each)) for each in found]
        return by_key([*instances, *groups])

    def api_endpoints(self, cloud: MemoryCloud) -> list[Endpoint]:
        return [Endpoint("2001:db8::1"), Endpoint("192.0.2.1", internal=True)]

    def groups(
        self, cloud: MemoryCloud, *, only_serving: bool = False, why: bool = False
    ) -> dict[str, InstancesOfGroup]:
        cloud.forget(describe_groups)
        return {
            name: InstancesOfGroup(
                group.wanted,
                [
                    CloudInstance(
                        each,
                        name,
                        DETACHED if each in group.detached else SERVING,
                        outdated="" if template == group.template else "its template has changed",
                        private_addresses=("192.0.2.7",),
                        power="on",
                    )
                    for each, template in group.instances.items()
                ],
            )
            for name, group in cloud.once(describe_groups).items()
        }

    def existing(self, cloud: MemoryCloud, names: Collection[str]) -> set[str]:
        return {each for group in cloud.account.groups.values() for each in group.instances} & set(names)

    def user_data_by_instance(self, cloud: MemoryCloud) -> dict[str, str]:
        groups = describe_groups(cloud).values()
        return {each: f"user data {template}" for group in groups for each, template in group.instances.items()}


class MemoryReplacing(Replacing[MemoryCloud]):
    """What is missing in a group is started by `replenish` only."""

    def detach(self, cloud: MemoryCloud, machine: CloudInstance) -> None:
        cloud.account.groups[cloud.cluster_name, machine.within].detached.add(machine.name)

    def deregister(self, cloud: MemoryCloud, machine: CloudInstance, seconds: float) -> None:
        """There are no load balancers."""

    def terminate(self, cloud: MemoryCloud, machine: CloudInstance) -> None:
        cloud.account.end(machine.name)

    def replenish(self, cloud: MemoryCloud, group: str) -> None:
        cloud.account.fill(cloud.cluster_name, group)

    def lacking(self, cloud: MemoryCloud) -> dict[str, int]:
        found = MemoryLooking().instances(cloud)
        return {
            name: group.wanted - len(group.machines)
            for name, group in found.items()
            if group.wanted > len(group.machines)
        }

    def remove(self, cloud: MemoryCloud, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        cloud.account.groups[cloud.cluster_name, machine.within].wanted = wanted
        cloud.account.end(machine.name)


class MemoryProvider(Provider[MemoryCloud]):
    """Of one account."""

    looking: Looking[MemoryCloud] = MemoryLooking()
    replacing: Replacing[MemoryCloud] = MemoryReplacing()

    def __init__(self, account: MemoryAccount) -> None:
        self.account_of_tests = account

    def place(self, cluster: Cluster) -> Place:
        return Place()

    def open(self, place: Place, cluster_name: str) -> MemoryCloud:
        return MemoryCloud(self.account_of_tests, cluster_name)

    def facts(self, cloud: MemoryCloud, ahead_for: Any = None) -> NoFacts:
        return NoFacts()

    def account(self, cloud: MemoryCloud) -> None:
        return None

    def explain(self, error: Exception) -> str:
        return str(error)

    def is_denied(self, error: Exception) -> bool:
        return False


class MemoryAccount:
    """Account of the contract. provider: another one than MemoryProvider breaks it somewhere."""

    place = Place()

    def __init__(self) -> None:
        self.provider = MemoryProvider(self)
        self.groups: dict[tuple[str, str], Group] = {}
        self.lock = threading.RLock()
        self._started = 0

    def is_id(self, text: str) -> bool:
        """Whether an instance can have this id."""
        return text.startswith("vm-")

    def start(self, wanted: int, cluster: str = NAME) -> None:
        """A group with its instances."""
        self.groups[cluster, GROUP] = Group(wanted)
        self.fill(cluster, GROUP)

    def fill(self, cluster: str, name: str) -> None:
        """Start what a group lacks."""
        with self.lock:
            group = self.groups[cluster, name]
            for _missing in range(group.wanted - len(group.instances.keys() - group.detached)):
                self._started += 1
                group.instances[f"vm-{self._started}"] = group.template

    def change_template(self) -> None:
        """The group starts other instances."""
        self.groups[NAME, GROUP].template += 1

    def end(self, instance: str) -> None:
        """End an instance, if it is there."""
        with self.lock:
            for group in self.groups.values():
                group.instances.pop(instance, None)
                group.detached.discard(instance)

    def drop(self, cluster: str, name: str) -> None:
        """Delete a group, if it is there."""
        with self.lock:
            self.groups.pop((cluster, name), None)
