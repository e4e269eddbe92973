# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of OpenStack that run on loopback, each with its log."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from types import TracebackType

from ansible_collections.kubeops.kops.tests.support.openstack import packages
from ansible_collections.kubeops.kops.tests.support.programs import Failed

_STARTED_WITHIN = 600
_ENDED_WITHIN = 10
LOOPBACK = "127.0.0.1"
# The address of all services that users ask.
HOST = os.environ.get("KUBEOPS_OPENSTACK_HOST", LOOPBACK)
# What stands for networks, disks and load balancers that this machine does not have.
DRIVERS = pathlib.Path(__file__).parent / "drivers"


class Services(contextlib.AbstractContextManager["Services"]):
    """The running ones, which end with the block. directory: for their configuration, data and logs.

    names: of the packages in which they are.
    """

    def __init__(self, directory: pathlib.Path, names: tuple[str, ...]) -> None:
        self.directory, self.root = directory, packages.root(names)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in self._running.values():
            _signal(each, signal.SIGTERM)
        deadline = time.monotonic() + _ENDED_WITHIN
        for each in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait(max(deadline - time.monotonic(), 0))
            # Some have started others, which do not end with them.
            _signal(each, signal.SIGKILL)
            each.wait()

    @property
    def programs(self) -> pathlib.Path:
        """Where the programs are."""
        return self.root / "usr/bin"

    def write(self, name: str, sections: Mapping[str, Mapping[str, object]]) -> pathlib.Path:
        """A file of configuration."""
        file = self.directory / name
        parts = [
            "\n".join([f"[{title}]", *(f"{key} = {value}" for key, value in each.items()), ""])
            for title, each in sections.items()
        ]
        file.write_text("\n".join(parts))
        return file

    def run(self, *arguments: str | pathlib.Path, shell: bool = False) -> None:
        """Run a program of Python, or of the shell, to its end. Raises Failed, with what it printed."""
        command = ["/bin/sh" if shell else str(packages.PYTHON), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=self.directory,
            env=self.environment({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")

    def start(self, name: str, *command: str | pathlib.Path, **environment: str) -> None:
        """Start a program. name: of its log."""
        with (self.directory / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [*map(str, command)],
                cwd=self.directory,
                env=self.environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def start_python(self, name: str, *arguments: str | pathlib.Path, program: str = "") -> None:
        """Start a service that is a program of Python. program: if its name is not the log's."""
        self.start(name, packages.PYTHON, self.programs / (program or name), *arguments)

    def start_wsgi(
        self, name: str, port: int, program: str, *arguments: str, threads: int = 6, **environment: str
    ) -> None:
        """Start a service that is an application for web servers. program: the file that has it."""
        self.start(
            name,
            self.programs / "uwsgi-core",
            *("--plugin-dir", self.root / "usr/lib/uwsgi/plugins", "--plugin", "python311"),
            *("--http-socket", f"{HOST}:{port}", "--wsgi-file", self.programs / program),
            *("--processes", "1", "--threads", str(threads), "--enable-threads", "--single-interpreter", "--need-app"),
            *("--buffer-size", "65535", "--disable-logging", "--die-on-term"),
            # Its connections do not live long enough for clients that keep them.
            *("--add-header", "Connection: close"),
            *(("--pyargv", " ".join(arguments)) if arguments else ()),
            **environment,
        )

    def wait_for_port(self, name: str, port: int) -> None:
        """Wait until a program listens for others of these. Raises Failed, with the end of its log."""
        deadline = time.monotonic() + _STARTED_WITHIN
        while time.monotonic() < deadline and self._running[name].poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), 1):
                return
            time.sleep(0.1)
        raise self._failed(name)

    def wait_for(self, name: str, url: str) -> None:
        """Wait until a program answers. Raises Failed, with the end of its log."""
        deadline = time.monotonic() + _STARTED_WITHIN
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        while time.monotonic() < deadline and self._running[name].poll() is None:
            try:
                with opener.open(url, timeout=5):
                    return
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise self._failed(name)

    def _failed(self, name: str) -> Failed:
        log = (self.directory / f"{name}.log").read_text()
        return Failed(f"{name} does not answer:\n{log[-4000:]}")

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """In which programs run."""
        libraries = [f"{self.root}/{each}/{os.uname().machine}-linux-gnu" for each in ("lib", "usr/lib")]
        return {
            "HOME": str(self.directory),
            "LD_LIBRARY_PATH": ":".join(libraries),
            "PATH": f"{self.programs}:{self.root}/usr/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": f"{DRIVERS}:{self.root}/usr/lib/python3/dist-packages",
            "no_proxy": "*",
            **{name: value for name, value in os.environ.items() if name == "KUBEOPS_CONSOLES"},
            **more,
        }


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
