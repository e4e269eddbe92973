# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a deletion works on: an object that was found in a cloud, and how it is removed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .executor import ApplyError
from .graph import run_ready_queue
from .task import TryAgainLater

STOPPED = "some objects could not be deleted; what is deleted stays so:"


@dataclass(eq=False)
class Resource:
    """One object of a cluster, as it was discovered.

    kind, id: what the cloud calls it; together they are the key. name: what a person calls it.
    blocks: keys of the objects that cannot go before this one.
    delete: removes it; succeeds when it is already gone; raises TryAgainLater while something still uses it.
    delete_many: removes several of a kind at once, where the cloud has a call for that.
    batch: those with the same text go together; without it, all of the kind that can go.
    claim: the PersistentVolumeClaim of a volume that was made for one.
    """

    kind: str
    id: str
    delete: Callable[[], None]
    name: str = ""
    blocks: frozenset[str] = frozenset()
    delete_many: Callable[[Sequence[str]], None] | None = None
    batch: str = ""
    claim: str = ""
    blocked_by: list[Resource] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Unique among the discovered objects ("subnet:subnet-1234")."""
        return f"{self.kind}:{self.id}"

    @property
    def label(self) -> str:
        """What a reader recognises it by."""
        return f"{self.kind} {self.name or self.id}"

    def __repr__(self) -> str:
        return f"<{self.key}>"

    def dependencies(self) -> Iterator[Resource]:
        """What has to be gone before this one."""
        return iter(self.blocked_by)

    def as_data(self) -> dict[str, str]:
        """{kind, id, name, claim} for results."""
        return {"kind": self.kind, "id": self.id, "name": self.name, "claim": self.claim}


def by_key(resources: Iterable[Resource]) -> dict[str, Resource]:
    """The resources with their order worked out: each knows what has to be gone before it."""
    found = {resource.key: resource for resource in resources}
    for resource in found.values():
        resource.blocked_by = []
    for resource in found.values():
        for key in sorted(resource.blocks & found.keys()):
            found[key].blocked_by.append(resource)
    return found


def delete_all(
    resources: Mapping[str, Resource],
    *,
    progress: Callable[[str], None],
    explain: Callable[[Exception], str],
    deadline: float,
    guard: Callable[[], None] = lambda: None,
) -> None:
    """Delete resources, each as soon as nothing is in its way, for at most deadline seconds each.

    guard: called before each deletion; raises if nothing more may be written.
    Raises ApplyError that names what could not be deleted and what was not tried.
    """
    total, done, lock = len(resources), 0, threading.Lock()

    def remove(batch: Sequence[Resource]) -> None:
        nonlocal done
        guard()
        many = batch[0].delete_many
        if many is not None:
            many([resource.id for resource in batch])
        else:
            batch[0].delete()
        with lock:
            for resource in batch:
                done += 1
                progress(f"[{done}/{total}] deleted {resource.label}")

    outcome = run_ready_queue(
        resources,
        remove,
        batch=lambda resource: (resource.batch or resource.kind) if resource.delete_many else None,
        deadline=deadline,
        on_retry=lambda resource, reason: progress(f"waiting: {resource.label}: {reason}"),
    )
    for error in outcome.failed.values():
        if not isinstance(error, Exception):
            raise error
    if outcome.failed:
        failed = {
            key: str(error) if isinstance(error, TryAgainLater) else explain(error)
            for key, error in sorted(outcome.failed.items())
            if isinstance(error, Exception)
        }
        raise ApplyError(failed, outcome.not_started, STOPPED)
