# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replaces the instances of a plan, one after the other, and waits in between until the cluster is as it should be.

Source: pkg/instancegroups of kops (rollingupdate.go, instancegroups.go). It keeps no state: what is left to do follows
from the cloud and the cluster, so that an interrupted run is simply run again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...base.errors import KopsError
from ...cloud.instances import DETACHED, CloudInstance
from ...kubernetes.validation.cluster import Failure, Group, Validation
from ...kubernetes.validation.run import Timing
from ..progress import Progress
from .plan import Candidate, GroupPlan
from .settings import ROLES

_SERVERS = ("ControlPlane", "APIServer")
# How often a wait says what it waits for, in seconds.
_REMINDER = 30.0
# While something fails, the next look comes sooner: after so many seconds, or so many times what the last one took.
_SOONEST, _SHARE = 2.0, 4


class Stopped(KopsError):
    """Nothing else may be replaced, in whatever group."""


class Unsettled(Stopped):
    """The cluster has not become as it should be in time."""


class NotDeregistered(KopsError):
    """A load balancer still sends to an instance."""


class Fleet(Protocol):
    """The instances of a cluster, and its API. Everything raises KopsError that says what does not work."""

    def machines(self) -> Mapping[str, Sequence[CloudInstance]]:
        """Instance group -> its instances as they are now."""

    def look(self, away: Collection[str]) -> tuple[Validation, Sequence[Group]]:
        """A validation of the cluster, and its groups with the names of the instances that should be nodes.

        away: names of nodes and instances of which nothing is expected.
        """

    def lacking(self, node: str) -> list[str]:
        """Why etcd cannot do without a control plane now; empty if it can. node: the instance, if it is not a node."""

    def taint(self, node: str) -> None:
        """Let new pods go elsewhere if they can."""

    def cordon(self, node: str) -> None:
        """Keep new pods off a node, and the traffic of load balancers."""

    def drain(self, node: str, tell: Progress) -> None:
        """Evict its pods, and wait until their clients have noticed. Raises NotDrained that names the pods left."""

    def forget(self, node: str) -> None:
        """Delete the Node object of an instance that ends."""

    def detach(self, machine: CloudInstance) -> None:
        """Take it out of its group, which then lacks one."""

    def deregister(self, machine: CloudInstance) -> None:
        """Take it out of load balancers. Raises NotDeregistered."""

    def terminate(self, machine: CloudInstance) -> None:
        """End it."""

    def replenish(self, group: str) -> None:
        """Let the instance group start successors of instances that have ended or were detached."""


@dataclass(frozen=True)
class Options:
    """Options of the engine. times: of validations. intervals: role -> pause after an instance has ended, in seconds.

    cloud_only: without the Kubernetes API, which means without draining, validation and surges. hold: so many seconds
    the cluster must stay as it should be after the first worker. groups_at_once: of the role Node.
    deregister_servers: whether control planes and API servers are taken out of load balancers first.
    validate_first: whether the cluster must be as it should be before the first instance of a group.
    each_is_tried: what goes wrong with one instance does not keep the others as they are.
    """

    times: Timing = Timing(900, 10, 2)
    intervals: Mapping[str, float] = field(default_factory=dict)
    cloud_only: bool = False
    fail_on_drain_error: bool = True
    fail_on_validate: bool = True
    hold: float = 0
    groups_at_once: int = 1
    deregister_servers: bool = True
    validate_first: bool = True
    each_is_tried: bool = False


@dataclass
class Record:
    """Result for one instance. result: not started, replaced, deleted, failed, or gone. seconds: by step.

    detached: whether this run has taken it out of its group, so that another one started.
    """

    candidate: Candidate
    group: str
    result: str = "not started"
    detached: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    error: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The record as plain data."""
        seconds = {name: round(each, 1) for name, each in self.seconds.items()}
        about = {"instance_group": self.group, "result": self.result, "detached": self.detached}
        return {**self.candidate.as_dict(), **about, "seconds": seconds, "error": self.error}


class Engine:
    """One rolling update. records: of all instances, by their names, in the order of the plans. warnings: for users."""

    def __init__(self, fleet: Fleet, plans: Sequence[GroupPlan], options: Options, tell: Progress) -> None:
        self.fleet, self.options, self.tell = fleet, options, tell
        self.plans = [each for each in plans if not each.left_alone]
        self.warnings: list[str] = []
        self.records = {
            each.machine.name: Record(each, plan.name) for plan in self.plans for each in (*plan.warm, *plan.candidates)
        }
        # Names of nodes and instances that are on their way, of which a validation expects nothing, and of those that
        # have ended.
        self._away = {
            name
            for plan in self.plans
            for each in plan.candidates
            if each.unfinished or each.unhealthy
            for name in names_of(each)
        }
        self._ended: set[str] = set()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._held = threading.Event()

    @property
    def changed(self) -> bool:
        """Whether anything was done to an instance."""
        return any(
            each.result in ("replaced", "deleted") or each.detached or each.seconds for each in self.records.values()
        )

    def run(self) -> list[str]:
        """Replace all of them. Returns what has gone wrong."""
        problems: list[str] = []
        for role in ROLES:
            plans = [each for each in self.plans if each.role == role]
            width = {"Bastion": len(plans), "Node": self.options.groups_at_once}.get(role, 1)
            problems += self._groups(plans, max(width, 1), fatal=role in ("Bastion", "ControlPlane"))
            if self._stopping.is_set():
                break
        return problems

    # -- groups ---------------------------------------------------------------------------------------------------

    def _groups(self, plans: Sequence[GroupPlan], width: int, *, fatal: bool) -> list[str]:
        """Groups of one role. As kops: the next worker group is begun though one has failed, unless the cluster has."""
        problems: list[str] = []

        def work(plan: GroupPlan) -> None:
            if self._stopping.is_set():
                return
            try:
                self._group(plan)
            except KopsError as error:
                unproven = plan.role == "Node" and self.options.hold > 0 and not self._held.is_set()
                if not self._goes_on_after(error) and (
                    fatal or unproven or isinstance(error, (Stopped, NotDeregistered))
                ):
                    self._stopping.set()
                if str(error):
                    problems.append(f"instance group {plan.name}: {error}")

        running = []
        with ThreadPoolExecutor(width) as pool:
            for plan in plans:
                running.append(pool.submit(work, plan))
                # Whatever comes next waits for what becomes of the first worker.
                while plan.role == "Node" and self.options.hold and not (self._held.is_set() or running[-1].done()):
                    wait(running[-1:], timeout=0.2)
        for each in running:
            each.result()
        return problems

    def _group(self, plan: GroupPlan) -> None:
        present = {each.name for group in self.fleet.machines().values() for each in group}
        candidates = [each for each in plan.candidates if each.machine.name in present]
        for each in (*plan.warm, *plan.candidates):
            if each.machine.name not in present:
                self.records[each.machine.name].result = "gone"
        if plan.role != "Bastion" and self.options.validate_first:
            self._validate(plan, "before the first instance is replaced", 1)
        if not self.options.cloud_only:
            self._taint(candidates)
        for each in plan.warm:
            if each.machine.name in present:
                self.tell(f"{plan.name}: deleting {each.machine.name} of the warm pool")
                self.fleet.terminate(each.machine)
                self.records[each.machine.name].result = "deleted"
        alone = plan.alone
        at_once = plan.limits.at_once
        if not self.options.cloud_only and candidates:
            missed, alone = self._surge(plan, candidates)
            at_once = max(1, at_once - missed)
        self._each(plan, candidates, at_once, alone)

    def _taint(self, candidates: Sequence[Candidate]) -> None:
        for each in candidates:
            try:
                if each.node:
                    self.fleet.taint(each.node)
            except KopsError as error:
                if self.options.fail_on_drain_error:
                    raise
                self._warn(f"node {each.node} gets no taint: {error}")

    def _surge(self, plan: GroupPlan, candidates: Sequence[Candidate]) -> tuple[int, bool]:
        """Detach the last ones. Returns how many of them could not be, and whether nothing has proved itself yet."""
        alone, left = plan.alone, len(plan.detached)
        for each in reversed(candidates):
            if not left:
                break
            if each.machine.state == DETACHED:
                continue
            try:
                self.tell(f"{plan.name}: detaching {each.machine.name}, so that another instance starts")
                self.fleet.detach(each.machine)
            except KopsError as error:
                self._warn(f"{each.machine.name} cannot be detached: {error}")
                continue
            self.records[each.machine.name].detached = True
            self.fleet.replenish(plan.name)
            left -= 1
            if alone or not left:
                self._pause(plan)
                self._validate(plan, f"after {each.machine.name} was detached", self.options.times.count)
                alone = False
        return left, alone

    def _each(self, plan: GroupPlan, candidates: Sequence[Candidate], at_once: int, alone: bool) -> None:
        """Replace the candidates, so many at once; the first one by itself if it has to prove something."""
        running: set[Future[None]] = set()
        problems: list[str] = []
        with ThreadPoolExecutor(at_once) as pool:
            for number, each in enumerate(candidates):
                self._check_stopping()
                holding = number == 0 and plan.role == "Node" and self.options.hold > 0 and not self._held.is_set()
                running.add(pool.submit(self._replace, plan, each))
                if len(running) < at_once and not ((alone or holding) and number == 0):
                    continue
                done, running = wait(running, return_when=FIRST_COMPLETED)
                problems += self._settle(plan, done, each)
                if holding:
                    self._hold(plan, each)
            if running:
                problems += self._settle(plan, wait(running).done, candidates[-1])
        if problems:
            raise KopsError("\n".join(problems))

    def _settle(self, plan: GroupPlan, done: Collection[Future[None]], last: Candidate) -> list[str]:
        """Wait for a valid cluster after what has been done. Returns what has gone wrong, if the others go on."""
        problems = []
        for future in done:
            try:
                future.result()
            except KopsError as error:
                if not self._goes_on_after(error):
                    raise
                problems.append(f"{error}")
        if self.records[last.machine.name].result == "failed":
            return problems
        try:
            self._validate(plan, f"after {last.machine.name} was replaced", self.options.times.count, last)
        except Unsettled as error:
            self.records[last.machine.name].error = str(error)
            if not self._goes_on_after(error):
                raise
            problems.append(f"{error}")
        return problems

    def _goes_on_after(self, error: KopsError) -> bool:
        """Whether other instances are replaced in spite of an error with one."""
        return self.options.each_is_tried and (not isinstance(error, Stopped) or isinstance(error, Unsettled))

    # -- one instance ---------------------------------------------------------------------------------------------

    def _replace(self, plan: GroupPlan, candidate: Candidate) -> None:
        name, record = candidate.machine.name, self.records[candidate.machine.name]
        try:
            if not self.options.cloud_only and plan.role != "Bastion":
                self._await_etcd(plan, candidate.node or name)
                if candidate.node:
                    self._take_away(candidate)
                    self._drain(plan, candidate, record)
                    # A drain takes a while, in which another member may have failed.
                    self._await_etcd(plan, candidate.node)
                else:
                    self.tell(f"{plan.name}: {name} is not a node, so there is nothing to drain")
            self.tell(f"{plan.name}: terminating {name}")
            self._take_away(candidate)
            self.fleet.terminate(candidate.machine)
            with self._lock:
                self._away -= names_of(candidate)
                self._ended |= names_of(candidate)
            record.result = "replaced" if plan.replaced else "deleted"
            if candidate.node and not self.options.cloud_only:
                self._forget(candidate.node)
            if plan.replaced:
                # Last, as a successor may have the name of the one that has ended.
                self.fleet.replenish(plan.name)
        except KopsError as error:
            record.result, record.error = "failed", str(error)
            raise
        self._pause(plan)

    def _drain(self, plan: GroupPlan, candidate: Candidate, record: Record) -> None:
        started = time.monotonic()
        self.tell(f"{plan.name}: draining {candidate.node} ({'; '.join(candidate.reasons)})")
        try:
            self.fleet.cordon(candidate.node)
            if self.options.deregister_servers or plan.role not in _SERVERS:
                if plan.role in _SERVERS:
                    self.tell(f"{plan.name}: waiting until no load balancer sends to {candidate.machine.name}")
                self.fleet.deregister(candidate.machine)
            self.fleet.drain(candidate.node, self.tell)
        except NotDeregistered:
            raise
        except KopsError as error:
            if self.options.fail_on_drain_error:
                raise
            self._warn(f"node {candidate.node} is not drained: {error}")
        finally:
            record.seconds["drain"] = time.monotonic() - started

    def _forget(self, node: str) -> None:
        """A cloud controller does it, too, but only after a while; until then the cluster has a node too many."""
        try:
            self.fleet.forget(node)
        except KopsError as error:
            # The only API server may have ended.
            self.tell(f"{node}: the Node is left to the cloud's controller: {str(error).splitlines()[0]}")

    def _take_away(self, candidate: Candidate) -> None:
        with self._lock:
            self._away |= names_of(candidate)

    def _await_etcd(self, plan: GroupPlan, node: str) -> None:
        if plan.role != "ControlPlane":
            return
        self._until(lambda: self.fleet.lacking(node), f"{plan.name}: before {node} is taken away", 1, strict=True)

    # -- waiting --------------------------------------------------------------------------------------------------

    def _validate(self, plan: GroupPlan, when: str, count: int, candidate: Candidate | None = None) -> None:
        """Wait until nothing fails that counts for the group."""
        if self.options.cloud_only or not count:
            return
        started = time.monotonic()
        try:
            self._until(lambda: self._failures(plan), f"{plan.name}: {when}", count)
        finally:
            if candidate is not None:
                self.records[candidate.machine.name].seconds["validate"] = time.monotonic() - started

    def _hold(self, plan: GroupPlan, candidate: Candidate) -> None:
        self.tell(
            f"{plan.name}: {candidate.machine.name} is replaced; watching the cluster for {self.options.hold:g} s"
        )
        end = time.monotonic() + self.options.hold
        while time.monotonic() < end:
            time.sleep(min(self.options.times.interval, max(0, end - time.monotonic())))
            failures = self._failures(plan)
            if failures:
                lines = "\n".join(f"- {each}" for each in failures)
                raise Stopped(f"the cluster did not stay as it should be after {candidate.machine.name}:\n{lines}")
        self._held.set()

    def _until(self, look: Callable[[], list[str]], when: str, count: int, *, strict: bool = False) -> None:
        """Look until nothing is found so many times in a row. strict: whether the end of the time always stops all."""
        times = self.options.times
        started, row, told, last = time.monotonic(), 0, [""], 0.0
        while True:
            self._check_stopping()
            looked = time.monotonic()
            found = look()
            row = 0 if found else row + 1
            if row >= count:
                return
            passed = time.monotonic() - started
            # What is said of an object may hold its age.
            objects = [line.partition(":")[0] for line in found]
            if found and (objects != told or passed - last >= _REMINDER):
                told, last = objects, passed
                self.tell("\n".join([f"{when}, waiting for {passed:.0f} s:", *(f"  {line}" for line in found)]))
            often = max(_SOONEST, _SHARE * (time.monotonic() - looked))
            pause = min(times.interval, often) if found else times.interval
            if passed + pause > times.wait:
                break
            time.sleep(pause)
        lines = found or [f"only {row} of {count} looks in a row found nothing"]
        message = "\n".join(
            [f"{when}, the cluster is not as it should be, for {passed:.0f} s:", *(f"- {each}" for each in lines)]
        )
        if strict or self.options.fail_on_validate:
            raise Unsettled(message)
        self._warn(message)

    def _failures(self, plan: GroupPlan) -> list[str]:
        """Failures that count: of the group, of control planes, and of no group; for bastions, only their number."""
        with self._lock:
            away = set(self._away)
        try:
            found, groups = self.fleet.look(away)
        except KopsError as error:
            return [str(error)]
        with self._lock:
            away, ended = set(self._away), set(self._ended)
        counting = {plan.name}
        if plan.role != "Bastion":
            counting |= {"", *(each.name for each in groups if each.role == "ControlPlane")}
        failures = [each for each in found.failures if plan.role != "Bastion" or each.group == plan.name]
        for group in groups:
            failures += [
                Failure("Machine", name, "it has ended, and its group does not know that yet", group.name)
                for name in sorted(ended.intersection(group.nodes))
            ]
            if group.role == "Bastion" and len(group.nodes) < group.size:
                message = f"{len(group.nodes)} of {group.size} instances are there"
                failures.append(Failure("InstanceGroup", group.name, message, group.name))
        return [
            str(each)
            for each in failures
            if each.group in counting
            and away.isdisjoint({each.node, each.name if each.kind in ("Node", "Machine") else ""})
        ]

    def _pause(self, plan: GroupPlan) -> None:
        time.sleep(self.options.intervals.get(plan.role, 0))

    def _check_stopping(self) -> None:
        if self._stopping.is_set():
            # The group that has stopped all says why.
            raise KopsError("")

    def _warn(self, text: str) -> None:
        self.tell(text)
        self.warnings.append(text)


def names_of(candidate: Candidate) -> set[str]:
    """The names that a validation may have for an instance, or for its node."""
    return {each for each in (candidate.node, candidate.machine.name, candidate.machine.by_address) if each}
