# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies the objects of a cluster's addons, and deletes objects that are no longer part of an addon."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ...base.errors import KopsError
from ...base.report import Report, Step
from ..client import KubernetesClient, KubernetesError, Object
from ..parallel import in_parallel
from .applied import is_as_applied, read_present
from .authority import authority_objects
from .differences import differences
from .object_names import identity, shown, title
from .owners import taken_over
from .pruning import prune, prune_as_said
from .rollouts import await_running
from .settings import with_settings
from .versions import record_versions

_DEFINITION = "CustomResourceDefinition"
# First what other objects depend on, last what starts pods: so a pod's volumes exist when it starts.
_FIRST = ("Namespace", _DEFINITION, "PriorityClass")
_LAST = ("Deployment", "DaemonSet", "StatefulSet", "Job", "CronJob", "Pod")
_NETWORK = "networking."
# A network may itself need an addon that comes after it, so it is not waited for until the end.
_NETWORK_SECONDS = 30.0
# The API server serves a new kind shortly after its CustomResourceDefinition was created.
_DEFINITION_SECONDS = 20.0
# Until the webhooks of one addon run, the API server may refuse objects of others.
_REFUSED_SECONDS = 120.0
_PAUSE = 1.0

Kinds = set[tuple[str, str]]


@dataclass
class _Addon:
    """An addon while it is applied.

    left: its objects that are not applied yet. problems: why not, by their titles. pruned: kinds that are pruned, of an
    addon of a channel.
    """

    name: str
    objects: Sequence[Object]
    left: list[Object]
    kinds: Kinds
    pruned: Optional[Sequence[Mapping[str, Any]]] = None
    problems: dict[str, KopsError] = field(default_factory=dict)

    @property
    def may_pass(self) -> bool:
        """Whether an object was refused for a reason that may pass by itself."""
        return any(map(_may_pass, self.problems.values()))


def apply_addons(
    client: KubernetesClient,
    addons: Sequence[Mapping[str, Any]],
    retired: Iterable[str] = (),
    *,
    wait: float = 0,
    network_wait: float = _NETWORK_SECONDS,
) -> Report:
    """Make the addons equal to the given ones: a list of {"name": ..., "objects": [...]}, applied in that order.

    An addon with "needs_pki" gets a certificate authority of its own. One with "pruned" is of a channel: only objects
    that this selects are pruned (pruning.py). When one with "needs_rolling_update" changes, nodes are marked
    (versions.py). Networks come first. wait: seconds that the others may wait until a network that is created runs on
    the nodes, and that refused objects may be tried again. network_wait: at most so many of them for networks.
    retired: names of addons whose objects are all deleted. A client in check mode changes nothing. A refused object
    keeps no other addon from being applied, but its own from being pruned. At the end, KopsError names all of them.
    """
    report = Report()
    pending = [_pending(client, addon) for addon in addons]
    coming = {kind for addon in pending for kind in addon.kinds}
    _leave_out_applied(client, pending, report)
    networks = [addon for addon in pending if addon.name.startswith(_NETWORK)]
    for addon in networks:
        _apply(client, addon, coming, report)
    created = {step.item for step in report.steps if step.changed and step.before is None}
    agents = [obj for addon in networks for obj in addon.objects if obj["kind"] == "DaemonSet"]
    if not client.check:
        # A pod that starts on a node without its network fails, and the kubelet tries again some 15 seconds later.
        await_running(client, [obj for obj in agents if title(obj) in created], min(wait, network_wait))
    for addon in pending:
        if addon not in networks:
            _apply(client, addon, coming, report)
    _try_again(client, pending, coming, report, min(wait, _REFUSED_SECONDS))
    refused = [addon for addon in pending if addon.left]
    retired = list(retired)
    unpruned = _prune(client, pending, retired, report)
    # What is recorded is not looked at again.
    left = {addon.name for addon in refused} | unpruned.keys()
    report.steps += record_versions(client, [addon for addon in addons if addon["name"] not in left], retired)
    if left:
        raise KopsError("\n".join([*map(_refusal, refused), *unpruned.values()]))
    return report


def _leave_out_applied(client: KubernetesClient, pending: Sequence[_Addon], report: Report) -> None:
    """Of objects that are as they were applied, say so. So the requests of an unchanged run do not grow with addons."""
    present = read_present(client, (obj for addon in pending for obj in addon.objects))
    for addon in pending:
        same = [obj for obj in addon.left if is_as_applied(present.get(identity(obj)), obj)]
        report.steps += [Step(title(obj)) for obj in same]
        addon.left = [obj for obj in addon.left if obj not in same]


def _prune(
    client: KubernetesClient, pending: Sequence[_Addon], retired: Iterable[str], report: Report
) -> dict[str, str]:
    """Delete what has left addons that were applied, or are retired. Returns where that was not possible, and why."""
    wanted = {identity(obj) for addon in pending for obj in addon.objects}
    applied = [addon for addon in pending if not addon.left]
    report.steps += prune(client, [*(addon.name for addon in applied if addon.pruned is None), *retired], wanted)
    problems = {}
    for addon in applied:
        try:
            report.steps += prune_as_said(client, addon.name, addon.pruned or (), wanted)
        except KopsError as error:
            problems[addon.name] = f"addon {addon.name}: what has left it cannot be deleted: {error}"
    return problems


def _pending(client: KubernetesClient, addon: Mapping[str, Any]) -> _Addon:
    objects = with_settings(addon["objects"])
    if addon.get("needs_pki"):
        objects = [*authority_objects(client, addon["name"]), *objects]
    return _Addon(addon["name"], objects, objects, _defined(objects), addon.get("pruned"))


def _defined(objects: Iterable[Object]) -> Kinds:
    """API group and kind of the CustomResourceDefinitions."""
    specs = [obj["spec"] for obj in objects if obj["kind"] == _DEFINITION]
    return {(spec["group"], spec["names"]["kind"]) for spec in specs}


def _try_again(
    client: KubernetesClient, addons: Sequence[_Addon], coming: Kinds, report: Report, seconds: float
) -> None:
    """What was refused is sent again while that has success, or the reason may pass and there is time."""
    end, before = time.monotonic() + seconds, -1
    while not client.check:
        refused = [addon for addon in addons if addon.left]
        left = sum(len(addon.left) for addon in refused)
        if left == before:
            if time.monotonic() + _PAUSE > end:
                return
            time.sleep(_PAUSE)
        before = left
        if not any(addon.may_pass for addon in refused):
            return
        for addon in refused:
            _apply(client, addon, coming, report)


def _apply(client: KubernetesClient, addon: _Addon, coming: Kinds, report: Report) -> None:
    """Apply what is left of an addon. coming: the kinds that addons define."""
    addon.problems = {}

    def one(obj: Object) -> Optional[Step]:
        try:
            return _apply_one(client, obj, addon.kinds, coming, report.warnings)
        except KopsError as error:
            addon.problems[title(obj)] = error
            return None

    for phase in range(3):
        objects = [obj for obj in addon.left if _phase(obj) == phase]
        steps = in_parallel(one, objects)
        report.steps += [step for step in steps if step is not None]
        done = {identity(obj) for obj, step in zip(objects, steps) if step is not None}
        addon.left = [obj for obj in addon.left if identity(obj) not in done]
        if addon.problems:
            return


def _phase(obj: Object) -> int:
    return 0 if obj["kind"] in _FIRST else 2 if obj["kind"] in _LAST else 1


def _apply_one(client: KubernetesClient, obj: Object, own: Kinds, coming: Kinds, warnings: list[str]) -> Step:
    """own: the kinds that the object's addon defines. warnings: gets whose fields are overwritten."""
    kind = obj["apiVersion"].rpartition("/")[0], obj["kind"]
    try:
        if kind in own and not client.check:
            _await_kind(client, obj)
        # Such objects are tried again when everything else was applied, which may start the webhook.
        applied = client.apply(_sent(obj), webhooks=False)
    except KopsError as error:
        if not (client.check and _is_missing_yet(error, is_coming=kind in coming)):
            raise
        return Step(title(obj), True, None, shown(obj))
    if not applied.changed:
        return Step(title(obj))
    # As kops, which forces as well; otherwise one changed field would keep the object from all updates.
    for manager, paths in taken_over(applied.before, applied.after).items():
        warnings.append(f"{title(obj)}: fields that {manager} has set get the values of the addon: {', '.join(paths)}")
    before, after = differences(shown(applied.before), shown(applied.after))
    return Step(title(obj), True, before, after)


def _sent(obj: Object) -> Object:
    """The object without its resourceVersion; with one, the API server would expect exactly that version."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return {**obj, "metadata": metadata}


def _is_missing_yet(error: KopsError, *, is_coming: bool) -> bool:
    """Whether the error is due to a namespace or kind that a real run would have created earlier."""
    if isinstance(error, KubernetesError):
        return error.status == 404
    return is_coming


def _may_pass(error: KopsError) -> bool:
    """Kinds and namespaces of other addons, webhooks that do not answer yet, an API server that is overloaded."""
    if not isinstance(error, KubernetesError):
        return True
    return error.status in (404, 429) or (error.status >= 500 and not error.malformed)


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


def _refusal(addon: _Addon) -> str:
    lines = sorted(f"{name}: {_why(name, error)}" for name, error in addon.problems.items())
    return "\n".join([f"addon {addon.name} cannot be applied:", *lines])


def _why(name: str, error: KopsError) -> str:
    """The reason of a refusal. What the API server says of a Secret may quote what is in it."""
    if isinstance(error, KubernetesError) and name.startswith("Secret "):
        return f"the API server answers {error.status} {error.reason}".rstrip()
    return str(error)
