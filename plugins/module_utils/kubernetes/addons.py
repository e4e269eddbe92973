# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies the objects of a cluster's addons, and deletes objects that are no longer part of an addon (pruning)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ..base.errors import KopsError
from ..base.report import Report, Step
from .client import KubernetesClient, KubernetesError, Object
from .differences import differences
from .rollouts import await_running

# Objects of these kinds are pruned when they are no longer part of their addon (pruning.go of kops). Never pruned:
# Namespaces and CustomResourceDefinitions, because their deletion would delete objects of other owners.
PRUNED_KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("policy/v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
)
NAME_LABEL = "addon.kops.k8s.io/name"
_MANAGED = "app.kubernetes.io/managed-by=kops"
_DEFINITION = "CustomResourceDefinition"
# First what other objects depend on, last what starts pods: so a pod's volumes exist when it starts.
_FIRST = ("Namespace", _DEFINITION, "PriorityClass")
_LAST = ("Deployment", "DaemonSet", "StatefulSet", "Job", "CronJob", "Pod")
_PARALLEL = 4
_NETWORK = "networking."
# A network may itself need an addon that comes after it, so it is not waited for until the end.
_NETWORK_SECONDS = 30.0
# The API server serves a new kind shortly after its CustomResourceDefinition was created.
_DEFINITION_SECONDS = 20.0

Item = TypeVar("Item")
Result = TypeVar("Result")


def apply_addons(
    client: KubernetesClient, addons: Sequence[Mapping[str, Any]], retired: Iterable[str] = (), *, wait: float = 0
) -> Report:
    """Make the addons equal to the given ones: a list of {"name": ..., "objects": [...]}, applied in that order.

    Networks come first. wait: seconds that the others may wait until a network that is created runs on the nodes.
    retired: names of addons whose objects are all deleted. A client in check mode changes nothing. Raises KopsError
    that names every refused object; the addons after a refused one are not applied.
    """
    report = Report()
    networks = [addon for addon in addons if addon["name"].startswith(_NETWORK)]
    for addon in networks:
        _apply(client, addon, report)
    created = {step.item for step in report.steps if step.changed and step.before is None}
    agents = [obj for addon in networks for obj in addon["objects"] if obj["kind"] == "DaemonSet"]
    if not client.check:
        # A pod that starts on a node without its network fails, and the kubelet tries again some 15 seconds later.
        await_running(client, [obj for obj in agents if title(obj) in created], min(wait, _NETWORK_SECONDS))
    for addon in addons:
        if addon not in networks:
            _apply(client, addon, report)
    names = [*(addon["name"] for addon in addons), *retired]
    wanted = {identity(obj) for addon in addons for obj in addon["objects"]}
    report.steps += _prune(client, names, wanted)
    return report


def identity(obj: Object) -> tuple[str, str, str, str]:
    """API group, kind, namespace and name: they identify an object in all versions of its API."""
    metadata = obj["metadata"]
    group = obj["apiVersion"].rpartition("/")[0]
    return group, obj["kind"], metadata.get("namespace", ""), metadata["name"]


def title(obj: Object) -> str:
    """The object's name in messages and reports."""
    metadata = obj["metadata"]
    return f"{obj['kind']} {'/'.join(filter(None, (metadata.get('namespace'), metadata['name'])))}"


def _apply(client: KubernetesClient, addon: Mapping[str, Any], report: Report) -> None:
    objects: list[Object] = addon["objects"]
    defined = any(obj["kind"] == _DEFINITION for obj in objects)
    problems: list[str] = []

    def one(obj: Object) -> Step | None:
        try:
            return _apply_one(client, obj, defined=defined)
        except KopsError as error:
            problems.append(f"{title(obj)}: {error}")
            return None

    for phase in range(3):
        steps = _in_parallel(one, [obj for obj in objects if _phase(obj) == phase])
        report.steps += [step for step in steps if step is not None]
        if problems:
            raise KopsError("\n".join([f"addon {addon['name']} cannot be applied:", *sorted(problems)]))


def _phase(obj: Object) -> int:
    return 0 if obj["kind"] in _FIRST else 2 if obj["kind"] in _LAST else 1


def _apply_one(client: KubernetesClient, obj: Object, *, defined: bool) -> Step:
    """defined: the addon contains CustomResourceDefinitions."""
    try:
        if defined and not client.check:
            _await_kind(client, obj)
        applied = client.apply(_sent(obj))
    except KopsError as error:
        if not (client.check and _is_missing_yet(error, defined=defined)):
            raise
        return Step(title(obj), True, None, _shown(obj))
    if not applied.changed:
        return Step(title(obj))
    before, after = differences(_shown(applied.before), _shown(applied.after))
    return Step(title(obj), True, before, after)


def _sent(obj: Object) -> Object:
    """The object without its resourceVersion; with one, the API server would expect exactly that version."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return {**obj, "metadata": metadata}


def _is_missing_yet(error: KopsError, *, defined: bool) -> bool:
    """Whether the error is due to a namespace or kind that a real run would have created earlier."""
    if isinstance(error, KubernetesError):
        return error.status == 404
    return defined


def _await_kind(client: KubernetesClient, obj: Object) -> None:
    end = time.monotonic() + _DEFINITION_SECONDS
    while True:
        try:
            client.kind(obj["apiVersion"], obj["kind"])
            return
        except KopsError:
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


def _prune(client: KubernetesClient, names: Sequence[str], wanted: set[tuple[str, str, str, str]]) -> list[Step]:
    """Delete objects that have an addon's label but are not wanted."""
    selector = f"{_MANAGED},{NAME_LABEL} in ({','.join(names)})"

    def found(kind: tuple[str, str]) -> list[Object]:
        path = client.kind(*kind).path()
        return list(client.list(path, labelSelector=selector)) if names else []

    left = [
        obj
        for found_objects in _in_parallel(found, PRUNED_KINDS)
        for obj in found_objects
        if identity(obj) not in wanted and not obj["metadata"].get("deletionTimestamp")
    ]
    for obj in left:
        if not client.check:
            client.delete(client.path_of(obj), {"propagationPolicy": "Background"})
    return [Step(title(obj), True, _shown(obj), None) for obj in left]


def _in_parallel(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    with ThreadPoolExecutor(_PARALLEL) as pool:
        return list(pool.map(work, items))


def _shown(obj: Object | None) -> Object | None:
    """The object as reports show it: without the API server's own metadata and without secrets."""
    if obj is None:
        return None
    hidden = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp")
    metadata = {name: value for name, value in obj["metadata"].items() if name not in hidden}
    shown = {**{name: value for name, value in obj.items() if name != "status"}, "metadata": metadata}
    if obj["kind"] == "Secret":
        shown.update({part: dict.fromkeys(obj[part], "(secret)") for part in ("data", "stringData") if obj.get(part)})
    return shown
