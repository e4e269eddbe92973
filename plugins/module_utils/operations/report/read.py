# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts together what a report of a cluster says, by operations that only read.

A part that cannot be read keeps no other one away; the report says why it is missing. Whoever cannot reach the API is
told so once: what else would ask it is then read from the cloud or the store alone.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ...api.cloud import INSTANCES
from ...api.clouds import cloud_of, regions_of
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.zones import zones_of
from ...base.errors import KopsError, in_one_line
from ...channels.loader import load_channel
from ...engine.plan_data import Action
from ...exchange.etcd_backups import TIME
from ...kubernetes.connection import RetryPolicy
from ...kubernetes.validation.cluster import Failure, Group, Validation, groups_from, validate
from ...statestore.certificates import read_certificate
from ...statestore.keyset import Keyset
from ...statestore.secrets import ENCRYPTION_CONFIG
from ...statestore.store import ClusterStore
from ..drift.finding import CLUSTER, DIFFERENT, PARTS, Finding
from ..drift.look import DriftOptions, look_for_drift
from ..drift.planned import UPDATE
from ..etcd.backups import Backups
from ..group_choice import ROLES
from ..metal.expectation import expect
from ..progress import Progress, silent
from ..rotation.keys import Keys, Wish, made_at, sentence
from ..status import addons as addons_info
from ..status import instances
from ..status.addon_workloads import stored_workloads
from ..status.validation import CloudExpectation, CloudValidator
from ..update.cluster import UpdateOptions, update_cluster
from ..versions.upgrade import DEFAULT_CHANNEL, recommended
from .facts import (
    NOT_ASKED,
    AddonFacts,
    BackupFacts,
    Change,
    ClusterFacts,
    Difference,
    DriftFacts,
    GroupFacts,
    KeyFacts,
    NodeFacts,
    PlanFacts,
    Report,
    Unread,
)
from .problems import problems_of
from .topology import rows_of, with_strangers, zones_in

# Parts of a report, as it names those that could not be read.
HEALTH, HOSTS, NODES, KEYS, BACKUPS, ADDONS, PLAN = "health", "hosts", "nodes", "keys", "backups", "addons", "plan"
DRIFT, CHANNEL = "drift", "recommended versions"
# Kinds of findings that other parts of a report say: nodes, backups and keys.
_TOLD = ("Instance", "Node", "EtcdBackups", "Keypair")
_ROLE_NAMES = {role: name for name, role in ROLES.items()}
_REQUESTS = RetryPolicy(deadline=5)

Part = TypeVar("Part")


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report. hosts: of an inventory, as metal/hosts.py takes them. plan: whether an update is planned.

    drift: whether store, cloud and cluster are compared. api_server: not the usual one.
    """

    state_store: str
    name: str
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    plan: bool = True
    api_server: str = ""
    drift: bool = True


def read_report(options: ReportOptions, progress: Progress = silent, now: datetime.datetime | None = None) -> Report:
    """Everything that can be read. Raises KopsError only if there is no such cluster in the state store."""
    store = ClusterStore.open(options.state_store, options.name)
    cluster, groups = store.read()
    reading = _Reading(options, store, cluster, groups, progress, now or datetime.datetime.now(datetime.timezone.utc))
    return reading.all()


@dataclass
class _Reading:
    """One report. validation: None if there was nothing to ask. reached: whether the API has answered."""

    options: ReportOptions
    store: ClusterStore
    cluster: Cluster
    groups: Sequence[InstanceGroup]
    progress: Progress
    now: datetime.datetime
    unread: list[Unread] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    validation: Validation | None = None
    reached: bool = False
    expected: Sequence[Group] = ()

    @property
    def on_hosts(self) -> bool:
        """Whether the nodes are hosts, and no instances."""
        return not cloud_of(self.cluster).has_instances

    def all(self) -> Report:
        """The report."""
        facts = _of_cluster(self.options, self.store, self.cluster)
        advice = self._part(CHANNEL, lambda: _advice(facts))
        facts = advice or replace(facts, advised=False)
        self._validate()
        nodes = self._part(NODES, self._nodes)
        wanted = {group.name: group.size for group in self.expected}
        groups = [_of_group(self.cluster, each, wanted) for each in self.groups]
        report = Report(facts, with_strangers(groups, nodes or ()), unread=self.unread, warnings=self.warnings)
        report.nodes = nodes
        report.zones = zones_in(report.groups, nodes or ())
        report.topology = rows_of(report.groups, nodes or ())
        report.keys = self._part(KEYS, self._keys)
        report.backups = self._part(BACKUPS, self._backups)
        report.addons = self._part(ADDONS, self._addons)
        if self.options.plan:
            report.plan = self._part(PLAN, self._plan)
        else:
            self.unread.append(Unread(PLAN, NOT_ASKED))
        if self.options.drift:
            report.drift = self._part(DRIFT, self._drift)
        else:
            self.unread.append(Unread(DRIFT, NOT_ASKED))
        failures = self.validation.failures if self.validation else []
        report.problems = problems_of(report, failures, self.now, self.on_hosts)
        self.warnings[:] = list(dict.fromkeys([*self.store.warnings, *self.warnings]))
        return report

    def _part(self, what: str, read: Callable[[], Part]) -> Part | None:
        self.progress(what)
        try:
            return read()
        except KopsError as error:
            self.unread.append(Unread(what, in_one_line(error)))
            return None

    # -- health ---------------------------------------------------------------------------------------------------

    def _validate(self) -> None:
        """Failures of the validation. Where the API does not answer, that is the failure, and says which hop it is."""
        self.validation = self._part(HEALTH, self._on_hosts if self.on_hosts else self._in_cloud)
        if self.validation is not None:
            self.warnings += self.validation.warnings

    def _in_cloud(self) -> Validation:
        expected = CloudExpectation(self.options.state_store, self.options.name, api_server=self.options.api_server)
        validator = CloudValidator.open(expected)
        # A report says when, and not how long ago.
        validator.tells_ages = False
        found = validator.look()
        self.reached, self.expected = validator.reached, validator.groups_as_they_are
        return found

    def _on_hosts(self) -> Validation:
        """Validate by the API alone. With an inventory, all of its hosts are expected, and their own failures count."""
        failures: list[Failure] = []
        self.expected = [Group(str(each.metadata.name), str(each.spec.role)) for each in self.groups]
        hosts = self._part(HOSTS, self._hosts) if self.options.hosts else None
        if hosts is not None:
            self.expected = groups_from(hosts["groups"])
            failures = [
                Failure("Node", each["name"], each["problem"], each["instance_group"]) for each in hosts["hostFailures"]
            ]
        client = instances.api_client(self.store, self.cluster, self._asking(instances.BOTH), _REQUESTS)
        found = validate(client, self.expected, workloads=stored_workloads(self.store))
        self.reached = True
        return replace(found, failures=[*failures, *found.failures])

    def _hosts(self) -> dict[str, Any]:
        return expect(self.options.state_store, self.options.name, self.options.hosts)

    # -- nodes ----------------------------------------------------------------------------------------------------

    def _asking(self, source: str) -> instances.InstancesOptions:
        return instances.InstancesOptions(
            self.options.state_store, self.options.name, source=source, api_server=self.options.api_server
        )

    def _nodes(self) -> list[NodeFacts]:
        if self.on_hosts and not self.reached:
            if not any(group.nodes for group in self.expected):
                raise KopsError("only the API of the cluster knows its nodes, and it was not reached")
            return self._absent((), instances.UNKNOWN)
        found = instances.read_instances(self._asking(instances.BOTH if self.reached else instances.CLOUD))
        self.warnings += found.warnings
        rows = {row["name"]: row for row in self.validation.nodes} if self.validation else {}
        nodes = [_of_instance(each, rows.get(each["node"], {})) for each in found.found]
        return nodes + self._absent([node.name for node in nodes], instances.MISSING) if self.on_hosts else nodes

    def _absent(self, known: Collection[str], health: str) -> list[NodeFacts]:
        """Hosts of the inventory that are not among the known nodes."""
        return [
            NodeFacts(name, "", group.name, _ROLE_NAMES.get(group.role, ""), "", health, "", False)
            for group in self.expected
            for name in group.nodes
            if name not in known
        ]

    # -- the store ------------------------------------------------------------------------------------------------

    def _keys(self) -> list[KeyFacts]:
        keys = Keys.read(self.store, Wish(), encrypts=bool(self.cluster.spec.encryption_config))
        steps = {name: sentence(step, name).partition(": ")[2] for name, step in keys.next_steps(Wish()).items()}
        found = [_of_keyset(name, keyset, steps.get(name, "")) for name, keyset in sorted(keys.keysets.items())]
        if keys.encryption is not None:
            found.append(KeyFacts(ENCRYPTION_CONFIG, next_step=steps.get(ENCRYPTION_CONFIG, "")))
        return found

    def _backups(self) -> list[BackupFacts]:
        backups, found = Backups(self.options.state_store, self.options.name), []
        for etcd in backups.names():
            schedule, all_of_it = backups.schedule(etcd, self.now), backups.of(etcd)
            times = [each.time.strftime(TIME) for each in all_of_it if each.time]
            found.append(
                BackupFacts(
                    etcd,
                    str(schedule.directory),
                    len(all_of_it),
                    oldest=times[0] if times else "",
                    last=times[-1] if times else "",
                    size=all_of_it[-1].size if all_of_it else 0,
                    every=int(schedule.interval.total_seconds()),
                    late=schedule.late,
                )
            )
        return found

    def _addons(self) -> list[AddonFacts]:
        source = instances.BOTH if self.reached else addons_info.STORE
        found = addons_info.read_addons(
            addons_info.AddonsOptions(
                self.options.state_store, self.options.name, source=source, api_server=self.options.api_server
            )
        )
        self.warnings += found.warnings
        return [
            AddonFacts(each["name"], each["id"] or each["applied_id"], each["channel"], each["status"])
            for each in found.found
        ]

    # -- the plan -------------------------------------------------------------------------------------------------

    def _plan(self) -> PlanFacts:
        options = UpdateOptions(
            self.options.state_store, self.options.name, api_server=self.options.api_server, allow_network_change=True
        )
        plan = update_cluster(options, check=True).plan
        self.warnings += plan.warnings
        changes = [
            Change(
                entry["action"],
                entry["kind"],
                entry["name"],
                # Of what is new or goes, every field would be one.
                sorted({*entry["before"], *entry["after"]}) if entry["action"] == Action.UPDATE.value else (),
                entry["reason"],
            )
            for entry in plan.as_data()
        ]
        return PlanFacts(plan.id, plan.summary(), changes)

    # -- drift ----------------------------------------------------------------------------------------------------

    def _drift(self) -> DriftFacts:
        """Drift of the cluster. That the API cannot be reached is reported elsewhere."""
        parts = PARTS if self.reached else tuple(part for part in PARTS if part != CLUSTER)
        options = DriftOptions(self.options.state_store, self.options.name, parts, self.options.api_server)
        found = look_for_drift(options, lambda: self.now)
        self.warnings += found.warnings
        unseen = [Unread(each.what, each.why) for each in found.unseen]
        return DriftFacts([_of_finding(each) for each in found.found], unseen)


def _of_finding(found: Finding) -> Difference:
    """A finding without values; changes by an update are in the plan."""
    return Difference(
        found.where,
        found.what,
        found.kind,
        found.name,
        sorted({*found.before, *found.after}) if found.what == DIFFERENT else (),
        found.reason,
        found.mend,
        found.kind in _TOLD or found.mend == UPDATE,
    )


def _of_cluster(options: ReportOptions, store: ClusterStore, cluster: Cluster) -> ClusterFacts:
    return ClusterFacts(
        options.name,
        cloud_of(cluster).title,
        ", ".join(filter(None, regions_of(cluster))),
        options.state_store,
        cluster.metadata.creation_timestamp or "",
        str(cluster.spec.kubernetes_version or ""),
        cluster.spec.channel or DEFAULT_CHANNEL,
        updated_by=store.kops_version(),
    )


def _advice(facts: ClusterFacts) -> ClusterFacts:
    """Add the channel's advice about the version. Raises KopsError for a channel that cannot be read, or no version."""
    channel = load_channel(facts.channel)
    required = channel.kubernetes_upgrade(facts.kubernetes_version).required
    return replace(facts, recommended=recommended(channel, facts.kubernetes_version), required=str(required or ""))


def _of_group(cluster: Cluster, group: InstanceGroup, wanted: Mapping[str, int]) -> GroupFacts:
    spec, name = group.spec, str(group.metadata.name)
    return GroupFacts(
        name,
        _ROLE_NAMES.get(str(spec.role), ""),
        # Where hosts are, the labels of their nodes say, if anything does.
        zones_of(cluster, group) if cloud_of(cluster).nodes_of(str(spec.role)) == INSTANCES else [],
        spec.min_size,
        spec.max_size,
        wanted.get(name),
        spec.machine_type or "",
        spec.image or "",
    )


def _of_instance(found: Mapping[str, Any], row: Mapping[str, Any]) -> NodeFacts:
    """found: as read_instances gives it. row: as validate() gives it; empty if the API was not asked."""
    old = [f"pods of addons are old: {', '.join(row['old_pods'])}"] if row.get("old_pods") else []
    return NodeFacts(
        found["node"] or found["id"],
        found["id"],
        found["instance_group"],
        found["role"],
        found["zone"],
        found["health"],
        found["kubelet_version"].removeprefix("v"),
        found["status"] == instances.OUTDATED or bool(old),
        [*found["reasons"], *old],
        found["state"] or (instances.TAKEN_OUT if found["status"] == instances.TAKEN_OUT else ""),
        found["power"],
        row.get("cordoned_for_update") or "",
        found["machine_type"],
        next(iter(found["private_addresses"]), ""),
        found["launched"],
    )


def _of_keyset(name: str, keyset: Keyset, next_step: str) -> KeyFacts:
    primary = keyset.primary
    if primary is None:
        return KeyFacts(name, next_step=next_step)
    return KeyFacts(
        name,
        made_at(primary).strftime(TIME),
        read_certificate(primary.certificate).not_after.strftime(TIME) if primary.certificate else "",
        len(keyset.trusted),
        len(keyset.items) - len(keyset.trusted),
        next_step,
    )
