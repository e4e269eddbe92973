# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the real host, and what systemd prints."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import CommandError
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import systemd
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome, Host

# As systemd 252 prints it; units of all kinds, with the properties that each kind has.
SHOWN = """\
Type=notify
NRestarts=3
Result=success
LoadState=loaded
ActiveState=activating
SubState=auto-restart
UnitFileState=enabled
NeedDaemonReload=yes

Result=success
LoadState=loaded
ActiveState=active
SubState=mounted
UnitFileState=generated
NeedDaemonReload=no

LoadState=not-found
ActiveState=inactive
SubState=dead
UnitFileState=
NeedDaemonReload=no
"""


class Prints(Host):
    def __init__(self, output: str) -> None:
        self.output = output

    def run(self, *command: str, **_options: object) -> CommandOutcome:
        return CommandOutcome(0, self.output)


def test_output_errors_and_code() -> None:
    outcome = Host().run("sh", "-c", "echo out; echo err >&2; exit 3")
    assert outcome == CommandOutcome(3, "out\n", "err\n")
    assert Host().run("there-is-no-such-command").code == 127
    assert Host().check_output("printf", "text") == "text"


def test_a_failure_says_what_the_command_said() -> None:
    with pytest.raises(CommandError) as caught:
        Host().check_output("sh", "-c", "seq 100 >&2; exit 1")
    assert str(caught.value).endswith("ended with exit code 1:\n" + "\n".join(map(str, range(86, 101))))


def test_a_command_that_does_not_end() -> None:
    begin = time.monotonic()
    with pytest.raises(CommandError, match=r"(?s)'sh -c .*' did not end within 0.2 s\nwaiting"):
        Host().run("sh", "-c", "echo waiting; sleep 60; true", timeout=0.2)
    assert time.monotonic() - begin < 10


def test_a_command_outlives_a_converger_that_is_killed(tmp_path: pathlib.Path) -> None:
    started, ended = tmp_path / "started", tmp_path / "ended"
    script = f"touch {started}; for i in 1 2 3 4 5; do sleep 0.1; echo line; done; touch {ended}"
    code = (
        "from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import Host\n"
        f"Host().run('sh', '-c', {script!r})"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    wait_for(started)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not ended.exists()
    wait_for(ended)


def wait_for(path: pathlib.Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_units_as_systemd_shows_them() -> None:
    kubelet, mount, none = systemd.show(Prints(SHOWN), ["kubelet", "mount", "none"]).values()
    assert (kubelet.is_running, kubelet.is_enabled, kubelet.restarts) == (True, True, 3)
    assert (mount.is_running, mount.is_enabled, mount.can_be_enabled, mount.needs_reload) == (True, False, False, False)
    assert (none.is_running, none.can_be_enabled) == (False, True)
    assert kubelet.needs_reload


def test_an_answer_about_fewer_units_is_not_guessed_at() -> None:
    with pytest.raises(CommandError, match="systemctl shows 3 units instead of 2"):
        systemd.show(Prints(SHOWN), ["a", "b"])
