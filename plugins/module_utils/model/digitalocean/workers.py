# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How control planes know workers (node/digitalocean/verification.py)."""

from __future__ import annotations

from typing import Any

from ...cloud.digitalocean import names
from .. import node_configs
from ..context import ModelContext


def build_node_configs(context: ModelContext) -> None:
    """The NodeConfigs of all groups, of which control planes know how workers prove who they are."""
    node_configs.build(context, workers=proved_by(context))


def proved_by(context: ModelContext) -> dict[str, Any]:
    """The tag with the cluster's name in full, and whether the load balancer hides who asks."""
    return {
        "tag": names.mark_tag(context.name),
        "behindBalancer": context.cluster.spec.api.load_balancer is not None,
    }
