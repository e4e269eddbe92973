# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeats the validation of a cluster until it succeeds or the time is over, and formats the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...base.errors import KopsError
from ...base.table import table_of
from ...exchange.settings import KUBECONFIG
from ..client import KubernetesClient
from ..connection import RetryPolicy
from ..probes import api_failures, certificate_failures, dns_failures, trust_failures
from .addons import Workload
from .cluster import Failure, Group, Validation, validate
from .pods import PodProbe, pod_failures


@dataclass(frozen=True)
class Expectation:
    """What to validate.

    api_addresses: of the API servers; each is asked. dns_domain: of the cluster's DNS; "" means DNS is not checked.
    certificate_days: how long serving certificates must still be valid; less than 0 means they are not checked.
    pod_trust: whether all pods must know the cluster's present keys. found: failures that were found on the hosts.
    unfinished_updates, workloads, leaving: see validation.validate.
    max_unready_nodes: see validation.validate. only: groups whose failures count, besides failures of no group; an
    empty list means all groups. pods: what is started on each node, once nothing else fails.
    """

    groups: Sequence[Group]
    api_addresses: Sequence[str] = ()
    dns_domain: str = "cluster.local"
    certificate_days: float = 30
    max_unready_nodes: int = 0
    only: Sequence[str] = ()
    pod_trust: bool = True
    unfinished_updates: bool = True
    workloads: Sequence[Workload] = ()
    leaving: Sequence[str] = ()
    found: Sequence[Failure] = ()
    kubeconfig: str = KUBECONFIG
    pods: PodProbe = PodProbe()


@dataclass(frozen=True)
class Timing:
    """wait, interval: the time limit and the pause between two validations, in seconds. count: successes in a row."""

    wait: float = 0
    interval: float = 5
    count: int = 1


def check_once(expected: Expectation, retry: RetryPolicy | None = None) -> Validation:
    """Validate once. An API server that does not answer is a failure, not an error."""
    failures = [failure for failure in expected.found if _counts(failure.group, expected.only)]
    failures += api_failures(expected.kubeconfig, expected.api_addresses)
    found = Validation()
    try:
        client = KubernetesClient.from_kubeconfig(expected.kubeconfig, retry=retry or RetryPolicy(deadline=5))
        found = validate(
            client,
            expected.groups,
            max_unready_nodes=expected.max_unready_nodes,
            leaving=expected.leaving,
            unfinished_updates=expected.unfinished_updates,
            workloads=expected.workloads,
        )
        if expected.dns_domain:
            found.failures += dns_failures(client, expected.dns_domain)
        if expected.certificate_days >= 0:
            broken = {failure.name for failure in failures}
            addresses = [address for address in expected.api_addresses if address not in broken]
            found.failures += certificate_failures(client, expected.kubeconfig, addresses, expected.certificate_days)
        if expected.pod_trust:
            found.failures += trust_failures(client, expected.kubeconfig, expected.api_addresses)
        failures += [failure for failure in found.failures if _counts(failure.group, expected.only)]
        failures = [_with_node(failure, found.addresses) for failure in failures]
        failures = [failure for failure in failures if failure.node not in expected.leaving]
        if expected.pods.image and not failures:
            there = [node for node in found.nodes if node["name"] not in expected.leaving]
            ready = {node["name"]: node["instance_group"] for node in there if node["ready"] == "True"}
            counting = {name: group for name, group in ready.items() if _counts(group, expected.only)}
            failures += pod_failures(client, counting, expected.pods)
    except KopsError as error:
        failures.append(Failure("APIServer", "kubernetes", str(error)))
    return replace(found, failures=failures)


def check_until(check: Callable[[], Validation], times: Timing) -> Validation:
    """Validate until count validations in a row succeed, or until the deadline. Returns the last result."""
    end = time.monotonic() + times.wait
    row = 0
    while True:
        found = check()
        row = 0 if found.failures else row + 1
        if row >= times.count or time.monotonic() + times.interval > end:
            break
        time.sleep(times.interval)
    if not found.failures and row < times.count:
        message = f"only {row} validations in a row succeeded, instead of {times.count}"
        found.failures.append(Failure("Validation", "count", message))
    return found


def text_of(found: Validation, groups: Sequence[Group], cluster: str) -> str:
    """The result as text, in three tables. cluster: its name."""
    rows = []
    for group in groups:
        nodes = [node for node in found.nodes if node["instance_group"] == group.name]
        ready = sum(node["ready"] == "True" for node in nodes)
        rows.append((group.name, group.role, str(max(group.size, len(group.nodes))), str(len(nodes)), str(ready)))
    parts = ["INSTANCE GROUPS", table_of(("NAME", "ROLE", "WANTED", "NODES", "READY"), rows), "NODE STATUS"]
    parts.append(
        table_of(
            ("NAME", "ROLE", "READY", "VERSION"),
            [(node["name"], node["role"], node["ready"], node["version"]) for node in found.nodes],
        )
    )
    if found.failures:
        failures = [(failure.kind, failure.name, failure.message) for failure in found.failures]
        parts += ["VALIDATION ERRORS", table_of(("KIND", "NAME", "MESSAGE"), failures)]
    parts.append(f"Cluster {cluster} is {'not ready' if found.failures else 'ready'}\n")
    return "\n".join(parts)


def _with_node(failure: Failure, addresses: Mapping[str, str]) -> Failure:
    """The failure, with the node whose API server or certificate it is about. addresses: of nodes -> their names."""
    if failure.kind not in ("APIServer", "Certificate"):
        return failure
    named = failure.name if failure.name in addresses.values() else ""
    return replace(failure, node=addresses.get(failure.name, named))


def _counts(group: str, only: Sequence[str]) -> bool:
    """Whether failures of an instance group count, or of no group ("")."""
    return not only or not group or group in only
