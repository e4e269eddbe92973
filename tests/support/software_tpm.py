# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TPMs of software (swtpm), each with an attestation key as Google provisions its virtual TPMs."""

from __future__ import annotations

import contextlib
import pathlib
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import tpm as tpm_commands
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.attestation_key import (
    TEMPLATE_INDEX,
    AttestationKey,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.tpm import TPM

_PROGRAMS = ("swtpm", "tpm2_nvdefine", "tpm2_nvwrite")
_STARTED_WITHIN = 10
# fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, restricted, sign.
ATTRIBUTES = 0x00050072
_RSA, _RSASSA = 0x0001, 0x0014

needed = pytest.mark.skipif(
    not all(map(shutil.which, _PROGRAMS)), reason="needs swtpm and tpm2-tools (Debian's packages of these names)"
)


def template(unique: bytes = bytes(256), attributes: int = ATTRIBUTES) -> bytes:
    """The template of an attestation key (TPMT_PUBLIC). unique: makes another key of it."""
    head = struct.pack(">HHIH", _RSA, tpm_commands.SHA256, attributes, 0)
    key = struct.pack(">HHHHI", tpm_commands.NULL, _RSASSA, tpm_commands.SHA256, 2048, 0)
    return head + key + tpm_commands.sized(unique)


class Connection:
    """A channel to a running swtpm."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 10)

    def exchange(self, command: bytes) -> bytes:
        self._socket.sendall(command)
        answer = self._take(10)
        return answer + self._take(struct.unpack(">I", answer[2:6])[0] - len(answer))

    def close(self) -> None:
        self._socket.close()

    def _take(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            piece = self._socket.recv(size - len(found))
            if not piece:
                raise OSError("swtpm has closed the connection")
            found += piece
        return found


class SoftwareTPM:
    """A running TPM. public_key: of its attestation key, PEM."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.public_key = ""

    def connect(self) -> TPM:
        """A new connection; swtpm takes one after the other."""
        return TPM(Connection(self.port))

    def sign(self, data: bytes) -> bytes:
        """The signature of its attestation key."""
        with self.connect() as tpm, AttestationKey(tpm) as key:
            return key.sign(data)

    def tool(self, *command: str) -> bytes:
        """What a program of tpm2-tools prints."""
        done = subprocess.run(
            [*command, "-T", f"swtpm:host=127.0.0.1,port={self.port}"], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


@contextlib.contextmanager
def running(directory: pathlib.Path, stored: bytes | None = None) -> Iterator[SoftwareTPM]:
    """A TPM whose seeds are its own. stored: what it has as template; b"" for nothing."""
    directory.mkdir(parents=True)
    port = _free_ports()
    command = ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={directory}", "--flags", "not-need-init,startup-clear"]
    command += ["--server", f"type=tcp,port={port}", "--ctrl", f"type=tcp,port={port + 1}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    made = SoftwareTPM(port)
    try:
        _await(process, port + 1)
        content = template() if stored is None else stored
        if content:
            path = directory / "template"
            path.write_bytes(content)
            index = f"{TEMPLATE_INDEX:#x}"
            attributes = "ownerread|ownerwrite|authread|authwrite|no_da"
            made.tool("tpm2_nvdefine", index, "-C", "o", "-s", str(len(content)), "-a", attributes)
            made.tool("tpm2_nvwrite", index, "-C", "o", "-i", str(path))
        if stored is None:
            with made.connect() as tpm, AttestationKey(tpm) as key:
                made.public_key = key.public_key
        yield made
    finally:
        process.terminate()
        process.communicate(timeout=10)


def _free_ports() -> int:
    """The first of two ports that are free: swtpm wants one for commands, and one for its own control."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _STARTED_WITHIN
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"swtpm has not started: {process.communicate()[0].decode()}")
