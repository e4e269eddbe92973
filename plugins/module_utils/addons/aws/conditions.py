# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that addons of AWS share."""

from __future__ import annotations

from ..conditions import Condition, is_enabled


def enabled_on_aws(field: str) -> Condition:
    """By enabled in a part of spec.cloudProvider.aws."""
    return lambda context: is_enabled(getattr(context.cluster.spec.cloud_provider.aws, field, None))
