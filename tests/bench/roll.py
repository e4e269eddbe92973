# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a rolling update of all instances takes in the lab's cloud, beside what cannot be avoided, and kops' waits.

All instances of three control planes and three workers are replaced with the defaults of `rolling_update`. Beside it, a
second process of validation looks at the cluster every second. So for each instance that is detached or terminated it
is known when the cluster was valid again, and how long the update has waited. The other two columns are computed from
these moments: drains, boots and nodes are the same in all of them, only the waits differ. Needs root; the lab starts
its own hosts, and the cloud must not be in use.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling import cloud as rolling
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
)
from ansible_collections.kubeops.kops.tests.bench import lab
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import account, clusters, command_line
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

# kops' defaults, in seconds: --node-interval and the others, ValidateTickDuration and ValidateSuccessDuration of
# cmd/kops/rolling-update_cluster.go. Two validations in a row must succeed.
PAUSE, TICK, SUCCESS = 15.0, 30.0, 10.0


@dataclass
class Wait:
    """After an instance was detached or terminated, in seconds: until the cluster was valid, until the update went on.

    drain: how long its pods took before.
    """

    instance: str
    why: str
    valid: float
    ours: float
    drain: float = 0.0

    @property
    def kops(self) -> float:
        """What kops would have waited: it first looks after its pause, then after each tick, and once more at last."""
        ticks = max(0, -(-(self.valid - PAUSE) // TICK))
        return PAUSE + ticks * TICK + SUCCESS


@dataclass
class Recorder:
    """Moments of a run. actions: (method of the fleet, instance or node, begin, end), in their order."""

    actions: list[tuple[str, str, float, float]] = field(default_factory=list)
    valid: list[float] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)

    def wrap(self, fleet: Any, *names: str) -> None:
        """Note the calls of these methods."""
        for name in names:
            setattr(fleet, name, self._noted(name, getattr(fleet, name)))

    def _noted(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            subject = str(getattr(arguments[0], "name", arguments[0])) if arguments else ""
            if name in ("detach", "terminate"):
                self.ended.add(subject)
            began = time.monotonic()
            try:
                return method(*arguments)
            finally:
                self.actions.append((name, subject, began, time.monotonic()))

        return noted

    @contextlib.contextmanager
    def probing(self) -> Iterator[None]:
        """Look at the cluster once a second while the block runs."""
        done = threading.Event()

        def look() -> None:
            validator = CloudValidator.open(CloudExpectation(account.STORE, clusters.NAME))
            while not done.wait(1.0):
                began = time.monotonic()
                with contextlib.suppress(KopsError):
                    failures = validator.look().failures
                    counted = {name for group in validator.groups_as_they_are for name in group.nodes}
                    if not failures and not counted & self.ended:
                        self.valid.append(began)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def waits(self) -> list[Wait]:
        """What was waited for after each instance that was detached or terminated."""
        found = []
        drains = {subject: end - began for name, subject, began, end in self.actions if name == "drain"}
        for index, (name, subject, _began, moment) in enumerate(self.actions):
            if name not in ("detach", "terminate"):
                continue
            looks = []
            for later, _subject, _start, end in self.actions[index + 1 :]:
                if later == "look":
                    looks.append(end)
                elif later != "forget":
                    break
            if not looks:
                # The next one was detached at once: there is one wait for both.
                continue
            valid = min((each for each in self.valid if each > moment), default=looks[-1])
            drain = drains.get(subject, 0.0) if name == "terminate" else 0.0
            found.append(Wait(subject, name, valid - moment, looks[-1] - moment, drain))
        return found


def table(waits: list[Wait], total: float) -> str:
    """A line for each wait, and what each rule of waits makes of the whole update."""
    lines = [f"{'':42}{'drain':>8}{'valid':>8}{'here':>8}{'kops':>8}"]
    lines += [
        f"{each.instance:28}{each.why:14}{each.drain:8.1f}{each.valid:8.1f}{each.ours:8.1f}{each.kops:8.1f}"
        for each in waits
    ]
    rest = total - sum(each.ours for each in waits)
    unavoidable = rest + sum(each.valid for each in waits)
    theirs = rest + sum(each.kops for each in waits)
    lines += [
        f"the update has taken                     {total:8.1f} s",
        f"drains, boots and first validity alone   {unavoidable:8.1f} s; it took {total / unavoidable:.2f} times that",
        f"the same with kops' pauses and intervals {theirs:8.1f} s, {theirs / total:.2f} times as long",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--control-planes", type=int, default=3)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="file for the waits, in seconds")
    options = parser.parse_args()
    if account.is_running():
        raise SystemExit("the account of `script/lab cloud up` is in use; `script/lab cloud down` removes it")
    running.prepare((lab.MINOR,), ("aws-cloud-controller-manager",))
    command_line.up()
    try:
        with tempfile.TemporaryDirectory(prefix="kops-bench-") as directory:
            site = CloudSite(pathlib.Path(directory))
            counts = {"control_plane_count": options.control_planes, "node_count": options.workers}
            site.write({"networking": "flannel", **counts})
            run = site.create(kops_validate_wait=900)
            if run.code:
                raise SystemExit(f"{run.output}\n{site.state()}")
        os.environ.update(clusters.environment())
        request = rolling.Request(account.STORE, clusters.NAME, force=True)
        update = rolling.plan_update(request, lambda line: print(line, flush=True))
        recorder = Recorder()
        recorder.wrap(update.engine.fleet, "detach", "terminate", "drain", "cordon", "forget", "look")
        print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
        started = time.monotonic()
        with recorder.probing():
            problems = update.engine.run()
        total = time.monotonic() - started
        if problems:
            raise SystemExit("\n".join(problems))
        waits = recorder.waits()
    finally:
        command_line.down()
    print(table(waits, total))
    if options.json:
        options.json.write_text(json.dumps({"seconds": total, "waits": [asdict(each) for each in waits]}, indent=1))


if __name__ == "__main__":
    main()
