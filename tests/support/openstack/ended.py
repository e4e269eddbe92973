# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that end their own process in the middle, in a module that any process can import, unlike a test's."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.tests.support.killable import OPERATIONS


def ended_at_write(operation: str, write: int, before: bool, given: dict[str, Any]) -> bool:
    """An operation that ends its own process at a write, before or after that is carried out."""
    ask, lock, count = OpenStackCloud.ask, threading.Lock(), [0]

    def ending(cloud: OpenStackCloud, *arguments: Any) -> dict[str, Any]:
        with lock:
            count[0] += 1
            is_it = count[0] == write
        if is_it and before:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = ask(cloud, *arguments)
        if is_it:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(OpenStackCloud, "ask", ending)
        return OPERATIONS[operation](given)
