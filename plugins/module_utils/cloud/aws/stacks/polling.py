# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for what CloudFormation does by itself: asking again, with growing pauses."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0


def ask_until(ask: Callable[[], Mapping[str, Any]], is_over: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
    """The first answer after which nothing is to be waited for."""
    pause = FIRST_PAUSE
    while not is_over(found := ask()):
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
    return found
