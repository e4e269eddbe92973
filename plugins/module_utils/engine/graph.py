# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of tasks: which waits for which, and a ready queue that starts each the moment it can."""

from __future__ import annotations

import graphlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from ..base.errors import KopsError
from .task import TryAgainLater

# Calls wait for the cloud, not for a processor: more threads than cores, bounded by what an API tolerates.
WORKERS = 16
# kops' limit for one task, counted from the moment that it could start (seconds).
TASK_DEADLINE = 600.0
# The longest is a multiple of the others, so that those who wait can look together.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0


class Node(Protocol):
    """What can be ordered: a task, or a resource that is deleted."""

    @property
    def key(self) -> str:
        """Unique in the graph."""

    def dependencies(self) -> Iterable[Any]:
        """The nodes that must be done before this one."""


AnyNode = TypeVar("AnyNode", bound=Node)


@dataclass
class Outcome(Generic[AnyNode]):
    """What became of every task: done in order of completion, failed with the reason, and never started."""

    done: list[AnyNode] = field(default_factory=list)
    failed: dict[str, BaseException] = field(default_factory=dict)
    not_started: list[str] = field(default_factory=list)


@dataclass
class _Job(Generic[AnyNode]):
    tasks: tuple[AnyNode, ...]
    first_ready: float
    pause: float
    not_before: float = 0.0
    told: str = ""


def dependency_graph(tasks: Mapping[str, AnyNode]) -> dict[str, set[str]]:
    """Task key -> keys of the tasks before it. Raises KopsError when a task refers to one that is not there."""
    graph: dict[str, set[str]] = {}
    for task in tasks.values():
        graph[task.key] = {other.key for other in task.dependencies()}
        missing = sorted(graph[task.key] - tasks.keys())
        if missing:
            raise KopsError(f"{task.key} refers to {', '.join(missing)}, which the model does not contain")
    return graph


def run_ready_queue(
    tasks: Mapping[str, AnyNode],
    work: Callable[[Sequence[AnyNode]], None],
    *,
    batch: Callable[[AnyNode], str | None] = lambda task: None,
    workers: int = WORKERS,
    deadline: float = TASK_DEADLINE,
    on_retry: Callable[[AnyNode, str], None] = lambda task, reason: None,
) -> Outcome[AnyNode]:
    """Call work([task]) for every task as soon as the tasks that it depends on are done.

    batch: ready tasks with the same non-None key are handed to work together.
    TryAgainLater puts the tasks back with a growing pause until deadline seconds after they were first ready; on_retry
    gets the reason, once as long as it stays the same.
    Any other exception stops new starts; what runs is waited for. Nothing is raised: see the Outcome.
    Raises KopsError when tasks wait for each other in a circle.
    """
    sorter = graphlib.TopologicalSorter(dependency_graph(tasks))
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        raise KopsError(f"these tasks wait for each other: {' -> '.join(error.args[1])}") from error
    outcome: Outcome[AnyNode] = Outcome()
    waiting: list[_Job[AnyNode]] = []
    running: dict[Future[None], _Job[AnyNode]] = {}
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="task") as pool:
        while sorter.is_active():
            if not outcome.failed:
                waiting += _jobs((tasks[key] for key in sorter.get_ready()), batch)
                waiting = _start_due(waiting, running, pool, work)
            if not running:
                if outcome.failed:
                    break
                time.sleep(max(0.0, min(job.not_before for job in waiting) - time.monotonic()))
                continue
            pause = None
            if waiting and not outcome.failed:
                pause = max(0.0, min(job.not_before for job in waiting) - time.monotonic())
            finished, _unfinished = wait(running, timeout=pause, return_when=FIRST_COMPLETED)
            for future in finished:
                job = running.pop(future)
                failure = future.exception()
                if failure is None:
                    outcome.done += job.tasks
                    sorter.done(*(task.key for task in job.tasks))
                elif isinstance(failure, TryAgainLater) and time.monotonic() < job.first_ready + deadline:
                    job.not_before = _moment_after(job.pause)
                    job.pause = min(job.pause * 2, LONGEST_PAUSE)
                    waiting.append(job)
                    if job.told != str(failure):
                        job.told = str(failure)
                        on_retry(job.tasks[0], job.told)
                else:
                    outcome.failed.update({task.key: failure for task in job.tasks})
    known = {task.key for task in outcome.done} | outcome.failed.keys()
    outcome.not_started = [key for key in tasks if key not in known]
    return outcome


def _jobs(ready: Iterable[AnyNode], batch: Callable[[AnyNode], str | None]) -> list[_Job[AnyNode]]:
    now = time.monotonic()
    single: list[tuple[AnyNode, ...]] = []
    batches: dict[str, list[AnyNode]] = {}
    for task in ready:
        key = batch(task)
        if key is None:
            single.append((task,))
        else:
            batches.setdefault(key, []).append(task)
    return [_Job(tasks=group, first_ready=now, pause=FIRST_PAUSE) for group in (*single, *map(tuple, batches.values()))]


def _moment_after(pause: float) -> float:
    """When to go on after a pause, more or less: jobs go on at the same moments, and share what they read then."""
    return math.ceil((time.monotonic() + pause / 2) / pause) * pause


def _start_due(
    waiting: list[_Job[AnyNode]],
    running: dict[Future[None], _Job[AnyNode]],
    pool: ThreadPoolExecutor,
    work: Callable[[Sequence[AnyNode]], None],
) -> list[_Job[AnyNode]]:
    now = time.monotonic()
    for job in waiting:
        if job.not_before <= now:
            running[pool.submit(work, job.tasks)] = job
    return [job for job in waiting if job.not_before > now]
