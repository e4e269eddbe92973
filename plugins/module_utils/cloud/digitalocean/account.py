# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides which droplets a cluster has: those that there are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

from ..pools.numbers import Numbers
from .cloud import DigitalOceanCloud
from .numbers import numbers_of


def _none(_group: str) -> Numbers:
    return Numbers()


@dataclass(frozen=True)
class Account:
    """An account. numbers: instance group -> those of its droplets. Without them, nothing is there yet."""

    numbers: Callable[[str], Numbers] = field(default=_none, repr=False)

    @classmethod
    def of(cls, cloud: DigitalOceanCloud) -> Account:
        """An account that is asked when somebody wants to know."""
        return cls(functools.partial(numbers_of, cloud))
