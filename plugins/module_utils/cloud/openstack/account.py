# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloud can do that decides which objects a cluster has there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Account:
    """A project's cloud. listeners_restrict: whether a listener of Octavia can say who may connect (API 2.12)."""

    listeners_restrict: bool = True
