# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods share no host with others, and so have none while there are fewer hosts than pods.

The rules are those of the scheduler: topologySpreadConstraints and podAntiAffinity, both by host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..client import Object
from .selectors import matches

_HOST = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_KEEP_OFF = ("NoSchedule", "NoExecute")
# Nodes have these taints for a while: until they are ready, or initialised.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "node.cilium.io/")


@dataclass(frozen=True)
class _Rule:
    """Others that a pod keeps away from: those that the selector finds, in the pod's namespace.

    skew: by how many of them a host may exceed the host with the fewest. 0: there may be none.
    """

    selector: Mapping[str, Any]
    skew: int


def keeps_apart(template: Object) -> bool:
    """Whether pods with this specification (of a pod, or of the template of pods) share no host with certain others."""
    return any(_rules(template))


def has_no_host(pod: Object, pods: Sequence[Object], nodes: Sequence[Object]) -> bool:
    """Whether a pod waits for a host because those that it may be on run pods that it keeps away from.

    pods: all of its namespace. nodes: all. Hosts that are cordoned do not count; those that are not ready yet do.
    """
    if (pod.get("spec") or {}).get("nodeName"):
        return False
    domains = [node for node in nodes if _is_selected(pod["spec"], node)]
    hosts = [node for node in domains if _is_open(pod["spec"], node)]
    blocked: set[str] = set()
    for rule in _rules(pod):
        others = _by_host(rule, pods)
        most = rule.skew - 1 + min((others[_name(node)] for node in domains), default=0) if rule.skew else 0
        blocked |= {_name(node) for node in hosts if others[_name(node)] > most}
    return bool(hosts) and all(_name(node) in blocked for node in hosts)


def _rules(template: Object) -> Iterator[_Rule]:
    spec = template.get("spec") or {}
    for constraint in spec.get("topologySpreadConstraints") or ():
        if constraint.get("topologyKey") == _HOST and constraint.get("whenUnsatisfiable") == "DoNotSchedule":
            yield _Rule(constraint.get("labelSelector") or {}, constraint.get("maxSkew", 1))
    terms = ((spec.get("affinity") or {}).get("podAntiAffinity") or {}).get(_REQUIRED) or ()
    yield from (_Rule(term.get("labelSelector") or {}, 0) for term in terms if term.get("topologyKey") == _HOST)


def _by_host(rule: _Rule, pods: Sequence[Object]) -> Counter[str]:
    """How many of the rule's pods each host runs. Those that are ending make room soon."""
    return Counter(
        pod["spec"]["nodeName"]
        for pod in pods
        if (pod.get("spec") or {}).get("nodeName")
        and not pod["metadata"].get("deletionTimestamp")
        and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        and matches(rule.selector, pod["metadata"].get("labels") or {})
    )


def _name(node: Object) -> str:
    return str(node["metadata"]["name"])


def _is_open(spec: Mapping[str, Any], node: Object) -> bool:
    """Whether a node takes the pod, now or once it is ready."""
    given = node.get("spec") or {}
    if given.get("unschedulable"):
        return False
    return all(
        any(_tolerates(toleration, taint) for toleration in spec.get("tolerations") or ())
        for taint in given.get("taints") or ()
        if taint.get("effect") in _KEEP_OFF and not str(taint.get("key")).startswith(_PASSING)
    )


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("operator") == "Exists":
        return not toleration.get("key") or toleration["key"] == taint.get("key")
    return toleration.get("key") == taint.get("key") and (toleration.get("value") or "") == (taint.get("value") or "")


def _is_selected(spec: Mapping[str, Any], node: Object) -> bool:
    """Whether the pod's node selector and node affinity choose a node."""
    labels = node["metadata"].get("labels") or {}
    if not matches({"matchLabels": spec.get("nodeSelector") or {}}, labels):
        return False
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    terms = required.get("nodeSelectorTerms") or ()
    return not terms or any(matches(term, labels) for term in terms)
