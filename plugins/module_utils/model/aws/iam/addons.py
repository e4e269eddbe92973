# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What addons may do in AWS, by what their definitions say: roles of service accounts, permissions of instances."""

from __future__ import annotations

from ....addons.catalogue import ADDONS
from ....addons.context import AddonContext
from ....addons.definition import ServiceAccountRole
from ....iam.policy import Policy

# kops writes the statements of the control plane's policy in this order, all others after them.
_ORDER = ("dns-controller", "ebs-csi-controller-sa", "aws-cloud-controller-manager")


def service_account_roles(context: AddonContext) -> list[ServiceAccountRole]:
    """The service accounts of a cluster that have a role of their own."""
    api_server = context.cluster.spec.kube_api_server
    if api_server is None or not api_server.service_account_issuer:
        return []
    installed = [definition for definition in ADDONS if definition.condition(context)]
    return [role for definition in installed for role in definition.service_accounts if role.condition(context)]


def allow_on_control_plane(context: AddonContext, policy: Policy) -> None:
    """What instances of the control plane may do for pods that have no roles of their own."""
    if context.uses_service_account_roles:
        return
    roles = [role for definition in ADDONS for role in definition.service_accounts if role.on_control_plane(context)]
    for role in sorted(roles, key=lambda role: _ORDER.index(role.name) if role.name in _ORDER else len(_ORDER)):
        role.permissions(context, policy)


def allow_on_instances(context: AddonContext, policy: Policy, role: str) -> None:
    """What instances of a role may do for addons, whatever roles their pods have."""
    for definition in ADDONS:
        if definition.instance_permissions is not None and definition.condition(context):
            definition.instance_permissions(context, policy, role)
