# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of the lab on this machine: started once, found again by later runs, and stopped by their process id."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping

from ansible_collections.kubeops.kops.tests.lab import cache


def start(
    name: str,
    command: list[str],
    answers: Callable[[], bool],
    *,
    content: str = "",
    environment: Mapping[str, str] | None = None,
) -> None:
    """Start a server, unless it runs, and wait until it answers.

    content: identifies what it serves; one that runs with another content is started again.
    Raises RuntimeError if it ends, or does not answer within 20 seconds.
    """
    state, log_file = _state(name), log(name)
    if answers() and is_running(name) and (not content or content in state.read_text()):
        return
    stop(name)
    with log_file.open("ab") as stream:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
    state.write_text(f"{process.pid} {content}\n")
    deadline = time.monotonic() + 20
    while not answers():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the lab's {name} server does not answer; see {log_file}")
        time.sleep(0.05)


def is_running(name: str) -> bool:
    """Whether a server that was started here still runs."""
    return _process(name) != 0


def tell(name: str, number: int = signal.SIGHUP) -> None:
    """Send a server a signal; nothing if it does not run."""
    process = _process(name)
    if process:
        os.kill(process, number)


def stop(name: str) -> None:
    """Stop a server, and wait until it is gone; nothing if it does not run."""
    process = _process(name)
    _state(name).unlink(missing_ok=True)
    if not process:
        return
    os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + 10
    while _exists(process):
        if time.monotonic() > deadline:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def content(name: str) -> str:
    """What a server was started with. Raises FileNotFoundError when it was not."""
    return _state(name).read_text().split(maxsplit=1)[1].strip()


def log(name: str) -> pathlib.Path:
    """The file with what a server says."""
    return cache.directory() / f"{name}.log"


def has_page(url: str) -> bool:
    """Whether a URL can be read."""
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except OSError:
        return False


def _state(name: str) -> pathlib.Path:
    return cache.directory() / f"{name}.pid"


def _process(name: str) -> int:
    """The process id of a server; 0 if it has ended, also if another program has the id by now."""
    state = _state(name)
    try:
        process, written = int(state.read_text().split()[0]), state.stat().st_mtime
    except (OSError, ValueError, IndexError):
        return 0
    return process if _exists(process) and _started(process) < written + 1 else 0


def _exists(process: int) -> bool:
    """Whether a process runs; one of which only the exit code is left does not."""
    try:
        return _fields(process)[0] != "Z"
    except OSError:
        return False


def _started(process: int) -> float:
    """When a process began, in seconds since 1970. Raises OSError if there is none."""
    with open("/proc/uptime", encoding="ascii") as stream:
        uptime = float(stream.read().split()[0])
    return time.time() - uptime + int(_fields(process)[19]) / os.sysconf("SC_CLK_TCK")


def _fields(process: int) -> list[str]:
    """What /proc says of a process after its name."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
