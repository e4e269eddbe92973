# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running commands of the lab: their output belongs to the error when they fail."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

# Options of podman: the machine gives its containers no right to raise limits, and podman's own would be higher.
PODMAN_LIMITS = ("--ulimit", "nproc=30000:30000", "--ulimit", "nofile=20000:20000")


def run(
    *command: str, stdin: str | None = None, check: bool = True, environment: Mapping[str, str] | None = None
) -> str:
    """The command's standard output. Raises RuntimeError with all that it said when it fails and check is set."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, env=environment)
    if check and done.returncode:
        said = "\n".join(filter(None, (done.stdout.strip(), done.stderr.strip())))
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{said}")
    return done.stdout
