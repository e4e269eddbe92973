# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides which servers a cluster has: those that there are, and what is offered."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

from ..pools.numbers import Numbers
from . import catalog
from .cloud import HetznerCloud
from .numbers import numbers_of


def _none(_group: str) -> Numbers:
    return Numbers()


def _everywhere(_server_type: str, _location: str) -> bool:
    return True


@dataclass(frozen=True)
class Account:
    """A project. numbers: instance group -> those of its servers. Without them, nothing is there yet.

    offers: whether a server type can be had in a location.
    """

    numbers: Callable[[str], Numbers] = field(default=_none, repr=False)
    offers: Callable[[str, str], bool] = field(default=_everywhere, repr=False)

    @classmethod
    def of(cls, cloud: HetznerCloud) -> Account:
        """A project that is asked when somebody wants to know."""
        return cls(functools.partial(numbers_of, cloud), functools.partial(_offers, cloud))


def _offers(cloud: HetznerCloud, server_type: str, location: str) -> bool:
    found = catalog.server_type(cloud, server_type)
    return found is not None and catalog.offers(found, location)
