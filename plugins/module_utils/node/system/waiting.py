# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for what an instance needs and does not have yet: for ever, and never silently.

What is printed goes to the journal and to the console of the machine (the unit says so).
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ...base.errors import KopsError

Result = TypeVar("Result")


def say(text: str) -> None:
    """Print a line, or several, each of which says who speaks."""
    for line in text.splitlines():
        sys.stdout.write(f"kubeops: {line}\n")
    sys.stdout.flush()


@dataclass(frozen=True)
class Patience:
    """Pauses between attempts, in seconds, and their number; 0 for no end."""

    first_pause: float = 1
    last_pause: float = 10
    attempts: int = 0

    def until_done(self, what: str, attempt: Callable[[], Result]) -> Result:
        """The result of the first attempt that does not fail. what: is waited for, and is said with each failure.

        Raises the error of the last attempt if their number is limited.
        """
        pause, number = self.first_pause, 0
        while True:
            number += 1
            try:
                return attempt()
            except (KopsError, OSError, ValueError) as error:
                if number == self.attempts:
                    raise
                reason = str(error) or type(error).__name__
                if isinstance(error, KopsError) and error.brief:
                    # The last line of a console is what validations show of a machine that is no node.
                    say(f"{what}: {reason}")
                    reason = error.brief
            # Instances that failed together do not come again together.
            seconds = pause * random.uniform(0.8, 1.2)  # noqa: S311
            say(f"waiting for {what}: {reason}; next try in {seconds:.0f} s")
            time.sleep(seconds)
            pause = min(pause * 2, self.last_pause)
