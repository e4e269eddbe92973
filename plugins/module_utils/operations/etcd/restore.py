# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restores etcd of a cluster in a cloud, whose control planes are reached by the state store only.

The controller asks which members are there, has them make new data of the backups, and lets them go when all have done
so. From then on they go on without it (exchange/etcd_restores.py). A controller that was killed follows the restore
that it finds, if that is the one that it would order.
"""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...api.cloud import HOSTS
from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...exchange.etcd_restores import ORDER, PREPARED, REPORTS, STARTED, HostReport, Order
from ...model.node.control_plane.etcd import member_name_in_cloud, restore_control
from ...statestore.vfs.open import open_path
from ...statestore.vfs.path import VFSPath, WriteConflict
from ..hosts_or_instances import InstancesOnly
from ..progress import Progress, silent
from .backups import Backup, Backups

_PAUSE = 1.0
_NAMES = "%Y%m%dT%H%M%SZ"
_WITHDRAWN = "and nothing was changed"
_GOES_ON = (
    "and go on by themselves; run again to follow them. A member that is lost for good must be left out in the next run"
)


@dataclass(frozen=True)
class RestoreOptions:
    """Options of a restore. etcds, names, before: as Backups.choose has them. left_out: members that are lost for good.

    presence, wait: seconds for all members to answer, and for all of the restore after that.
    """

    etcds: Sequence[str] = ()
    names: Mapping[str, str] | None = None
    before: str = ""
    left_out: Collection[str] = ()
    presence: float = 120
    wait: float = 1800


@dataclass(frozen=True)
class Restored:
    """What was done, or would be. restore: its name. followed: whether it had begun before."""

    restore: str
    backups: list[Backup]
    members: list[str]
    followed: bool = False


class CloudRestore:
    """A restore. now: the time as a name of restores. clock, sleep: for tests."""

    def __init__(
        self,
        backups: Backups,
        options: RestoreOptions,
        progress: Progress = silent,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._backups, self._options, self._progress = backups, options, progress
        self._clock, self._sleep = clock, sleep
        if cloud_of(backups.cluster).control_planes == HOSTS:
            raise InstancesOnly(backups.cluster)
        control = restore_control(backups.cluster)
        if not control:
            raise KopsError("the cluster has no store of backups of etcd; run update_cluster first")
        self._control = open_path(control)
        self._order_path: VFSPath = self._control.join(ORDER)
        self._told = ""

    def run(self, identity: str, *, check: bool = False) -> Restored:
        """Restore, or follow a restore to its end. identity: the name of a new one. Raises KopsError."""
        chosen = self._backups.choose(self._options.etcds, self._options.names, self._options.before)
        expected = self._expected([backup.etcd for backup in chosen])
        found, tag = self._found()
        if found is not None and self._goes_on(found, identity) and self._is_wanted(found, expected):
            backups = [self._backups.at(etcd, url) for etcd, url in sorted(found.backups.items())]
            done = Restored(found.restore, backups, sorted(expected), followed=True)
            if not check:
                self._progress(f"restore {found.restore} has begun; following it")
                self._follow(found, tag)
            return done
        done = Restored(identity, chosen, sorted(expected))
        if not check:
            self._restore(Order(identity, {each.etcd: each.path.path for each in chosen}), tag, expected)
        return done

    def _expected(self, etcds: Collection[str]) -> dict[str, tuple[str, str]]:
        """Members that take part: readable name -> etcd cluster and name of the member."""
        specs = {str(each.name): each for each in self._backups.cluster.spec.etcd_clusters}
        every = {
            f"{etcd}/{member.name}": (etcd, member_name_in_cloud(etcd, str(member.name)))
            for etcd in etcds
            for member in specs[etcd].etcd_members
        }
        unknown = set(self._options.left_out) - {name.partition("/")[2] for name in every}
        if unknown:
            raise KopsError(f"there is no member {', '.join(sorted(unknown))}; there are {', '.join(sorted(every))}")
        left = {name: each for name, each in every.items() if name.partition("/")[2] not in self._options.left_out}
        empty = set(etcds) - {etcd for etcd, _member in left.values()}
        if empty:
            raise KopsError(f"no member of etcd cluster {', '.join(sorted(empty))} is left")
        return left

    def _found(self) -> tuple[Order | None, str | None]:
        """The last order, and its tag."""
        try:
            content, tag = self._order_path.read_tagged()
        except FileNotFoundError:
            return None, None
        return Order.read(content), tag

    def _is_wanted(self, order: Order, expected: Mapping[str, tuple[str, str]]) -> bool:
        """Whether a restore that has begun is the one that is asked for: the user names no other backups."""
        options = self._options
        if {(each["etcd"], each["member"]) for each in order.members} != set(expected.values()):
            return False
        if options.etcds and set(options.etcds) != set(order.backups):
            return False
        if options.before:
            return False
        names = {etcd: url.rstrip("/").rpartition("/")[2] for etcd, url in order.backups.items()}
        return all(names.get(etcd) == name for etcd, name in (options.names or {}).items())

    def _goes_on(self, order: Order, identity: str) -> bool:
        """Whether it has begun, and is not complete, or so lately that its controller was killed before it saw that."""
        if not order.go or order.ended:
            return False
        return not self._is_complete(order) or _hours_between(order.restore, identity) < 1

    def _is_complete(self, order: Order) -> bool:
        reports = self._reports(order)
        return all(host in reports and reports[host].has(STARTED) for host in order.hosts)

    def _restore(self, order: Order, tag: str | None, expected: Mapping[str, tuple[str, str]]) -> None:
        tag = self._write(order, tag)
        try:
            reports = self._await_members(order, expected)
            hosts = sorted(reports)
            wanted = set(expected.values())
            members = [
                each for host in hosts for each in reports[host].members if (each["etcd"], each["member"]) in wanted
            ]
            order = replace(order, hosts=hosts, members=members)
            tag = self._write(order, tag)
            self._await(order, PREPARED, "make new data", fails=True)
        except KopsError:
            self._withdraw(order)
            raise
        order = replace(order, go=True)
        tag = self._write(order, tag)
        self._progress("all members have new data; the control plane stops now")
        self._follow(order, tag)

    def _withdraw(self, order: Order) -> None:
        """Withdraw the order of a restore, before any member was interrupted."""
        found, _tag = self._found()
        if found is not None and found.restore == order.restore and not found.go:
            self._order_path.remove()

    def _write(self, order: Order, tag: str | None) -> str:
        try:
            return self._order_path.write(order.text(), if_none_match=tag is None, if_match=tag)
        except WriteConflict as error:
            raise KopsError("another restore of etcd was ordered meanwhile; run again to follow it") from error

    def _await_members(self, order: Order, expected: Mapping[str, tuple[str, str]]) -> dict[str, HostReport]:
        """The reports of the hosts with these members. Raises KopsError if one is missing at the end."""
        deadline = self._clock() + self._options.presence
        while True:
            reports = self._reports(order)
            present = {(each["etcd"], each["member"]) for one in reports.values() for each in one.members}
            missing = sorted(name for name, each in expected.items() if each not in present)
            if not missing:
                wanted = set(expected.values())
                return {
                    host: one
                    for host, one in reports.items()
                    if wanted & {(each["etcd"], each["member"]) for each in one.members}
                }
            self._tell(f"waiting for members {', '.join(missing)}")
            if self._clock() > deadline:
                raise KopsError(
                    f"members {', '.join(missing)} did not answer within {self._options.presence:g} s, and nothing was "
                    "changed. See what their control planes say (journalctl -u kubeops-etcd-backups), or leave out "
                    "members that are lost for good"
                )
            self._sleep(_PAUSE)

    def _follow(self, order: Order, tag: str | None) -> None:
        self._await(order, STARTED, "start with the restored data", fails=False)
        self._write(replace(order, ended=True), tag)
        self._progress(f"restore {order.restore} is complete")

    def _await(self, order: Order, phase: str, what: str, *, fails: bool) -> None:
        """Wait until all hosts have been through a phase. fails: what hinders a host is an error at once."""
        deadline = self._clock() + self._options.wait
        while True:
            reports = self._reports(order)
            errors = [f"{host}: {each.error}" for host, each in sorted(reports.items()) if each.error]
            if errors and fails:
                raise KopsError("\n".join(["the backups cannot be restored, and nothing was changed:", *errors]))
            left = [host for host in order.hosts if host not in reports or not reports[host].has(phase)]
            if not left:
                return
            phases = [f"{host} is {reports[host].phase if host in reports else 'silent'}" for host in order.hosts]
            self._tell("; ".join([*phases, *errors]))
            if self._clock() > deadline:
                late = f"hosts {', '.join(left)} did not {what} within {self._options.wait:g} s"
                raise KopsError("\n".join([f"{late}, {_WITHDRAWN if fails else _GOES_ON}", *errors]))
            self._sleep(_PAUSE)

    def _reports(self, order: Order) -> dict[str, HostReport]:
        """Reports of the members about this restore, by host."""
        found = (HostReport.read(file.path.read()) for file in self._control.join(REPORTS).list_tree())
        return {each.host: each for each in found if each.restore == order.restore}

    def _tell(self, text: str) -> None:
        if text != self._told:
            self._progress(text)
        self._told = text


def name_of(now: datetime.datetime) -> str:
    """The name of a restore that is ordered now."""
    return now.strftime(_NAMES)


def _hours_between(earlier: str, later: str) -> float:
    try:
        times = [datetime.datetime.strptime(each, _NAMES) for each in (earlier, later)]
    except ValueError:
        return math.inf
    return (times[1] - times[0]).total_seconds() / 3600
