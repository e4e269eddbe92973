# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module whose reader is gone ends, and only then."""

from __future__ import annotations

import subprocess
import sys
import time

MODULE = """
import time
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.reader import ends_with_reader
print("started", flush=True)
with ends_with_reader():
    time.sleep({seconds})
print("done", flush=True)
"""


def started(seconds: float) -> subprocess.Popen[str]:
    module = subprocess.Popen(
        [sys.executable, "-c", MODULE.format(seconds=seconds)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert module.stdout is not None
    assert module.stdout.readline() == "started\n"
    return module


def test_a_module_ends_with_its_reader() -> None:
    with started(60) as module:
        assert module.stdout is not None
        begin = time.monotonic()
        module.stdout.close()
        assert module.wait() == 1
    assert time.monotonic() - begin < 20


def test_a_module_that_is_waited_for_ends_by_itself() -> None:
    with started(1) as module:
        assert module.communicate() == ("done\n", "")
        assert module.returncode == 0
