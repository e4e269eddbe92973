# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of Compute Engine: what it answers to a write is a promise, which is kept later or fails then."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Protocol

from ..errors import CloudError
from .errors import refused
from .identifiers import path_of

# Google answers a wait after two minutes at the latest, in seconds.
LONGEST_WAIT = 120
# Seconds that an operation may take, and the longest pause where waits are answered at once.
DEADLINE, _LONGEST_PAUSE = 1200.0, 5.0


class Ask(Protocol):
    """Makes a POST of an API (GCECloud.ask)."""

    def __call__(self, api: str, path: str, *, seconds: float) -> Mapping[str, Any]:
        """The answer, which may take so many seconds."""


def wait(ask: Ask, operation: Mapping[str, Any]) -> None:
    """Wait until an operation is done.

    Raises what `refused` makes of an operation that has failed, and CloudError for one that does not end in time.
    """
    end, pause = time.monotonic() + DEADLINE, 0.1
    while operation.get("status") != "DONE":
        if time.monotonic() > end:
            raise CloudError(
                f"the operation {operation.get('name')} ({operation.get('operationType')} of"
                f" {path_of(str(operation.get('targetLink', '')))}) has not ended within {DEADLINE:.0f} seconds:"
                " look at it with gcloud compute operations describe, and run it again"
            )
        asked = time.monotonic()
        operation = ask("compute", f"{path_of(str(operation['selfLink']))}/wait", seconds=LONGEST_WAIT + 60.0)
        if operation.get("status") != "DONE" and time.monotonic() < asked + pause:
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
    errors = (operation.get("error") or {}).get("errors") or ()
    if errors:
        status = int(operation.get("httpErrorStatusCode") or 400)
        message = "; ".join(str(each.get("message") or each.get("code")) for each in errors)
        raise refused(status, message, [str(each.get("code", "")) for each in errors])
