# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills the converger with SIGKILL, again and again, and says what became of the node.

Usage: kill_driver.py SCRATCH POINTS SECRETS CONFIG [EARLIER-CONFIG]. Prints JSON: the number of events, and for each
point what differs afterwards from a run that nobody killed.

Every change that Python makes to the system announces itself (sys.addaudithook), and so do the fake host's commands by
the files that they write. The driver counts these events in one whole run, spreads the points evenly over them, and for
each point starts a process that kills itself at that event, on a fresh machine or on one that was converged to the
earlier config. Then it runs the converger once more.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.apply import checks
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import Options, converge
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.fetch import RetryPolicy
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import FAST
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost

WRITES = ("os.rename", "os.mkdir", "os.symlink", "os.remove", "os.rmdir", "os.chmod", "os.chown", "os.truncate")


class Killer:
    """Counts events; at the one with the fatal number the process dies."""

    def __init__(self) -> None:
        self.count = 0
        self.fatal = 0
        self.lock = threading.Lock()
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: Any) -> None:
        if event == "open":
            path, _mode, flags = arguments
            if not isinstance(path, (str, bytes)) or not flags & (os.O_WRONLY | os.O_RDWR):
                return
        elif event not in WRITES:
            return
        with self.lock:
            self.count += 1
            if self.count == self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)


class Driver:
    """Machines below a directory, and what is done to them."""

    def __init__(self, scratch: pathlib.Path, config: Any, earlier: Any, secrets: Any) -> None:
        self.scratch, self.config, self.secrets = scratch, config, secrets
        self.killer = Killer()
        self.prepared = FakeHost.make(scratch / "prepared")
        if earlier:
            assert in_child(lambda: self.converge(self.prepared, earlier)) == 0

    def machine(self) -> FakeHost:
        """The machine before the run, each time the same."""
        root = self.scratch / "node"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.prepared.root, root, symlinks=True)
        host = FakeHost(root)
        host.file.unlink(missing_ok=True)
        if self.prepared.file.exists():
            shutil.copy(self.prepared.file, host.file)
        return host

    def converge(self, host: FakeHost, config: Any) -> None:
        options = Options(root=str(host.root), host=host, retry=RetryPolicy(**FAST))
        converge(config, self.secrets, {}, options)

    def run(self, host: FakeHost, *, fatal: int = 0, counted: pathlib.Path | None = None) -> int:
        """A run of the converger in a process of its own; its exit code, negative for a signal."""

        def work() -> None:
            self.killer.count, self.killer.fatal = 0, fatal
            self.converge(host, self.config)
            if counted:
                counted.write_text(str(self.killer.count))

        return in_child(work)


def in_child(work: Callable[[], None]) -> int:
    child = os.fork()
    if not child:
        code = 70
        try:
            work()
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def outcome(host: FakeHost) -> dict[str, Any]:
    """What a run leaves behind, without what may differ between equal runs: times, inodes, the history of calls."""
    tree: dict[str, Any] = {}
    for path in sorted(host.root.rglob("*")):
        name = path.relative_to(host.root).as_posix()
        mode = oct(path.lstat().st_mode)
        if path.is_symlink():
            tree[name] = str(path.readlink())
        elif path.is_dir():
            tree[name] = mode
        elif name == "var/lib/kops/state.json":
            record = json.loads(path.read_text())
            for download in record["downloads"].values():
                for file in download["files"].values():
                    file["seen"] = bool(file["seen"])
            tree[name] = json.dumps(record, sort_keys=True)
        elif name != "run/kops/converge.lock":
            tree[name] = f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    state = host.state
    for name, unit in state["units"].items():
        tree[f"unit {name}"] = [unit.get(key) for key in ("active", "enabled", "loaded")]
        # Whether the running kubelet has read the configuration as it is now.
        tree[f"unit {name} is up to date"] = unit.get("ran_with") == host.inputs() or name != "kubelet.service"
    return {**tree, "packages": state["packages"], "images": state["images"]}


def difference(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    return [key for key in {**expected, **found} if expected.get(key) != found.get(key)]


def main() -> None:
    scratch, points = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    secrets, config, *earlier = (json.loads(pathlib.Path(name).read_text()) for name in sys.argv[3:])
    checks._STEADY = 0.0
    driver = Driver(scratch, config, earlier[0] if earlier else None, secrets)
    whole, counted = driver.machine(), scratch / "events"
    assert driver.run(whole, counted=counted) == 0
    events, expected = int(counted.read_text()), outcome(whole)
    results = []
    for index in range(points):
        fatal = 1 + index * (events - 1) // (points - 1)
        host = driver.machine()
        died, again = driver.run(host, fatal=fatal), driver.run(host)
        differs = difference(expected, outcome(host))
        results.append({"event": fatal, "died": died, "again": again, "differs": differs})
    # A node without luck: every run is killed a little later than the one before.
    host, step, runs = driver.machine(), max(1, events // points), 1
    while driver.run(host, fatal=step * runs) != 0:
        runs += 1
    unlucky = {"runs": runs, "differs": difference(expected, outcome(host))}
    sys.stdout.write(json.dumps({"events": events, "points": results, "unlucky": unlucky}))


if __name__ == "__main__":
    main()
