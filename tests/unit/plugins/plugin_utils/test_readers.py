# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of output that nobody reads any more."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from typing import TextIO

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.readers import outlive


def _line_by_line(descriptor: int) -> TextIO:
    return os.fdopen(descriptor, "w", buffering=1, encoding="utf-8")


def test_a_reader_that_is_gone_is_said_once_and_is_no_error() -> None:
    reader, writer = os.pipe()
    lost: list[OSError] = []
    with _line_by_line(writer) as stream:
        outlive(stream, lost.append)
        stream.write("a\n")
        assert os.read(reader, 10) == b"a\n"
        os.close(reader)
        for _line in range(3):
            stream.write("b\n" * 10_000)
    assert [error.errno for error in lost] == [errno.EPIPE]


def test_so_is_a_disk_that_is_full() -> None:
    lost: list[OSError] = []
    with open("/dev/full", "w", encoding="utf-8") as stream:
        outlive(stream, lost.append)
        stream.write("a")
        # As at the end of a process.
        stream.flush()
    assert [error.errno for error in lost] == [errno.ENOSPC]


def test_a_terminal_that_is_closed() -> None:
    ours, theirs = os.openpty()
    lost: list[OSError] = []
    with _line_by_line(theirs) as stream:
        outlive(stream, lost.append)
        os.close(ours)
        stream.write("a\n")
    assert [error.errno for error in lost] == [errno.EIO]


@pytest.mark.parametrize("size", [10, 200_000])
def test_a_pipe_that_another_program_has_made_nonblocking_gets_everything(size: int) -> None:
    """Ansible's thread would end by that error, too."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    lost: list[OSError] = []
    received = bytearray()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with _line_by_line(writer) as stream:
            outlive(stream, lost.append)
            stream.write("x" * size + "\n")
            stream.write("end\n")
        os._exit(len(lost))
    os.close(writer)
    while chunk := os.read(reader, 65536):
        received += chunk
    os.close(reader)
    assert os.waitpid(child, 0)[1] == 0
    assert received == b"x" * size + b"\nend\n"


def test_a_stream_that_was_closed_before_the_run_is_no_error() -> None:
    """Ansible would write to None: its thread for what tasks show ends by that, and the run waits for it for ever."""
    module = "ansible_collections.kubeops.kops.plugins.action.validate_variables"
    program = f"import sys, {module}; print('a'); sys.stdout.flush(); sys.exit(sys.stdout.isatty())"
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-c", program], stderr=subprocess.PIPE, check=False
    )
    # What Ansible itself has to say before.
    told = [line for line in done.stderr.decode().splitlines() if "failed to" not in line]
    assert (done.returncode, told) == (0, [])
