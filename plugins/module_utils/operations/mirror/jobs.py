# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on many images and files at the same time: each is done or has its reason, and the others go on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError
from ..progress import Progress

_WORKERS = 8


@dataclass(frozen=True)
class Job:
    """name: of an image or file, as its user knows it. run: returns what there is to say of it."""

    name: str
    run: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Done:
    """rows: what the jobs that went well returned, in their order. problems: the others, each with its reason."""

    rows: list[dict[str, Any]]
    problems: list[str]

    def failure(self, of: int, verb: str) -> str:
        """The error of a module whose jobs were so many; "" if all went well."""
        if not self.problems:
            return ""
        head = f"{len(self.problems)} of {of} images and files could not be {verb}; the others are, and stay when it is"
        return "\n".join([f"{head} run again:", *(f"- {problem}" for problem in self.problems)])


def run_jobs(jobs: Sequence[Job], progress: Progress, said: Callable[[dict[str, Any]], str]) -> Done:
    """Run jobs. said: the line of progress for what a job returned; "" for none."""
    lock = threading.Lock()

    def one(job: Job) -> dict[str, Any] | str:
        try:
            row = job.run()
        except (KopsError, OSError) as error:
            return f"{job.name}: {error}"
        line = said(row)
        if line:
            with lock:
                progress(line)
        return row

    with ThreadPoolExecutor(_WORKERS) as pool:
        found = list(pool.map(one, jobs))
    return Done([row for row in found if isinstance(row, dict)], [row for row in found if isinstance(row, str)])


def distinct(targets: Iterable[tuple[str, str]]) -> None:
    """Raises KopsError if two names have the same target. targets: (name, target)."""
    found: dict[str, str] = {}
    problems = [
        f"- {target}: {found[target]} and {name}" for name, target in targets if found.setdefault(target, name) != name
    ]
    if problems:
        raise KopsError("\n".join(["different images or files have the same place in the mirror:", *problems]))
