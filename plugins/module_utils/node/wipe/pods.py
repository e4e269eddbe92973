# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that still run after the kubelet has stopped: their processes (found by their cgroups) and containerd's shims.

This works without a container runtime. If containerd is not ours and still runs, the pods are deleted from it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator

from ...base.errors import KopsError
from ...base.report import Step
from ..context import Phase
from ..system.systemd import show
from .scope import Scope

NAMESPACE = "k8s.io"
TASKS = f"/run/containerd/io.containerd.runtime.v2.task/{NAMESPACE}"
_SOCKET = "/run/containerd/containerd.sock"
# Below the root of each hierarchy (cgroups v1) or of the only one (v2); by the systemd or the cgroupfs driver.
_CGROUPS = ("/sys/fs/cgroup/kubepods*", "/sys/fs/cgroup/*/kubepods*")
_SLICE = "kubepods.slice"
_CTR = ("ctr", "--connect-timeout", "1s", "--namespace", NAMESPACE)
# Seconds: for processes to end after SIGTERM, and after SIGKILL.
_GRACE, _DEADLINE, _PAUSE = 10.0, 30.0, 0.1


def plan(scope: Scope) -> Phase:
    """Plan the end of running pods."""
    if not scope.kubelet:
        return Phase()
    running = [*_members(scope), *_shims(scope)]
    names = sorted(set(_names(scope))) if running else []
    steps = [Step(f"pod:{name}", True, "running", None) for name in names]
    if running and not names:
        steps.append(Step("pods", True, f"{len(running)} processes", None))
    if _groups(scope):
        steps.append(Step("cgroup:kubepods", True, "present", None))

    def act() -> None:
        _end_members(scope)
        if not scope.containerd:
            _forget(scope)
        _end(scope, _shims, "containerd shims")
        _remove_groups(scope)

    return Phase(steps, act)


def _groups(scope: Scope) -> list[str]:
    """The topmost cgroups of pods."""
    found = [scope.path(path) for pattern in _CGROUPS for path in scope.find(pattern)]
    return [path for path in found if os.path.isdir(path)]


def _members(scope: Scope) -> list[int]:
    """The processes of all pods."""
    found: set[int] = set()
    for top in _groups(scope):
        for directory, _directories, _files in os.walk(top):
            try:
                with open(os.path.join(directory, "cgroup.procs"), encoding="ascii") as stream:
                    found.update(int(line) for line in stream.read().split())
            except OSError:  # The cgroup was removed meanwhile, or it is a threaded one.
                continue
    return sorted(found - {0})


def _shims(scope: Scope) -> list[int]:
    """The shims that containerd runs for pods."""
    found = []
    for path in scope.find("/proc/[0-9]*/cmdline"):
        words = scope.read(path).split("\0")
        options = dict(zip(words, words[1:]))
        if (
            os.path.basename(words[0]).startswith("containerd-shim")
            and options.get("-namespace") == NAMESPACE
            and options.get("-address", _SOCKET) == _SOCKET
        ):
            found.append(int(path.split("/")[-2]))
    return sorted(found)


def _names(scope: Scope) -> Iterator[str]:
    """namespace/name of the pods that have a sandbox."""
    for path in scope.find(f"{TASKS}/*/config.json"):
        try:
            annotations = json.loads(scope.read(path)).get("annotations") or {}
        except ValueError:  # The file is being written, or was removed.
            continue
        name = annotations.get("io.kubernetes.cri.sandbox-name")
        if name:
            yield f"{annotations.get('io.kubernetes.cri.sandbox-namespace', 'default')}/{name}"


def _end_members(scope: Scope) -> None:
    """Send SIGTERM, as the kubelet does; after a grace period, SIGKILL."""
    _signal(scope, _members(scope), signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while _members(scope) and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    _end(scope, _members, "processes of pods")


def _end(scope: Scope, look: Callable[[Scope], list[int]], what: str) -> None:
    deadline = time.monotonic() + _DEADLINE
    while True:
        left = look(scope)
        if not left:
            return
        if time.monotonic() >= deadline:
            raise KopsError(f"{what} do not end, even after SIGKILL: {', '.join(map(str, left))}")
        _signal(scope, left, signal.SIGKILL)
        time.sleep(_PAUSE)


def _signal(scope: Scope, processes: Iterable[int], number: int) -> None:
    for process in processes:
        scope.host.signal(process, number)


def _forget(scope: Scope) -> None:
    """Delete tasks and containers from a containerd that is not ours, if it runs."""
    for kind, options in (("tasks", ("--force",)), ("containers", ())):
        listed = scope.host.run(*_CTR, kind, "list", "--quiet", timeout=30)
        names = listed.output.split()
        if listed.code == 0 and names:
            scope.host.run(*_CTR, kind, "delete", *options, *names, timeout=120)


def _remove_groups(scope: Scope) -> None:
    if show(scope.host, [_SLICE])[_SLICE].is_running:
        scope.host.check_output("systemctl", "stop", _SLICE)
    empty = [directory for top in _groups(scope) for directory, _directories, _files in os.walk(top, topdown=False)]
    if empty:
        # Some are removed meanwhile together with their systemd unit.
        scope.host.run("rmdir", "--", *empty)
    left = _groups(scope)
    if left:
        raise KopsError(f"the cgroups of pods cannot be removed: {', '.join(left)}")
