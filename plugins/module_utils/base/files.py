# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that users name: below the working directory, or with ~ for the home directory."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import IO, Protocol

from .errors import KopsError


class Files(Protocol):
    """Where a module's files of any size are."""

    def reading(self, path: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """The content of a file, which can be read more than once. Raises KopsError if it cannot be read."""

    def writing(self, path: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """What is written in the block becomes the content of a file that only its owner can read.

        If the block fails, the file stays as it was. Raises KopsError if it cannot be written.
        """


class LocalFiles:
    """Files of this machine."""

    @contextlib.contextmanager
    def reading(self, path: str) -> Iterator[IO[bytes]]:
        """See Files."""
        with _explained(path, "read"), open(path, "rb") as stream:
            yield stream

    @contextlib.contextmanager
    def writing(self, path: str) -> Iterator[IO[bytes]]:
        """See Files."""
        with _explained(path, "written"):
            descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    yield stream
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise


@contextlib.contextmanager
def temporary_file() -> Iterator[IO[bytes]]:
    """A file without a name, which is gone with the process that has it open. Raises KopsError if the disk is full."""
    with _explained(f"a temporary file in {tempfile.gettempdir()}", "written"), tempfile.TemporaryFile() as stream:
        yield stream


@contextlib.contextmanager
def _explained(path: str, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise KopsError(f"{path} cannot be {done}: {error.strerror}") from error


def read_text(path: str) -> str:
    """The text of a file. Raises KopsError if it cannot be read or is no text."""
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise KopsError(f"cannot read {os.path.abspath(os.path.expanduser(path))}: {reason}") from error


def text_or_file(given: str) -> str:
    """A text of several words as it is; a single word is the path of the file with the text. Raises KopsError."""
    return given if len(given.split()) > 1 else read_text(given.strip())
