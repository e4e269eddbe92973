# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems in a report of a cluster: rules on data, each with the command that helps."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...engine.plan_data import Action
from ...exchange.etcd_backups import parse_time
from ...kubernetes.validation.cluster import Failure
from ..drift import finding
from ..status.addons import MISSING, PENDING, UNWANTED
from ..status.instances import TAKEN_OUT
from ..versions.skew import parsed
from .facts import ERROR, NOTICE, SEVERITIES, WARNING, NodeFacts, Problem, Report

# A rotation takes three rolling updates, and users have to get new kubeconfigs.
_EXPIRES_SOON = datetime.timedelta(days=90)
_RUNNING = ("", "running")

_REPAIR = ("Nodes that have failed can be replaced; with --check it says which ones", "repair --check")
_DUMP = ("Logs of pods, nodes and consoles say why", "toolbox_dump")
# Where the way to the API of a cloud's cluster may end. These failures say themselves what helps.
_HOPS = frozenset(("DNS", "LoadBalancer", "SecurityGroup", "TCP", "TLS", "APIServer"))
# Kind of another failure of validation -> what helps.
_TODO = {
    "Machine": _REPAIR,
    "Node": _REPAIR,
    "InstanceGroup": ("If they do not come, logs and consoles say why", "toolbox_dump"),
    "Pod": _DUMP,
    "Addon": _DUMP,
    "Controller": _DUMP,
    "Certificate": ("An update renews certificates of nodes", "hosts"),
}
_DRIFTED = {
    finding.MISSING: "is missing",
    finding.DIFFERENT: "is not as it should be",
    finding.UNWANTED: "is there, and is not wanted",
}
_REACH = ("What the control planes and their consoles say helps, too", "toolbox_dump")


def problems_of(report: Report, failures: Sequence[Failure], now: datetime.datetime, inventory: bool) -> list[Problem]:
    """Problems of a cluster, the worst first; problems that differ only in names are one.

    failures: of validation. inventory: whether the cluster is on the hosts of an inventory.
    """
    base = f"ansible-playbook {'-i hosts.yml ' if inventory else ''}kubeops.kops."
    found = [
        *_of_failures(failures, base, inventory),
        *_of_nodes(report, failures, base),
        *_of_versions(report, base),
        *_of_keys(report, now, base),
        *_of_backups(report, base, inventory),
        *_of_addons(report, failures, base),
        *_of_plan(report, base),
        *_of_drift(report, base),
    ]
    return sorted(_together(found), key=lambda each: SEVERITIES.index(each.severity))


def _together(problems: Iterable[Problem]) -> Iterator[Problem]:
    same: dict[tuple[str, ...], list[Problem]] = {}
    for each in problems:
        same.setdefault((each.severity, each.kind, each.message, each.todo, each.command), []).append(each)
    for key, alike in same.items():
        groups = {each.instance_group for each in alike}
        severity, kind, message, todo, command = key
        names = [name for each in alike for name in each.names]
        yield Problem(severity, kind, names, message, todo, command, groups.pop() if len(groups) == 1 else "")


def _of_failures(failures: Sequence[Failure], base: str, inventory: bool) -> Iterator[Problem]:
    # In a cloud, a repair has to ask the API.
    is_cut_off = not inventory and any(each.kind in _HOPS for each in failures)
    for each in failures:
        todo, playbook = _TODO.get(each.kind, _REACH)
        if is_cut_off and (todo, playbook) == _REPAIR:
            todo, playbook = _REACH
        if "rolling update" in each.message:
            todo, playbook = "If none is running, this continues with the node", "rolling_update"
        yield Problem(ERROR, each.kind, [each.name], each.message, todo, base + playbook, each.group)


def _of_nodes(report: Report, failures: Sequence[Failure], base: str) -> Iterator[Problem]:
    told = {each.name for each in failures}
    for node in report.nodes or ():
        if node.state == TAKEN_OUT:
            kind, message = "Instance", "was taken out of its group by a rolling update, which has not ended it"
            todo, playbook = "If none is running, this drains and ends it", "rolling_update"
        elif node.outdated:
            reasons = f" ({'; '.join(node.reasons)})" if node.reasons else ""
            kind, message = "Node", f"is not what its group would start now{reasons}"
            todo = "A rolling update drains and replaces one after the other; with --check it says which ones"
            playbook = "rolling_update --check"
        elif node.power not in _RUNNING and not node.state and node.name not in told:
            kind, message = "Instance", f"is {node.power}, and its group counts it"
            todo, playbook = _REPAIR
        else:
            continue
        yield Problem(WARNING, kind, [node.name], message, todo, base + playbook, node.instance_group)


def _of_versions(report: Report, base: str) -> Iterator[Problem]:
    cluster = report.cluster
    behind = [node for node in report.nodes or () if _is_behind(node, cluster.kubernetes_version)]
    for node in behind:
        message = f"runs Kubernetes {node.version}; the specification has {cluster.kubernetes_version}"
        todo = "This brings the specification to all nodes, control planes first; with --check it says how"
        yield Problem(WARNING, "Node", [node.name], message, todo, f"{base}reconcile --check", node.instance_group)
    name, command = f"Kubernetes {cluster.kubernetes_version}", f"{base}upgrade_cluster --check"
    todo = "This says what an upgrade would change"
    if cluster.required:
        message = f"is older than {cluster.required}, the oldest version that the channel accepts"
        yield Problem(ERROR, "Version", [name], message, todo, command)
    elif cluster.recommended and not behind:
        message = f"can be upgraded to {cluster.recommended}, which the channel recommends"
        yield Problem(NOTICE, "Version", [name], message, todo, command)


def _is_behind(node: NodeFacts, version: str) -> bool:
    runs, wanted = parsed(node.version), parsed(version)
    return runs is not None and wanted is not None and runs < wanted


def _of_keys(report: Report, now: datetime.datetime, base: str) -> Iterator[Problem]:
    for key in report.keys or ():
        if key.next_step:
            message = f"is being rotated; the next step is to {key.next_step}"
            yield Problem(
                WARNING, "Keyset", [key.name], message, "This completes what was begun", f"{base}rotate --check"
            )
        elif key.expires and parse_time(key.expires) - now <= _EXPIRES_SOON:
            is_over = parse_time(key.expires) <= now
            message = f"{'has expired' if is_over else 'expires'} on {key.expires[:10]}"
            todo = "This replaces it by a new one, step by step; with --check it says how"
            command = f"{base}rotate -e kops_keysets={key.name} -e kops_rotate_before=1d --check"
            yield Problem(ERROR if is_over else WARNING, "Keyset", [key.name], message, todo, command)


def _of_backups(report: Report, base: str, inventory: bool) -> Iterator[Problem]:
    for each in report.backups or ():
        if each.late:
            told = f"was last backed up at {each.last}" if each.last else "has no backup"
            message = f"{told}, and one is due every {each.every // 60} minutes"
            todo = "This makes one" if inventory else "Control planes make them; their logs say why there is none"
            yield Problem(
                WARNING, "Etcd", [each.etcd], message, todo, base + ("etcd_backup" if inventory else "toolbox_dump")
            )


def _of_addons(report: Report, failures: Sequence[Failure], base: str) -> Iterator[Problem]:
    told = {each.name for each in failures if each.kind == "Addon"}
    messages: Mapping[str, tuple[str, str]] = {
        PENDING: (WARNING, "is not applied yet as the state store has it"),
        MISSING: (WARNING, "is not applied yet"),
        UNWANTED: (NOTICE, "was applied, and the state store does not have it any more"),
    }
    for addon in report.addons or ():
        if addon.status in messages and addon.name not in told:
            severity, message = messages[addon.status]
            yield Problem(severity, "Addon", [addon.name], message, "This shows all of them", f"{base}get_addons")


def _of_plan(report: Report, base: str) -> Iterator[Problem]:
    if report.plan is None:
        return
    words = {Action.CREATE: "create", Action.UPDATE: "change", Action.DELETE: "delete"}
    counts = {word: report.plan.counts.get(action.value, 0) for action, word in words.items()}
    wanted = [f"{word} {count}" for word, count in counts.items() if count]
    if wanted:
        first = "is not applied as it is" if report.cluster.updated_by else "was never applied"
        message = f"{first}; an update would {', '.join(wanted)} object{'s' if sum(counts.values()) > 1 else ''}"
        todo, command = "This shows the plan, and its id", f"{base}update_cluster --check"
        yield Problem(WARNING, "Specification", [report.cluster.name], message, todo, command)


def _of_drift(report: Report, base: str) -> Iterator[Problem]:
    """Problems from drift that no other part of the report names, one for each command that mends it."""
    for each in report.drift.found if report.drift else ():
        if not each.told:
            message = f"{_DRIFTED[each.what]}{f' ({each.reason})' if each.reason else ''}"
            todo = f"{f'To mend it: {each.mend}. ' if each.mend else ''}This shows all that differs"
            yield Problem(WARNING, each.kind, [each.name], message, todo, f"{base}drift")
