# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What controllers of a cluster in OpenStack are told: nothing besides what all are told."""

from __future__ import annotations

from ...api.clouds import cloud_of
from .. import controllers
from ..context import ModelContext


def build(context: ModelContext) -> None:
    """The file of the state store, where servers become nodes by themselves."""
    if cloud_of(context.cluster).starts_nodes:
        controllers.build(context, lambda _group: {}, lambda: ("", ""))
