# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real OpenSSH server on loopback, which stands for a server of a cloud: what it keeps is in a directory of its own.

Commands are carried out by the system's shell, with the server's files for those of the system.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.over_ssh import Access
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    CREDENTIALS_FILE,
    PROOF_FILE,
    proof_of,
)

PROGRAM = "/usr/sbin/sshd"
needed = pytest.mark.skipif(
    not os.path.exists(PROGRAM) or not shutil.which("ssh"), reason="needs openssh-server (Debian's package)"
)
_STARTED_WITHIN = 20
_SETTINGS = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {directory}/host
AuthorizedKeysFile {directory}/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
ForceCommand {directory}/command
"""
# What is asked for is written down. "before" is a script that the test gives.
_COMMAND = """\
#!/bin/sh
printf '%s\\n' "$SSH_ORIGINAL_COMMAND" >> {directory}/asked
asked=$(printf '%s' "$SSH_ORIGINAL_COMMAND" | sed 's#{etc}#{directory}{etc}#g; s#{proof}#{directory}{proof}#g')
PATH={directory}/bin:$PATH
export PATH
case $SSH_ORIGINAL_COMMAND in *{name}*) [ ! -e {directory}/before ] || . {directory}/before;; esac
exec sh -c "$asked"
"""


class SSHServer:
    """One that is running. key: of a user who may log in."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        self.port = _free_port()
        self.credentials = pathlib.Path(f"{directory}{CREDENTIALS_FILE}")
        self.key = directory / "user"
        for name in ("host", "user"):
            _made_key(directory / name)
        self.host_key = " ".join((directory / "host.pub").read_text().split()[:2])
        (directory / "authorized_keys").write_text((directory / "user.pub").read_text())
        (directory / "etc").mkdir()
        (directory / "run").mkdir()
        (directory / "bin").mkdir()
        (directory / "settings").write_text(_SETTINGS.format(port=self.port, directory=directory))
        name = os.path.basename(CREDENTIALS_FILE)
        etc = os.path.dirname(CREDENTIALS_FILE)
        script = _COMMAND.format(directory=directory, etc=etc, proof=PROOF_FILE, name=name)
        self.program("command", script, below="")

    @property
    def access(self) -> Access:
        """Of the user who may log in."""
        return Access(user=getpass.getuser(), key_file=str(self.key), port=str(self.port))

    @property
    def asked(self) -> str:
        """All commands so far."""
        file = self.directory / "asked"
        return file.read_text() if file.exists() else ""

    def prove(self, nonce: bytes, host_key: str = "") -> None:
        """Say the proof, as the program of a node does. host_key: of another server."""
        pathlib.Path(f"{self.directory}{PROOF_FILE}").write_text(proof_of(nonce, host_key or self.host_key))

    def before_writing(self, script: str) -> None:
        """What the server does before it takes credentials. Its directory is the variable "directory"."""
        (self.directory / "before").write_text(f"directory={self.directory}\n{script}\n")

    def program(self, name: str, script: str, below: str = "bin") -> pathlib.Path:
        """A program of the server in place of the system's."""
        file = self.directory / below / name
        file.write_text(script)
        file.chmod(0o755)
        return file


@contextlib.contextmanager
def running(directory: pathlib.Path) -> Iterator[SSHServer]:
    """A server, whose files are in this empty directory."""
    server = SSHServer(directory)
    if os.getuid() == 0:
        # Where Debian's sshd gives up its rights; the package's unit makes it.
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    with open(directory / "log", "wb") as log:
        process = subprocess.Popen([PROGRAM, "-D", "-e", "-f", str(directory / "settings")], stderr=log)
    try:
        _wait_for(server.port, process, directory / "log")
        yield server
    finally:
        process.terminate()
        process.wait()


def _made_key(file: pathlib.Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)], check=True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes], log: pathlib.Path) -> None:
    end = time.monotonic() + _STARTED_WITHIN
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"sshd has not started: {log.read_text()}")
