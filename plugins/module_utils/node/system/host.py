# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands, kernel and addresses of the host. Tests replace it by a fake that records calls."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...base.errors import CommandError

# SSH sessions and systemd units start with different values of PATH, often without /usr/sbin.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin"
NOT_FOUND = 127
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Documentation range (RFC 5737, RFC 3849): looking up the route to these addresses sends no packet.
_SOMEWHERE = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))


@dataclass(frozen=True)
class CommandOutcome:
    """Result of a command: exit code, standard output, standard error."""

    code: int
    output: str = ""
    errors: str = ""

    def last_output(self, lines: int = 15) -> str:
        """The last lines of standard error, or of standard output if that is empty."""
        return last_lines(self.errors.strip() or self.output.strip(), lines)


class Host:
    """The machine that the process runs on. root: of its files; below another one than "/", tests have commands."""

    def __init__(self, root: str = "/") -> None:
        self._path = PATH if root == "/" else f"{os.path.join(root, 'usr/local/bin')}:{PATH}"

    def run(self, *command: str, timeout: float = 900, environment: Mapping[str, str] | None = None) -> CommandOutcome:
        """Run a command. The exit code is 127 if it does not exist. Raises CommandError after timeout seconds.

        The command survives the death of this process: it has its own session, and writes to memory instead of a pipe
        that could break. So a package manager is never stopped half-way.
        """
        with _memory("output") as output, _memory("errors") as errors:
            try:
                process = subprocess.Popen(  # noqa: S603 - no shell; commands are those of this package
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    start_new_session=True,
                    env={**os.environ, "PATH": self._path, "LC_ALL": "C", **(environment or {})},
                )
            except FileNotFoundError:
                return CommandOutcome(NOT_FOUND, "", f"{command[0]}: command not found")
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired as error:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                said = CommandOutcome(-1, _text(output), _text(errors)).last_output()
                raise CommandError(
                    f"'{' '.join(command)}' did not end within {timeout:g} s\n{said}".rstrip()
                ) from error
            return CommandOutcome(code, _text(output), _text(errors))

    def check_output(self, *command: str, timeout: float = 900, environment: Mapping[str, str] | None = None) -> str:
        """The output of a command. Raises CommandError if it fails."""
        outcome = self.run(*command, timeout=timeout, environment=environment)
        if outcome.code != 0:
            raise failed(command, outcome)
        return outcome.output

    def signal(self, process: int, number: int) -> None:
        """Send a signal to a process, if it still exists."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)

    def hostname(self) -> str:
        """Name of the machine."""
        return socket.gethostname()

    def architecture(self) -> str:
        """The machine's architecture in Kubernetes' terms (amd64, arm64); else the kernel's name for it."""
        machine = os.uname().machine
        return _ARCHITECTURES.get(machine, machine)

    def kernel(self) -> str:
        """Release of the running kernel."""
        return os.uname().release

    def address(self) -> str:
        """The machine's address on its default route; "" without one."""
        for target, family in _SOMEWHERE:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                try:
                    probe.connect((target, 9))
                    return str(probe.getsockname()[0])
                except OSError:
                    continue
        return ""

    def interface(self, address: str) -> str:
        """The name of the network interface that has the address; "" if there is none."""
        words = self.run("ip", "-oneline", "address", "show", "to", address).output.split()
        return words[1] if len(words) > 1 else ""


def failed(command: tuple[str, ...], outcome: CommandOutcome) -> CommandError:
    """The error for a command that failed."""
    said = outcome.last_output()
    return CommandError(f"'{' '.join(command)}' ended with exit code {outcome.code}" + (f":\n{said}" if said else ""))


def last_lines(text: str, lines: int) -> str:
    """The last lines of a text."""
    return "\n".join(text.splitlines()[-lines:])


def _memory(name: str) -> Any:
    return os.fdopen(os.memfd_create(name), "w+b")


def _text(stream: Any) -> str:
    stream.seek(0)
    return str(stream.read().decode(errors="replace"))
