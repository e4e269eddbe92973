# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what the bootstrap servers of a cluster know its workers: by their service accounts (node/gce/verification.py)."""

from __future__ import annotations

from ...cloud.gce.identifiers import account_email
from .. import node_configs
from ..context import ModelContext
from . import names
from .service_accounts import NODE
from .spec import gce_spec


def build_node_configs(context: ModelContext) -> None:
    """The NodeConfigs of all groups, of which control planes know how workers prove who they are."""
    node_configs.build(context, workers=proved_by(context))


def proved_by(context: ModelContext) -> dict[str, list[str]]:
    """The service account of all workers. Of which group an instance is, its managed instance group says."""
    spec = gce_spec(context)
    own = account_email(names.service_account_id(NODE, context.name), str(spec.project))
    return {"accounts": [spec.service_account or own]}
