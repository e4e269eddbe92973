# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the project at Hetzner."""

from __future__ import annotations

from ...base.errors import KopsError
from ...cloud.hetzner.account import Account
from ..context import ModelContext


def account_of(context: ModelContext) -> Account:
    """The project. Raises KopsError if nobody has it."""
    if not isinstance(context.account, Account):
        raise KopsError("Hetzner has not been asked which servers there are")
    return context.account
