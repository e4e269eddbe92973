# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the model is built from, and the tasks that it has built so far."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..api import questions
from ..api.cluster import Cluster
from ..api.facts import CloudFacts
from ..api.instance_group import InstanceGroup
from ..api.networking import ClusterSubnetSpec
from ..api.zones import zones_of
from ..base.errors import KopsError
from ..engine.targets.rendering import FOUND, LateValues
from ..engine.task import Lifecycle, Task, comparable
from .phases import Layers
from .stored import NothingStored, Stored

AnyTask = TypeVar("AnyTask", bound=Task[Any])


@dataclass(frozen=True)
class ServerAddresses:
    """Addresses that are known when tasks are done. find: gives them, as the target does."""

    needs: Sequence[Task[Any]]
    find: Callable[[], Sequence[str]]


@dataclass(frozen=True)
class OfVersion:
    """A completed cluster with its completed instance groups, of one version of Kubernetes."""

    cluster: Cluster
    groups: Sequence[InstanceGroup]


@dataclass
class ModelContext:
    """A completed cluster with its completed instance groups, what is known around it, and its tasks.

    account: whose the cloud's objects are, as Provider.account says; only the cloud's own model looks into it.
    ssh_public_keys: OpenSSH lines.
    stored: what the store has of the cluster, and what others publish.
    target: gives what is known of the cloud's objects only when they are there.
    workers: what workers are made of while they have to keep an older version; None if they do not.
    server_addresses: where nodes find the bootstrap servers; None where these have a name of the cluster's.
    virtual_address: of the API, which one of the control planes holds; "" for none.
    environment: variables that instances get which read the state store.
    chosen: names of the groups that are to be updated; None is all. What the groups share is built for all of them.
    features: kops' feature flags that are on. kops_version: the version of kops whose objects are written.
    tasks, warnings: what has been built so far, and sentences about what the specification asks for in vain.
    """

    cluster: Cluster
    groups: Sequence[InstanceGroup]
    facts: CloudFacts
    account: object = None
    kops_version: str = ""
    features: frozenset[str] = frozenset()
    ssh_public_keys: Sequence[str] = ()
    stored: Stored = field(default_factory=NothingStored)
    target: LateValues = FOUND
    workers: OfVersion | None = None
    server_addresses: ServerAddresses | None = None
    virtual_address: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    chosen: frozenset[str] | None = None
    layers: Layers = field(default_factory=Layers)
    lifecycle_overrides: Mapping[str, Lifecycle] = field(default_factory=dict)
    tasks: dict[str, Task[Any]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    # -- tasks --------------------------------------------------------------------------------------------------

    def add(self, task: AnyTask) -> AnyTask:
        """Take a new task in; raises KopsError when another one has its name."""
        if task.key in self.tasks:
            raise KopsError(f"the specification asks for two objects of the name {task.key}")
        task.lifecycle = self.lifecycle_overrides.get(task.kind, task.lifecycle)
        self.tasks[task.key] = task
        return task

    def ensure(self, task: AnyTask) -> AnyTask:
        """Take a task in unless an equal one is there, and give the one that is; raises KopsError when they differ."""
        known = self.tasks.get(task.key)
        if known is None:
            return self.add(task)
        task.lifecycle = self.lifecycle_overrides.get(task.kind, task.lifecycle)
        if not isinstance(known, type(task)) or _content(known) != _content(task):
            raise KopsError(f"the specification asks for two different objects of the name {task.key}")
        return known

    def get(self, kind: type[AnyTask], name: str) -> AnyTask:
        """The task of that kind and name; raises KopsError when the specification has not asked for one."""
        task = self.tasks.get(f"{kind.__name__}/{name}")
        if not isinstance(task, kind):
            raise KopsError(f"the specification refers to {kind.__name__}/{name}, but asks for no such object")
        return task

    # -- the cluster --------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The cluster's name."""
        return str(self.cluster.metadata.name)

    @property
    def region(self) -> str:
        """The cloud region."""
        return self.facts.region

    @property
    def store_base(self) -> str:
        """URL of the cluster's directory in the state store."""
        return str(self.cluster.spec.config_store.base or "")

    @property
    def keypair_base(self) -> str:
        """URL of the store's directory of keysets."""
        return self.cluster.spec.config_store.keypairs or f"{self.store_base.rstrip('/')}/pki"

    @property
    def secret_base(self) -> str:
        """URL of the store's directory of secrets."""
        return self.cluster.spec.config_store.secrets or f"{self.store_base.rstrip('/')}/secrets"

    @property
    def publishes_dns_records(self) -> bool:
        """Whether the API has a name in a hosted zone."""
        return not questions.uses_none_dns(self.cluster)

    @property
    def nodes_join_through_load_balancer(self) -> bool:
        """Whether nodes reach kops-controller through the API's load balancer: without DNS there is no other way."""
        return questions.uses_none_dns(self.cluster)

    @property
    def is_ipv6_only(self) -> bool:
        """Whether pods have IPv6 addresses only."""
        return questions.is_ipv6_only(self.cluster)

    @property
    def shares_network(self) -> bool:
        """Whether the VPC existed before the cluster and outlives it."""
        return bool(self.cluster.spec.networking.network_id)

    @property
    def uses_cilium_etcd(self) -> bool:
        """Whether Cilium keeps its state in an etcd cluster of its own."""
        cilium = self.cluster.spec.networking.cilium
        return cilium is not None and bool(cilium.etcd_managed)

    @property
    def uses_service_account_roles(self) -> bool:
        """Whether pods get IAM roles of their own (IRSA) instead of using their node's."""
        return questions.uses_service_account_roles(self.cluster)

    @property
    def has_bastion(self) -> bool:
        """Whether SSH goes through bastion instances."""
        return any(group.spec.role == "Bastion" for group in self.groups)

    @property
    def updated_groups(self) -> Iterator[InstanceGroup]:
        """The instance groups whose own objects are made and changed.

        Those of Karpenter always are: its addon describes all of them, and what it does not describe is deleted.
        """
        chosen = self.chosen
        return (
            group
            for group in self.groups
            if chosen is None or group.metadata.name in chosen or group.spec.manager == "Karpenter"
        )

    @property
    def updates_api_servers(self) -> bool:
        """Whether instances that serve the Kubernetes API are made or changed, which may be given credentials."""
        return any(runs_api_server(group) for group in self.updated_groups)

    def groups_of(self, *roles: str) -> Iterator[InstanceGroup]:
        """The instance groups of these roles."""
        return (group for group in self.groups if group.spec.role in roles)

    def group(self, name: str) -> InstanceGroup:
        """The instance group of that name; raises KopsError when there is none."""
        for group in self.groups:
            if group.metadata.name == name:
                return group
        raise KopsError(f"there is no instance group {name!r}")

    def seen_by(self, group: InstanceGroup) -> tuple[Cluster, InstanceGroup]:
        """The cluster and the group as the nodes of the group are made of them: in the version that these may have."""
        if self.workers is None or group.spec.role != "Node":
            return self.cluster, group
        return self.workers.cluster, next(
            each for each in self.workers.groups if each.metadata.name == group.metadata.name
        )

    def subnets_of(self, group: InstanceGroup) -> list[ClusterSubnetSpec]:
        """The subnets of an instance group; raises KopsError when one is missing or they are of several types."""
        by_name = {subnet.name: subnet for subnet in self.cluster.spec.networking.subnets}
        missing = [name for name in group.spec.subnets if name not in by_name]
        if missing or not group.spec.subnets:
            raise KopsError(
                f"instance group {group.metadata.name}: no subnet {', '.join(missing) or 'is given'};"
                f" the cluster has {', '.join(str(name) for name in by_name)}"
            )
        subnets = [by_name[name] for name in group.spec.subnets]
        types = sorted({str(subnet.type) for subnet in subnets})
        if len(types) > 1:
            raise KopsError(f"instance group {group.metadata.name}: its subnets are of several types: {types}")
        return subnets

    def zones_of(self, group: InstanceGroup) -> list[str]:
        """The zones that an instance group names, directly or by its subnets; sorted."""
        self.subnets_of(group)  # They are checked.
        return zones_of(self.cluster, group)


def is_ipv6_cidr(text: str | None) -> bool:
    """Whether text is an IPv6 network."""
    try:
        return ipaddress.ip_network(text or "", strict=False).version == 6
    except ValueError:
        return False


def runs_api_server(group: InstanceGroup) -> bool:
    """Whether the instances of a group serve the Kubernetes API."""
    return group.spec.role in ("ControlPlane", "APIServer")


def role_directory(group: InstanceGroup) -> str:
    """A group's role as it is spelled in paths of the state store."""
    return "control-plane" if group.spec.role == "ControlPlane" else str(group.spec.role).lower()


def _content(task: Task[Any]) -> dict[str, object]:
    return {declared.name: comparable(getattr(task, declared.name)) for declared in dataclasses.fields(task)}
