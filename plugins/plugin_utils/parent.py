# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task ends with the process that has started it.

Since ansible-core 2.19 the worker of a task has a session of its own. If a job is cancelled by SIGKILL to the process
group of ansible-playbook, the worker is not in that group: it would go on to write, and then wait for ever to hand its
result to a process that does not exist any more.

The process id of the parent is polled. The kernel's own signal (PR_SET_PDEATHSIG) exists only on Linux and follows the
thread that forked, not its process; the other end of a pipe stays open as long as any sibling has inherited it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import AbstractContextManager

from ansible_collections.kubeops.kops.plugins.module_utils.base.watching import ends_when

from .readers import outlive_readers

outlive_readers()


def ends_with_parent() -> AbstractContextManager[None]:
    """End this process at once if its parent ends while the block runs.

    As after SIGKILL nothing is tidied up. The lease in the state store keeps the name of its holder, which does not
    write any more: on the same machine the next run takes the lease at once, elsewhere when it has expired.
    """
    started_by = multiprocessing.parent_process()
    parent = os.getppid() if started_by is None or started_by.pid is None else started_by.pid
    # A process whose parent has ended gets another one.
    return ends_when(lambda: os.getppid() != parent, _end)


def _end() -> None:
    if os.getpgrp() == os.getpid():
        # The group is this worker's own: what it has started (ssh, a module) ends with it.
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
