# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all clouds raise. What the user can do about an error stands in the tables of each cloud's errors.py."""

from __future__ import annotations

from ..base.errors import KopsError


class CloudError(KopsError):
    """A cloud refused, or cannot be asked: what to do, and the cloud's own code and message."""
