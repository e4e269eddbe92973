# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addons are not healthy, and why their pods do not run; kops looks at pods of critical priorities only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..addons.object_names import title
from ..addons.pruned import ADDON_ANNOTATION, NAME_LABEL
from ..addons.rollouts import WORKLOADS, counts_of, pod_problems
from ..addons.selectors import selects
from ..client import Object
from ..nodes.readiness import is_ready


@dataclass(frozen=True)
class UnhealthyAddon:
    """A workload of an addon that lacks pods. group: the instance group that they are missing in, "" if of several."""

    addon: str
    message: str
    group: str = ""


@dataclass(frozen=True)
class Workload:
    """A workload that an addon has to have. again: what applies it again, as a sentence without its end."""

    addon: str
    kind: str
    namespace: str
    name: str
    again: str = ""

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"{self.kind} {self.namespace}/{self.name}"


def workloads_in(addon: str, objects: Iterable[Object], again: str) -> Iterator[Workload]:
    """The workloads among the objects of an addon."""
    for obj in objects:
        if obj["kind"] in WORKLOADS:
            metadata = obj["metadata"]
            yield Workload(addon, obj["kind"], metadata.get("namespace") or "default", metadata["name"], again)


def missing_workloads(present: Iterable[Object], wanted: Iterable[Workload]) -> Iterator[UnhealthyAddon]:
    """Workloads that addons have to have, and that are not among those of the cluster."""
    there = {title(obj) for obj in present}
    for each in wanted:
        if each.title not in there:
            yield UnhealthyAddon(each.addon, f"{each.title} does not exist" + (f"; {each.again}" if each.again else ""))


def unhealthy_addons(
    present: Iterable[Object], pods: Sequence[Object], group_of: Mapping[str, str], ignored: Sequence[Object]
) -> Iterator[UnhealthyAddon]:
    """The workloads of addons that lack pods, each with what their pods say.

    present: all workloads of the cluster. pods: all of it. group_of: instance groups of the nodes. ignored: pods that
    need not run.
    """
    unimportant = {pod["metadata"].get("uid") for pod in ignored}
    for obj in present:
        addon, (wanted, _updated, ready) = _addon_of(obj), counts_of(obj)
        if not addon or ready >= wanted:
            continue
        mine = [pod for pod in pods if selects(obj, pod) and not is_ready(pod)]
        idle = [pod for pod in mine if pod["metadata"].get("uid") in unimportant]
        if ready + len(idle) >= wanted:
            continue
        missing = [pod for pod in mine if pod not in idle]
        reasons = [reason for pod in missing for reason in pod_problems(pod)] or list(_conditions(obj))
        message = f"{title(obj)} has {ready} of {wanted} pods ready"
        groups = {group_of.get((pod.get("spec") or {}).get("nodeName", ""), "") for pod in missing}
        group = groups.pop() if obj["kind"] == "DaemonSet" and len(groups) == 1 else ""
        yield UnhealthyAddon(addon, ": ".join(filter(None, (message, "; ".join(reasons)))), group)


def _addon_of(obj: Object) -> str:
    """The addon that a workload is part of; "" for those of users."""
    metadata = obj["metadata"]
    return str(
        (metadata.get("labels") or {}).get(NAME_LABEL)
        or (metadata.get("annotations") or {}).get(ADDON_ANNOTATION)
        or ""
    )


def _conditions(obj: Object) -> Iterator[str]:
    """Why there are no pods at all, as a Deployment says it."""
    for condition in (obj.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
            yield str(condition.get("message", ""))
