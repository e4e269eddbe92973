# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target direct: the update makes the objects itself."""

from __future__ import annotations

from .target import Target


class Direct(Target):
    """Everything is in the plan, and done when that is."""

    name = "direct"
    title = "direct"
    why_not_applied = "without a target, an update carries out everything"
