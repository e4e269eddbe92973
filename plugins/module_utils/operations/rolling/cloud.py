# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling updates of clusters in clouds, from the controller: instances by the cloud's API, nodes by the cluster's."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.instances import CloudInstance
from ...kubernetes.client import KubernetesClient
from ...kubernetes.nodes.drain import DrainOptions, set_node_state
from ...kubernetes.nodes.etcd_members import etcd_members
from ...kubernetes.nodes.taints import add_taint
from ...kubernetes.validation.cluster import Group, Validation
from ...statestore.leases import Lease, LeaseLost
from ...statestore.store import ClusterStore
from ..group_choice import choose_groups
from ..next_steps import ROLL
from ..ownership import open_own
from ..policy.operation import Affected, violations_of
from ..policy.policy import Policy, denied
from ..policy.rule import Violation
from ..progress import Progress
from ..status.validation import CloudExpectation, CloudValidator
from . import etcd
from .engine import Engine, Fleet, NotDeregistered, Options, Record, Stopped
from .plan import GroupPlan, Wish, plan, text_of

# kops' name for it.
_TAINT = {"key": "kops.k8s.io/scheduled-for-update", "effect": "PreferNoSchedule"}
# Seconds to wait for an update to end before instances are made: as long as one object of it may take.
_MAKING = 600.0
# kops' default where instances can be detached.
_SURGE = 1
# How often the way to the API is tried, and the pause in between in seconds.
_ATTEMPTS, _PAUSE = 3, 1.0


@dataclass(frozen=True)
class Request:
    """What to do. names, roles: of instance groups; one of them. most: no more instances than these; 0 is no limit.

    lease_wait: seconds to wait for another run that replaces instances; None is the store's default. break_lease: take
    its lease over. pending: as plan.Wish has it; nothing can be carried out then. policy: files with rules.
    """

    state_store: str
    name: str
    api_server: str = ""
    names: Sequence[str] = ()
    roles: Sequence[str] = ()
    force: bool = False
    most: int = 0
    lease_wait: float | None = None
    break_lease: bool = False
    drain: DrainOptions = field(default_factory=DrainOptions)
    options: Options = field(default_factory=Options)
    pending: Mapping[str, str] = field(default_factory=dict)
    policy: Sequence[str] = ()


@dataclass
class RollingUpdate:
    """A rolling update, planned or carried out. problems: what has gone wrong. violations: of the policy."""

    plans: Sequence[GroupPlan]
    engine: Engine
    problems: Sequence[str] = ()
    violations: Sequence[Violation] = ()

    @classmethod
    def of(
        cls,
        fleet: CloudFleet,
        groups: Sequence[InstanceGroup],
        plans: Sequence[GroupPlan],
        options: Options,
        tell: Progress,
    ) -> RollingUpdate:
        """The update that carries out the plans. groups: all of the cluster."""
        careful = replace(options, deregister_servers=_api_servers(groups) > 1)
        return cls(plans, Engine(fleet, plans, careful, tell))

    def judged(self, policy: Policy, operation: str) -> RollingUpdate:
        """The same, with what of its plans violates the policy. operation: name of the playbook."""
        machines = [
            Affected(one.machine.name, each.name, each.role, one.node, "; ".join(one.reasons), each.replaced)
            for each in self.plans
            if not each.left_alone
            for one in (*each.candidates, *each.warm)
        ]
        self.violations = violations_of(policy, operation, machines) if machines else []
        return self

    @property
    def is_forbidden(self) -> bool:
        """Whether the policy stops it."""
        return bool(denied(self.violations))

    @property
    def records(self) -> list[Record]:
        """What became of the instances, in the order of the plan."""
        return list(self.engine.records.values())

    @property
    def has_work(self) -> bool:
        """Whether anything would be replaced."""
        return any(not each.left_alone for each in self.plans)

    @property
    def lines(self) -> list[str]:
        """The plan, a line for each step."""
        return text_of(self.plans)

    def run(self) -> None:
        """Carry it out. What goes wrong is in problems."""
        self.problems = self.engine.run()


class Planned(Protocol):
    """What is done to instances while no other run does anything to them."""

    @property
    def has_work(self) -> bool:
        """Whether anything is to be done."""

    @property
    def is_forbidden(self) -> bool:
        """Whether the policy stops it."""

    @property
    def lines(self) -> list[str]:
        """The plan, a line for each step."""

    def run(self) -> None:
        """Carry it out."""


Work = TypeVar("Work", bound=Planned)


class CloudFleet(Fleet):
    """The instances of a cluster in a cloud. Threads share it. lease: without it, nothing may be changed.

    leaving: names of nodes and instances of which a validation expects nothing.
    """

    leaving: frozenset[str] = frozenset()

    def __init__(self, validator: CloudValidator, drain: DrainOptions, lease: Lease | None = None) -> None:
        self.validator, self.lease = validator, lease
        self.drain_options = replace(drain, for_update=True, leaves=True)
        spec = validator.cluster.spec
        self.etcd = {str(each.name): len(each.etcd_members) for each in spec.etcd_clusters}
        self._lock, self._making = threading.Lock(), threading.Lock()

    def machines(self) -> Mapping[str, Sequence[CloudInstance]]:
        return self.validator.ask(functools.partial(self.validator.provider.looking.machines, why=True))

    def look(self, away: Collection[str]) -> tuple[Validation, Sequence[Group]]:
        with self._lock:
            found = self.validator.look(self.leaving.union(away))
            return found, self.validator.groups_as_they_are

    def lacking(self, node: str) -> list[str]:
        try:
            return etcd.lacking(self.etcd, etcd_members(self._client(), self.etcd), node)
        except KopsError as error:
            return [str(error)]

    def taint(self, node: str) -> None:
        self._ensure_lease()
        add_taint(self._client(), node, _TAINT)

    def cordon(self, node: str) -> None:
        self._ensure_lease()
        client = self._client()
        if client.find(client.kind("v1", "Node").path(name=node)) is not None:
            set_node_state(client, node, "cordoned", self.drain_options)

    def drain(self, node: str, tell: Progress) -> None:
        self._ensure_lease()
        set_node_state(self._client(), node, "drained", self.drain_options, tell)

    def forget(self, node: str) -> None:
        self._ensure_lease()
        set_node_state(self._client(), node, "absent")

    def detach(self, machine: CloudInstance) -> None:
        self._ensure_lease()
        self.validator.ask(self.validator.provider.replacing.detach, machine)

    def deregister(self, machine: CloudInstance) -> None:
        self._ensure_lease()
        try:
            self.validator.ask(self.validator.provider.replacing.deregister, machine, self.drain_options.timeout)
        except KopsError as error:
            raise NotDeregistered(str(error)) from error

    def terminate(self, machine: CloudInstance) -> None:
        self._ensure_lease()
        self.validator.ask(self.validator.provider.replacing.terminate, machine)

    def lacking_instances(self) -> dict[str, int]:
        """Instance group -> how many instances it lacks that nobody else starts."""
        found: dict[str, int] = self.validator.ask(self.validator.provider.replacing.lacking)
        return found

    def replenish(self, group: str) -> None:
        self._ensure_lease()
        if group not in self.lacking_instances():
            return
        # An update that was planned before would make the same ones. One of our threads waits for the lease at a time.
        expected = self.validator.expected
        store = ClusterStore.open(expected.state_store, expected.name)
        with self._making, store.lease_for("make instances", wait=_MAKING):
            self._ensure_lease()
            self.validator.ask(self.validator.provider.replacing.replenish, group)

    def _ensure_lease(self) -> None:
        try:
            if self.lease is not None:
                self.lease.ensure()
        except LeaseLost as error:
            raise Stopped(str(error)) from error

    def _client(self) -> KubernetesClient:
        """A client of the API. One of several servers behind a load balancer may hang, so it is tried again."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with self._lock:
                    return self.validator.client()
            except KopsError:
                if attempt == _ATTEMPTS:
                    raise
            time.sleep(_PAUSE)
        raise AssertionError


def roll(request: Request, tell: Progress) -> RollingUpdate:
    """Find what has to be replaced, and replace it. Only one run at a time replaces instances of a cluster.

    What goes wrong with instances is in the problems of the result. Raises KopsError as plan_update, and LeaseHeld.
    """
    store = ClusterStore.open(request.state_store, request.name)
    lease = store.instances_lease("rolling update", wait=request.lease_wait, break_existing=request.break_lease)
    return carried_out(functools.partial(plan_update, request, tell, lease), lease, tell)


def carried_out(make: Callable[[], Work], lease: Lease, tell: Progress) -> Work:
    """What is planned, and carried out under the lease if there is anything to do, and it may be. Raises LeaseHeld."""
    free = lease.look()
    planned = make()
    if not planned.has_work or planned.is_forbidden:
        return planned
    if not free:
        tell("another run replaces instances of this cluster: waiting until it ends")
    with lease:
        if not lease.undisturbed:
            planned = make()
            if planned.is_forbidden:
                return planned
        for line in planned.lines:
            tell(line)
        planned.run()
    return planned


def plan_update(request: Request, tell: Progress, lease: Lease | None = None) -> RollingUpdate:
    """Find what has to be replaced. Nothing is written. lease: to be held when the result is carried out.

    Raises KopsError if the cluster or a group is not there, or if the cloud or the API does not answer, PolicyError.
    """
    policy = Policy.read(request.policy)
    cluster, groups = ClusterStore.open(request.state_store, request.name).read()
    chosen = choose_groups(groups, request.names, request.roles)
    validator = open_own(CloudExpectation(request.state_store, request.name, api_server=request.api_server))
    validator.cloud.tell = tell
    fleet = CloudFleet(validator, request.drain, lease)
    nodes = {} if request.options.cloud_only else nodes_by_name(validator)
    wish = Wish(request.force, chosen, request.most, 0 if request.options.cloud_only else _SURGE, request.pending)
    plans = plan(cluster, groups, fleet.machines(), nodes, wish)
    return RollingUpdate.of(fleet, groups, plans, request.options, tell).judged(policy, ROLL)


def nodes_by_name(validator: CloudValidator) -> dict[str, Mapping[str, Any]]:
    """The nodes as a validation describes them. Raises KopsError with the reason if the API cannot be asked."""
    # What a validation finds does not matter yet.
    validator.client()
    found = validator.look()
    return {str(each["name"]): {**each, "failing": found.failing.get(str(each["name"]), [])} for each in found.nodes}


def _api_servers(groups: Sequence[InstanceGroup]) -> int:
    """How many API servers there are; the only one is never taken out of its load balancer."""
    sizes = {each.spec.role: 0 for each in groups}
    for each in groups:
        sizes[each.spec.role] += 1 if each.spec.min_size is None else each.spec.min_size
    return sizes.get("ControlPlane", 0) + sizes.get("APIServer", 0)
