# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the clock of this machine is wrong, by what a server says of the time: signatures are refused then."""

from __future__ import annotations

import datetime
import email.utils
from typing import Optional

# Bootstrap servers accept no request that is older, or from further in the future; AWS none beyond 5 or 15 minutes.
_SKEW = 240


def clock_note(date: Optional[str]) -> str:
    """What to add to a message about a refusal: nothing if the clock is right. date: the answer's header."""
    try:
        theirs = email.utils.parsedate_to_datetime(date or "")
        ahead = (datetime.datetime.now(datetime.timezone.utc) - theirs).total_seconds()
    except (TypeError, ValueError):
        return ""
    return f"; this machine's clock differs from the server's by {abs(ahead):.0f} s" if abs(ahead) > _SKEW else ""
