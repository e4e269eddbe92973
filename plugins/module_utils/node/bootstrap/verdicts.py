# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons for which a bootstrap server refuses a request; what its cloud raises is in node/cloud/identity.py."""

from __future__ import annotations

from ..cloud.identity import Refused


class Busy(Refused):
    """Too many requests."""

    status = 429


class Conflict(Refused):
    """The instance has another key already."""

    status = 409


class Malformed(Refused):
    """Not a request at all."""

    status = 400


class TooLarge(Refused):
    """More than any request needs."""

    status = 413
