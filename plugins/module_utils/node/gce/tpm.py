# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A TPM 2.0: the few commands by which an instance signs with a key of its virtual TPM.

Names, numbers and structures are those of the TCG's "Trusted Platform Module Library", parts 2 and 3. All passwords are
empty, as Google provisions its virtual TPMs.
"""

from __future__ import annotations

import os
import struct
import time
from types import TracebackType
from typing import Protocol

from ...base.errors import KopsError

# The first one lets several programs use the TPM at once.
DEVICES = ("/dev/tpmrm0", "/dev/tpm0")
OWNER, ENDORSEMENT = 0x40000001, 0x4000000B
SHA256, NULL = 0x000B, 0x0010
# Of data that the TPM is given, or gives, at once: every TPM has room for it.
LARGEST_DATA, _LARGEST_PIECE = 1024, 512

_PLAIN, _WITH_SESSIONS = 0x8001, 0x8002
_CREATE_PRIMARY, _NV_READ, _SIGN = 0x131, 0x14E, 0x15D
_FLUSH_CONTEXT, _NV_READ_PUBLIC, _HASH = 0x165, 0x169, 0x17D
# Handle of the session that is a password, its nonce, attributes and password, after the length of all of these.
_EMPTY_PASSWORD = struct.pack(">IIHBH", 9, 0x40000009, 0, 1, 0)
_HEADER = struct.Struct(">HII")
_LARGEST_ANSWER = 4096
# The TPM is yielded, tests itself, or asks to send the command again.
_BUSY = (0x908, 0x90A, 0x922)
_ATTEMPTS, _PAUSE = 10, 0.1


class TPMError(KopsError):
    """A command that the TPM refused, or an answer that cannot be read. code: the TPM's, 0 for none."""

    def __init__(self, what: str, code: int = 0) -> None:
        self.code = code
        super().__init__(f"TPM: {what} ended with code {code:#x}" if code else f"TPM: {what}")


class Channel(Protocol):
    """What carries commands to a TPM."""

    def exchange(self, command: bytes) -> bytes:
        """The answer to a command. Raises OSError."""

    def close(self) -> None:
        """Let others use the TPM."""


class Device:
    """A TPM's device file: the kernel takes one whole command with each write, and gives the answer to a read."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def exchange(self, command: bytes) -> bytes:
        """See Channel."""
        os.write(self._descriptor, command)
        return os.read(self._descriptor, _LARGEST_ANSWER)

    def close(self) -> None:
        """See Channel."""
        os.close(self._descriptor)


def open_device(root: str = "/") -> Device:
    """The device of this machine. root: of its files. Raises KopsError without one, OSError."""
    for path in DEVICES:
        here = os.path.join(root, path.lstrip("/"))
        if os.path.exists(here):
            return Device(here)
    raise KopsError(
        f"this instance has no TPM ({' or '.join(DEVICES)}), by which it could prove who it is; start it from an image "
        "that supports Shielded VM, with the virtual TPM enabled"
    )


class Reader:
    """Numbers and sized buffers of an answer, one after the other. Raises TPMError where it ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, size: int) -> bytes:
        """So many bytes."""
        end = self._at + size
        if end > len(self._data):
            raise TPMError("an answer ends in the middle")
        taken, self._at = self._data[self._at : end], end
        return taken

    def number(self, size: int) -> int:
        """A number of so many bytes."""
        return int.from_bytes(self.take(size), "big")

    def sized(self) -> bytes:
        """A buffer after its size (TPM2B)."""
        return self.take(self.number(2))

    @property
    def taken(self) -> bytes:
        """All that was taken so far."""
        return self._data[: self._at]

    @property
    def rest(self) -> bytes:
        """All that was not."""
        return self._data[self._at :]


def sized(content: bytes) -> bytes:
    """A buffer after its size (TPM2B)."""
    return struct.pack(">H", len(content)) + content


class TPM:
    """Commands. Raises TPMError, OSError. Used in a with statement, it closes its channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def __enter__(self) -> TPM:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    def stored(self, index: int) -> bytes:
        """What the TPM keeps under an index of its memory, which the owner may read (NV_ReadPublic, NV_Read)."""
        public = Reader(self._run("NV_ReadPublic", _NV_READ_PUBLIC, struct.pack(">I", index)).sized())
        # Index, algorithm of its name, attributes; then its policy, and how much it holds.
        public.take(10)
        public.sized()
        left, found = public.number(2), b""
        while left:
            piece = struct.pack(">HH", min(left, _LARGEST_PIECE), len(found))
            read = self._authorized("NV_Read", _NV_READ, struct.pack(">II", OWNER, index), piece).sized()
            if not read:
                raise TPMError(f"index {index:#x} holds less than it says")
            found, left = found + read, left - len(read)
        return found

    def create_primary(self, hierarchy: int, template: bytes) -> tuple[int, bytes]:
        """The key that follows from a hierarchy's seed and a template, which is always the same (CreatePrimary).

        Returns its handle, which has to be given back (flush), and its public part.
        """
        # Neither password nor data of its own; nothing from outside, and no state of the machine.
        parameters = sized(sized(b"") + sized(b"")) + sized(template) + sized(b"") + struct.pack(">I", 0)
        answer = self._command("CreatePrimary", _CREATE_PRIMARY, struct.pack(">I", hierarchy), parameters)
        handle = answer.number(4)
        answer.take(4)
        return handle, answer.sized()

    def hashed(self, data: bytes) -> tuple[bytes, bytes]:
        """The SHA-256 of data, and a ticket: the TPM has seen that the data is no statement of its own (Hash)."""
        parameters = sized(data) + struct.pack(">HI", SHA256, OWNER)
        answer = self._run("Hash", _HASH, b"", parameters)
        return answer.sized(), answer.rest

    def sign(self, key: int, digest: bytes, ticket: bytes) -> tuple[int, int, bytes]:
        """Algorithm, hash and signature, as the key's own scheme is (Sign)."""
        parameters = sized(digest) + struct.pack(">H", NULL) + ticket
        answer = self._authorized("Sign", _SIGN, struct.pack(">I", key), parameters)
        return answer.number(2), answer.number(2), answer.sized()

    def flush(self, handle: int) -> None:
        """Forget a loaded key (FlushContext)."""
        self._run("FlushContext", _FLUSH_CONTEXT, struct.pack(">I", handle))

    def _authorized(self, name: str, code: int, handles: bytes, parameters: bytes) -> Reader:
        answer = self._command(name, code, handles, parameters)
        # The length of what follows, before the sessions.
        answer.take(4)
        return answer

    def _command(self, name: str, code: int, handles: bytes, parameters: bytes) -> Reader:
        return self._send(name, _WITH_SESSIONS, code, handles + _EMPTY_PASSWORD + parameters)

    def _run(self, name: str, code: int, handles: bytes, parameters: bytes = b"") -> Reader:
        return self._send(name, _PLAIN, code, handles + parameters)

    def _send(self, name: str, tag: int, code: int, content: bytes) -> Reader:
        command = _HEADER.pack(tag, _HEADER.size + len(content), code) + content
        result = 0
        for _attempt in range(_ATTEMPTS):
            answer = self._channel.exchange(command)
            if len(answer) < _HEADER.size:
                raise TPMError(f"no answer to {name}")
            _tag, size, result = _HEADER.unpack_from(answer)
            if result == 0 and size == len(answer):
                return Reader(answer[_HEADER.size :])
            if result not in _BUSY:
                break
            time.sleep(_PAUSE)
        raise TPMError(name if result else f"the answer to {name} has another size than it says", result)
