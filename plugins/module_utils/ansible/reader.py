# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module ends with the process that waits for its result.

Without a terminal, which pipelining does not have, nothing else tells a module that Ansible or its connection is gone.
"""

from __future__ import annotations

import functools
import os
import select
import sys
from contextlib import AbstractContextManager

from ..base.watching import ends_when

_GONE = select.POLLERR | select.POLLHUP


def ends_with_reader() -> AbstractContextManager[None]:
    """End this process at once if nobody can read its standard output any more while the block runs."""
    poll = select.poll()
    # Errors and hang-ups are always reported. A file never has any.
    poll.register(sys.stdout.fileno(), 0)
    return ends_when(lambda: any(event & _GONE for _descriptor, event in poll.poll(0)), functools.partial(os._exit, 1))
