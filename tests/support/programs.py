# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that tests run."""

from __future__ import annotations

import os
import pathlib
import subprocess


class Failed(AssertionError):
    """A program did not end well; with what it printed."""


def run(*command: str, cwd: pathlib.Path, **environment: str) -> str:
    """What a program prints. environment: what it has besides ours. Failed, with its whole output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout
