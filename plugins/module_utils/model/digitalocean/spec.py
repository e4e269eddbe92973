# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a specification says of DigitalOcean, and what is known of the account."""

from __future__ import annotations

from ...base.errors import KopsError
from ...cloud.digitalocean.account import Account
from ..context import ModelContext


def account_of(context: ModelContext) -> Account:
    """The account. Raises KopsError if nobody has it."""
    if not isinstance(context.account, Account):
        raise KopsError("DigitalOcean has not been asked which droplets there are")
    return context.account
