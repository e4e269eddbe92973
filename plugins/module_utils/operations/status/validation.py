# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates a cluster in a cloud from the controller: its instances by the cloud, all else by the Kubernetes API.

As pkg/validation of kops does. Nothing is written, neither to the cloud nor to the cluster nor to a file.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...addons.given import LOCATION
from ...api import questions
from ...api.cluster import Cluster
from ...base.errors import KopsError
from ...cloud.instances import CloudInstance, InstancesOfGroup
from ...cloud.provider import Provider, explaining
from ...exchange.addons import StoredAddons
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import Credentials, RetryPolicy
from ...kubernetes.validation.addons import Workload, workloads_in
from ...kubernetes.validation.cluster import Failure, Group, Validation, validate
from ...kubernetes.validation.controllers import unapplied_addons
from ...kubernetes.validation.reach import Place, unreachable
from ...statestore.keyset import KUBERNETES_CA
from ...statestore.store import ClusterStore
from ..clouds import open_cloud
from ..drift.addons import applied_again
from ..hosts_or_instances import need_nodes
from ..kubeconfig.administrator import admin_pair
from ..kubeconfig.export import api_server_url, internal_name

# The certificate with which it asks lives no longer than it may take.
_LIFETIME = datetime.timedelta(hours=4)
# Consoles are asked for machines that should have joined by now, and for a few at a time.
_PATIENCE = datetime.timedelta(minutes=2)
_CONSOLES = 5
_REQUESTS = RetryPolicy(deadline=5)
_BALANCER = "the load balancer of the API"

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class CloudExpectation:
    """What to validate. max_unready_nodes, only: as in kubernetes/validation/run.py. api_server: not the usual one."""

    state_store: str
    name: str
    max_unready_nodes: int = 0
    only: Sequence[str] = ()
    api_server: str = ""


@dataclass
class CloudValidator:
    """A cluster to look at again and again. Reading it and its CA is done once.

    groups: of the specification. addons: that the control planes have to apply. workloads: of these. tells_ages:
    whether failures of machines say how long ago these were launched. groups_as_they_are: with the instances that
    the last look has found; reached: whether the API has answered it.
    """

    cluster: Cluster
    groups: Sequence[Group]
    expected: CloudExpectation
    credentials: Credentials = field(repr=False)
    provider: Provider[Any]
    cloud: Any
    addons: StoredAddons | None = None
    workloads: Sequence[Workload] = ()
    tells_ages: bool = True
    groups_as_they_are: Sequence[Group] = ()
    reached: bool = False
    now: Callable[[], datetime.datetime] = functools.partial(datetime.datetime.now, datetime.timezone.utc)

    @classmethod
    def open(cls, expected: CloudExpectation) -> CloudValidator:
        """Read the cluster. Raises KopsError if it is not there, has no CA yet, or no instances."""
        store = ClusterStore.open(expected.state_store, expected.name)
        cluster, groups = store.read()
        need_nodes(cluster)
        authority = store.keysets.find(KUBERNETES_CA)
        if authority is None:
            raise KopsError(f"cluster {expected.name} has no CA yet; run update_cluster first")
        pair = admin_pair(authority, _LIFETIME)
        provider, cloud = open_cloud(cluster)
        addons = _addons(store)
        return cls(
            store.completed() or cluster,
            [Group(str(each.metadata.name), str(each.spec.role), each.spec.min_size or 0) for each in groups],
            expected,
            Credentials(authority.certificate_bundle(), pair.certificate, pair.private_key),
            provider,
            cloud,
            addons.without_objects() if addons else None,
            _workloads(addons) if addons else (),
        )

    def client(self, retry: RetryPolicy | None = None, *, check: bool = False) -> KubernetesClient:
        """A client of the API, over the first way to it that works. Raises KopsError that names the hops that fail.

        check: one that stores nothing.
        """
        # Only without a way of its own the API is looked for on the control planes.
        asked = not self.expected.api_server and self.cluster.spec.api.load_balancer is None
        found = self.instances() if asked else {}
        failures, place = self._reach(self._as_they_are(found), found)
        if place is None:
            raise KopsError(
                "\n".join([f"the API of cluster {self.expected.name} cannot be reached:", *_lines(failures)])
            )
        return place.client(retry or RetryPolicy(), check=check)

    def ask(self, call: Callable[..., Answer], *arguments: Any) -> Answer:
        """The answer of the cloud to a function of its provider. Raises KopsError that says what to do."""
        with explaining(self.provider):
            return call(self.cloud, *arguments)

    def instances(self) -> Mapping[str, InstancesOfGroup]:
        """What the cloud has, by instance group. Raises KopsError if it does not answer."""
        return self.ask(self.provider.looking.instances)

    def _as_they_are(self, found: Mapping[str, InstancesOfGroup]) -> list[Group]:
        by_address = questions.names_nodes_by_address(self.cluster)
        return [_as_it_is(group, found, by_address) for group in self.groups]

    def look(self, leaving: Collection[str] = ()) -> Validation:
        """Validate once. What cannot be reached is a failure; raises KopsError only if the cloud does not answer.

        leaving: names of nodes of which nothing is expected, as they will be replaced.
        """
        found = self.instances()
        groups = self.groups_as_they_are = self._as_they_are(found)
        failures, place = self._reach(groups, found)
        result = Validation(failures)
        self.reached = False
        if place is not None:
            try:
                client = place.client(_REQUESTS)
                most = self.expected.max_unready_nodes
                unapplied = dict(unapplied_addons(client, self.addons)) if self.addons is not None else {}
                # What is not applied yet need not be there.
                wanted = [each for each in self.workloads if each.addon not in unapplied]
                result = validate(client, groups, max_unready_nodes=most, leaving=leaving, workloads=wanted)
                self.reached = True
                unapplied_failures = [Failure("Addon", *each) for each in unapplied.items()]
                result.failures = [*failures, *result.failures, *unapplied_failures]
            except KopsError as error:
                result = Validation([*failures, Failure("APIServer", place.host, str(error))])
        else:
            result.failures += [
                Failure("InstanceGroup", group.name, _too_few(group), group.name)
                for group in groups
                if len(group.nodes) < group.size
            ]
            # Nobody says which of them are nodes; what they say themselves tells why there is no API server.
            result.failures += [
                Failure("Machine", name, "has not been seen as a node", group.name)
                for group in groups
                if group.role == "ControlPlane"
                for name in group.nodes
            ]
        counting = [
            each for each in result.failures if not self.expected.only or each.group in ("", *self.expected.only)
        ]
        result.failures = self._with_last_lines(counting, found)
        return result

    def look_at_api(self) -> Validation:
        """Validate only the ways to the API. Raises KopsError only if the cloud does not answer."""
        found = self.instances()
        groups = self.groups_as_they_are = self._as_they_are(found)
        failures, place = self._reach(groups, found)
        return Validation(failures if place is None else [])

    def _reach(
        self, groups: Sequence[Group], found: Mapping[str, InstancesOfGroup]
    ) -> tuple[list[Failure], Place | None]:
        """What is wrong with the ways to the API, and the first one that is not. The usual one is tried first."""
        failures: list[Failure] = []
        for place in self._places(groups, found, failures):
            failure = unreachable(place)
            if failure is None:
                return failures, place
            failures.append(self._behind(place, failure))
        return failures, None

    def _places(
        self, groups: Sequence[Group], found: Mapping[str, InstancesOfGroup], failures: list[Failure]
    ) -> list[Place]:
        cluster, spec = self.cluster, self.cluster.spec.api
        warnings: list[str] = []
        url = urlsplit(
            api_server_url(cluster, api_server=self.expected.api_server, lifetime=_LIFETIME, warnings=warnings)
        )
        host, port = url.hostname or "", url.port or 443
        place = functools.partial(
            Place, name=internal_name(self.expected.name), credentials=self.credentials, access=spec.access
        )
        if self.expected.api_server:
            return [place(host, port, "the given API server")]
        if spec.load_balancer is not None and warnings:
            name = f"api.{self.expected.name}"
            failures.append(
                Failure(
                    "LoadBalancer",
                    name,
                    "the API has no load balancer of this name; kubeops.kops.update_cluster makes it",
                )
            )
            if questions.uses_none_dns(cluster):
                return []
        if spec.load_balancer is not None:
            return [place(host, port, "the name of the API" if warnings else _BALANCER, balanced=not warnings)]
        servers = [each for group in groups if group.role == "ControlPlane" for each in _instances(group, found)]
        direct = [place(each.addresses[0], 443, f"control plane {each.name}") for each in servers if each.addresses]
        return [place(host, port, "the name of the API"), *direct]

    def _behind(self, place: Place, failure: Failure) -> Failure:
        """The failure, or that a load balancer has nobody to pass connections to."""
        if not place.balanced or failure.kind not in ("TCP", "TLS"):
            return failure
        try:
            targets = self.provider.looking.api_targets(self.cloud)
        except Exception as error:
            if self.provider.is_denied(error):
                return failure
            raise KopsError(self.provider.explain(error)) from error
        if targets is None or any(each.healthy for each in targets):
            return failure
        states = ", ".join(f"{each.name} is {each.state}" for each in targets)
        message = f"{place.what} has no healthy target ({states or 'none is registered'}); look at the control planes"
        return Failure("LoadBalancer", place.host, message)

    def _with_last_lines(self, failures: Sequence[Failure], found: Mapping[str, InstancesOfGroup]) -> list[Failure]:
        """The failures. Failures of machines say since when they run, and what the oldest of them printed last."""
        every = [each for group in found.values() for each in group.machines]
        known = {name: each for each in every for name in (each.name, each.by_address) if name}
        now = self.now()
        ages = {name: now - each.launched for name, each in known.items() if each.launched is not None}
        missing = [
            each.name for each in failures if each.kind == "Machine" and ages.get(each.name, _PATIENCE) >= _PATIENCE
        ]
        missing.sort(key=lambda name: ages.get(name, _PATIENCE), reverse=True)
        lines = {name: self.provider.looking.last_line(self.cloud, known[name].name) for name in missing[:_CONSOLES]}
        return [
            replace(
                each,
                message=each.message
                + _since(ages.get(each.name) if self.tells_ages else None)
                + _said(lines.get(each.name)),
            )
            if each.kind == "Machine"
            else each
            for each in failures
        ]


def lines_of(found: Validation) -> list[str]:
    """The failures, a line each."""
    return _lines(found.failures)


def _lines(failures: Sequence[Failure]) -> list[str]:
    return [f"- {failure}" for failure in failures]


def _addons(store: ClusterStore) -> StoredAddons | None:
    """What the control planes read; None in clouds whose control planes do not apply addons."""
    try:
        return StoredAddons.read(store.path.join(LOCATION).read())
    except FileNotFoundError:
        return None


def _workloads(addons: StoredAddons) -> list[Workload]:
    return [
        each
        for addon in addons.addons
        for each in workloads_in(str(addon["name"]), addon["objects"], applied_again(str(addon["name"])))
    ]


def _instances(group: Group, found: Mapping[str, InstancesOfGroup]) -> Sequence[CloudInstance]:
    return found[group.name].machines if group.name in found else ()


def _as_it_is(group: Group, found: Mapping[str, InstancesOfGroup], by_address: bool) -> Group:
    """A group with its instances, and as large as the cloud is told to keep it; Karpenter's groups have neither."""
    if group.name not in found:
        return group
    instances = found[group.name].machines
    nodes = {(by_address and each.by_address) or each.name: each.launched for each in instances}
    launched = {name: moment for name, moment in nodes.items() if moment is not None}
    return Group(group.name, group.role, max(group.size, found[group.name].wanted), tuple(nodes), launched)


def _too_few(group: Group) -> str:
    return f"has too few instances: {len(group.nodes)} instead of {group.size}"


def _since(age: datetime.timedelta | None) -> str:
    if age is None:
        return ""
    minutes, seconds = divmod(max(0, int(age.total_seconds())), 60)
    return f"; it was launched {f'{minutes} min' if minutes else f'{seconds} s'} ago"


def _said(line: str | None) -> str:
    return f', and its console says "{line}"' if line else ""
