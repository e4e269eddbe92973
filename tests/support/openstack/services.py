# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of OpenStack that run on loopback, each with its log."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from types import TracebackType

from ansible_collections.kubeops.kops.tests.support.openstack import packages
from ansible_collections.kubeops.kops.tests.support.programs import Failed

_STARTED_WITHIN = 120
_ENDED_WITHIN = 10
HOST = "127.0.0.1"


class Services(contextlib.AbstractContextManager["Services"]):
    """The running ones, which end with the block. directory: for their configuration, data and logs."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory, self.root = directory, packages.root()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in self._running.values():
            each.terminate()
        for each in self._running.values():
            try:
                each.wait(_ENDED_WITHIN)
            except subprocess.TimeoutExpired:
                each.kill()
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

    def run(self, *arguments: str | pathlib.Path) -> None:
        """Run a program of Python to its end. Raises Failed, with what it printed."""
        command = [str(packages.PYTHON), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=self.directory,
            env=self._environment({}),
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
                env=self._environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

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
        raise Failed(f"{name} does not answer:\n{(self.directory / f'{name}.log').read_text()[-4000:]}")

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        libraries = [f"{self.root}/{each}/{os.uname().machine}-linux-gnu" for each in ("lib", "usr/lib")]
        return {
            "HOME": str(self.directory),
            "LD_LIBRARY_PATH": ":".join(libraries),
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "PYTHONPATH": f"{self.root}/usr/lib/python3/dist-packages",
            "no_proxy": "*",
            **more,
        }
