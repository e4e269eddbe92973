# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The accounts that instances run as, and what these may do in the project.

Source: pkg/model/gcemodel/service_accounts.go and context.go of kops.
"""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.gce.identifiers import account_email
from ...cloud.gce.tasks.project_iam_binding import ProjectIAMBinding
from ...cloud.gce.tasks.service_account import ServiceAccount
from ..context import ModelContext
from . import names
from .spec import gce_spec

SHARED = "shared"
CONTROL_PLANE, NODE = "control-plane", "node"
# Google's own role for the control plane of a managed cluster. One of our own, once deleted, would keep its name
# for a week.
CONTROL_PLANE_ROLE = "roles/container.serviceAgent"

_ACCOUNTS = {"ControlPlane": CONTROL_PLANE, "APIServer": CONTROL_PLANE, "Node": NODE, "Bastion": "bastion"}
_DESCRIPTIONS = {
    CONTROL_PLANE: "kubernetes control-plane instances",
    NODE: "kubernetes worker nodes",
    "bastion": "bastion nodes",
}


def build(context: ModelContext) -> None:
    """The account that spec.cloudProvider.gce.serviceAccount names, or one for each role."""
    layer, given = context.layers.cluster, gce_spec(context).service_account
    if given:
        context.add(ServiceAccount(SHARED, layer, email=given, shared=True))
        return
    for name in dict.fromkeys(_account_name(group) for group in context.groups):
        account = context.add(
            ServiceAccount(
                name,
                layer,
                email=account_email(names.service_account_id(name, context.name), str(gce_spec(context).project)),
                description=_DESCRIPTIONS[name],
                display_name=name,
            )
        )
        if name == CONTROL_PLANE:
            context.add(
                ProjectIAMBinding(
                    "serviceaccount-control-plane",
                    layer,
                    project=gce_spec(context).project,
                    member_service_account=account,
                    role=CONTROL_PLANE_ROLE,
                )
            )


def account_of(context: ModelContext, group: InstanceGroup) -> ServiceAccount:
    """The account of a group's instances, once it is built."""
    return context.get(ServiceAccount, SHARED if gce_spec(context).service_account else _account_name(group))


def _account_name(group: InstanceGroup) -> str:
    role = str(group.spec.role)
    if role not in _ACCOUNTS:
        raise KopsError(
            f"instance group {group.metadata.name}: role {role} is not possible on GCE, only {', '.join(_ACCOUNTS)}"
        )
    return _ACCOUNTS[role]
