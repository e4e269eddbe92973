# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of all clouds. Advice for the user is in the tables of each cloud's errors.py."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from ..base.errors import KopsError


class CloudError(KopsError):
    """A cloud refused, or cannot be asked: what to do, and the cloud's own code and message."""


@contextlib.contextmanager
def explained(explain: Callable[[BaseException, str], KopsError], where: str) -> Iterator[None]:
    """Raise errors of a cloud's library as its errors.py explains them. where: what is being done, and where."""
    try:
        yield
    except Exception as error:
        raise explain(error, where) from error
