# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of DNS records by which nodes and users find the control planes: what dns-controller is for in kops.

Servers of the API are the pods that their kubelets have registered, as in kops; addresses are the cloud's, so that
nothing has to run in the cluster. A record set is read before it is written, and written only if it differs.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Callable, Mapping, Sequence

from ...exchange.controllers import Wanted, WantedRecord
from ...kubernetes.client import KubernetesClient
from ..cloud.instances import CloudInstance, CloudInstances
from ..cloud.records import CloudRecords, RecordSet
from ..system.waiting import say
from .controller import Controller, Work
from .wanted import WantedFile

# As dns-controller's, both in seconds.
TTL, PERIOD = 60, 5.0
# Seconds: the cloud is asked again for its instances, and for those that it did not know; records are read again.
_OLD, _AGAIN, _VERIFIED = 60.0, 10.0, 600.0
_PODS = "/api/v1/namespaces/kube-system/pods"
_API_SERVER = "k8s-app=kube-apiserver"
# As the tokens of pods that take roles.
_TOKEN_SECONDS = 3600
_VERSIONS = {"A": 4, "AAAA": 6}


class RecordKeeper:
    """What is known of the records.

    zone: gives the records of the zone. admit: raises KopsError if nothing may be written any more. clock: seconds that
    only grow.
    """

    def __init__(
        self,
        client: KubernetesClient,
        cloud: CloudInstances,
        zone: Callable[[Wanted], CloudRecords],
        wanted: Callable[[], Wanted],
        admit: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client, self.cloud, self.zone, self.wanted = client, cloud, zone, wanted
        self.admit, self.clock = admit, clock
        self._seen: tuple[Wanted, frozenset[str]] | None = None
        self._instances: dict[str, CloudInstance] = {}
        self._asked = self._verified = -math.inf
        # The zone, and what its records say, for as long as the same records are wanted.
        self._zone: tuple[Wanted, CloudRecords] | None = None
        self._known: set[RecordSet] = set()

    def round(self) -> None:
        """Make the records right. Raises KopsError, OSError."""
        wanted = self.wanted()
        if not wanted.records:
            return
        servers = self._servers()
        age, unknown = self.clock() - self._asked, servers - self._instances.keys()
        if (wanted, servers) != self._seen or age >= _OLD or (unknown and age >= _AGAIN):
            self._instances, self._asked = _by_node(self.cloud.servers()), self.clock()
            self._seen = wanted, servers
        self._write(wanted, [each for name, each in self._instances.items() if each.runs and name in servers])

    def _servers(self) -> frozenset[str]:
        """The Nodes that serve the API. Version 0: what the API server has in memory."""
        pods = self.client.list(_PODS, labelSelector=_API_SERVER, resourceVersion="0")
        return frozenset(
            str(pod["spec"].get("nodeName") or "")
            for pod in pods
            if (pod.get("status") or {}).get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")
        )

    def _write(self, wanted: Wanted, servers: Sequence[CloudInstance]) -> None:
        if self._zone is None or self._zone[0] != wanted:
            self._zone, self._known = (wanted, self.zone(wanted)), set()
        zone = self._zone[1]
        if self.clock() - self._verified >= _VERIFIED:
            self._known = set()
        # The last addresses stay where there are none: clients would remember an empty answer for long.
        sets = [RecordSet(each.name, each.type, addresses_of(each, servers)) for each in wanted.records]
        due = [each for each in sets if each.values and each not in self._known]
        if not due:
            return
        changed = [each for each in due if zone.find(each.name, each.type) != each]
        if changed:
            self.admit()
            zone.write(changed, TTL)
            for each in changed:
                say(f"record {each.name} {each.type} is {', '.join(each.values)}")
        if not self._known:
            self._verified = self.clock()
        names = {(each.name, each.type) for each in due}
        self._known = {each for each in self._known if (each.name, each.type) not in names} | set(due)


def addresses_of(record: WantedRecord, servers: Sequence[CloudInstance]) -> tuple[str, ...]:
    """The values of a record, sorted. servers: the running instances that serve the API."""
    chosen = [each for each in servers if record.servers == "api" or each.role == "ControlPlane"]
    texts = {text for each in chosen for text in (each.internal if record.addresses == "internal" else each.external)}
    addresses = map(ipaddress.ip_address, texts)
    return tuple(sorted(str(each) for each in addresses if each.version == _VERSIONS[record.type]))


def _by_node(instances: Mapping[str, CloudInstance]) -> dict[str, CloudInstance]:
    """By the names that their Nodes may have."""
    named = {each.host_name: each for each in instances.values() if each.host_name and each.runs}
    return {**named, **instances}


def token_of(client: KubernetesClient, account: str, audience: str) -> str:
    """A token of a service account of kube-system for an audience; the account is made if it is not there.

    Raises KopsError.
    """
    accounts = "/api/v1/namespaces/kube-system/serviceaccounts"
    if client.find(f"{accounts}/{account}") is None:
        made = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": "kube-system"}}
        client.post(accounts, made)
    spec = {"audiences": [audience], "expirationSeconds": _TOKEN_SECONDS}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    return str(client.post(f"{accounts}/{account}/token", body)["status"]["token"])


def _start(work: Work) -> Callable[[], None]:
    def zone(wanted: Wanted) -> CloudRecords:
        def token(audience: str) -> str:
            return token_of(work.client, wanted.account, audience)

        return work.instance.records(wanted.zone, private=wanted.private, role=wanted.role, token=token)

    wanted = WantedFile(work.settings.store, work.store.read)
    instances = work.instance.cluster_instances(work.settings.cluster)
    return RecordKeeper(work.client, instances, zone, wanted.get, work.term.check).round


CONTROLLER = Controller("records", PERIOD, _start)
