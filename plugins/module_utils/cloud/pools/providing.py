# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is alike in the providers of clouds whose servers are pools."""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import TypeVar

from ...base.errors import KopsError
from ..errors import AccessDenied, Exists
from ..provider import Provider
from ..reads import Reads
from .replacing import Pool, PoolReplacing

CloudT = TypeVar("CloudT", bound=Reads)


class PoolProvider(Provider[CloudT]):
    """Parts of Provider. See there."""

    @abstractmethod
    def pool(self) -> Pool[CloudT]:
        """Its pool of servers, which is imported when it is asked for."""

    @abstractmethod
    def explained(self, error: BaseException) -> KopsError:
        """As explain() of the cloud's errors.py."""

    @functools.cached_property
    def replacing(self) -> PoolReplacing[CloudT]:
        return PoolReplacing(self.pool())

    def explain(self, error: Exception) -> str:
        return str(self.explained(error))

    def is_denied(self, error: Exception) -> bool:
        return isinstance(error, AccessDenied)

    def is_conflict(self, error: Exception) -> bool:
        return isinstance(error, Exists)
