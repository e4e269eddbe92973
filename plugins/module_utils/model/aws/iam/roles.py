# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM roles, policies and instance profiles (pkg/model/awsmodel/iam.go of kops)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....addons.context import AddonContext
from ....addons.definition import ServiceAccountRole
from ....api.cluster import ServiceAccountExternalPermission
from ....api.instance_group import InstanceGroup
from ....base.errors import KopsError
from ....cloud.aws.tasks.iam_instance_profile import IAMInstanceProfile
from ....cloud.aws.tasks.iam_instance_profile_role import IAMInstanceProfileRole
from ....cloud.aws.tasks.iam_role import IAMRole
from ....cloud.aws.tasks.iam_role_policy import IAMRolePolicy
from ....engine.task import Deferred, Lifecycle
from ....iam import names as iam_names
from ....iam import policy as documents
from ....iam.account import Account
from ...addons import addon_context
from ...context import ModelContext
from .. import dns, names, tags, warm_pools
from .addons import service_account_roles
from .instance_roles import policy_of_role

# How a role is called in names of policies and outputs, and in spec.additionalPolicies and spec.externalPolicies.
_ROLE_KEYS = {"ControlPlane": "master", "APIServer": "apiserver", "Node": "node", "Bastion": "bastion"}
_SPEC_KEYS = {**_ROLE_KEYS, "ControlPlane": "control-plane"}


def build(context: ModelContext) -> None:
    """A profile for each role that instances have, a role for each service account that has one."""
    _shared_profiles(context)
    used = {str(group.spec.role) for group in context.groups if not _own_profile_arn(group)}
    for role in (role for role in _ROLE_KEYS if role in used):
        _role_of_instances(context, role)
    addons = addon_context(context)
    for account in service_account_roles(addons):
        document = _zone_dependent(context, partial(_document, context, addons, account))
        _role_of_service_account(context, account.name, account.namespace, context.layers.cluster, document)
    iam = context.cluster.spec.iam
    for permission in iam.service_account_external_permissions if iam else ():
        _role_by_user(context, permission)


def profile_name(context: ModelContext, role: str, arn: str | None) -> str:
    """The instance profile of an instance group: the one of the ARN that it gives, or its role's."""
    return names.last_segment(arn, "spec.iam.profile") if arn else iam_names.instance_role(role, context.name)


def _own_profile_arn(group: InstanceGroup) -> str | None:
    return group.spec.iam.profile if group.spec.iam else None


def _shared_profiles(context: ModelContext) -> None:
    roles_of: dict[str, str] = {}
    for group in context.groups:
        arn, role = _own_profile_arn(group), str(group.spec.role)
        if arn and roles_of.setdefault(arn, role) != role:
            raise KopsError(f"instance profile {arn} is given to groups of two roles: {roles_of[arn]} and {role}")
    for arn, role in roles_of.items():
        name = profile_name(context, role, arn)
        shared = tags.of_object(context.cluster, name, shared=True)
        context.add(IAMInstanceProfile(name, context.layers.security, shared=True, tags=shared))


def _role_of_instances(context: ModelContext, role: str) -> None:
    layer, name, key = context.layers.security, iam_names.instance_role(role, context.name), _ROLE_KEYS[role]
    profile = context.add(IAMInstanceProfile(name, layer, shared=False, tags=tags.of_object(context.cluster, name)))
    task = context.add(
        IAMRole(
            name,
            layer,
            role_policy_document=documents.assumed_by_instances(context.region),
            permissions_boundary=_boundary(context),
            tags=tags.of_object(context.cluster, name),
            export_with_id=f"{key}s",
        )
    )
    has_hook = warm_pools.role_has_hook(context, role)
    document = _zone_dependent(
        context,
        lambda zone_id: policy_of_role(context, role, has_lifecycle_hook=has_hook, zone_id=zone_id).text(),
    )
    context.add(IAMRolePolicy(name, layer, role=task, policy_document=document))
    context.add(IAMInstanceProfileRole(name, layer, instance_profile=profile, role=task))
    external = sorted(context.cluster.spec.external_policies.get(_SPEC_KEYS[role], []))
    context.add(IAMRolePolicy(f"{key}-policyoverride", layer, role=task, external_policies=external, managed=True))
    additional = context.cluster.spec.additional_policies.get(_SPEC_KEYS[role], "")
    text = documents.from_user(additional, f"spec.additionalPolicies[{_SPEC_KEYS[role]}]") if additional else ""
    context.add(IAMRolePolicy(f"additional.{name}", layer, role=task, policy_document=text))


def _role_of_service_account(
    context: ModelContext, account: str, namespace: str, layer: Lifecycle, document: str | Deferred
) -> IAMRole:
    name = iam_names.service_account_role(account, namespace, context.name)
    api_server = context.cluster.spec.kube_api_server
    issuer = ((api_server.service_account_issuer if api_server else None) or "").replace("https://", "", 1)
    provider = Account.of(context.account).arn("iam", f"oidc-provider/{issuer}")
    role = context.add(
        IAMRole(
            name,
            layer,
            role_policy_document=documents.assumed_by_service_account(provider, issuer, namespace, account),
            permissions_boundary=_boundary(context),
            tags=tags.of_service_account_role(context.cluster, name, account, namespace),
            export_with_id=f"{namespace}-{account}".replace("*", "wildcard").lower(),
        )
    )
    context.add(IAMRolePolicy(name, layer, role=role, policy_document=document))
    return role


def _role_by_user(context: ModelContext, permission: ServiceAccountExternalPermission) -> None:
    account, namespace, layer = str(permission.name), str(permission.namespace), context.layers.security
    inline = (permission.aws.inline_policy if permission.aws else None) or ""
    where = f"spec.iam.serviceAccountExternalPermissions[{namespace}/{account}].aws.inlinePolicy"
    document = documents.from_user(inline, where) if inline else ""
    role = _role_of_service_account(context, account, namespace, layer, document)
    if permission.aws and permission.aws.policy_arns:
        name, arns = f"external-{role.name}", list(permission.aws.policy_arns)
        context.add(IAMRolePolicy(name, layer, role=role, external_policies=arns, managed=True))


def _document(context: ModelContext, addons: AddonContext, account: ServiceAccountRole, zone_id: str) -> str:
    policy = documents.Policy(context.name, Account.of(context.account).partition, context.region, zone_id)
    account.permissions(addons, policy)
    return policy.text()


def _boundary(context: ModelContext) -> str | None:
    iam = context.cluster.spec.iam
    return iam.permissions_boundary if iam else None


def _zone_dependent(context: ModelContext, build_document: Callable[[str], str]) -> str | Deferred:
    """A document that names the hosted zone: at once when the zone is known, else when it has been made."""
    if not context.publishes_dns_records:
        return build_document("")
    zone = dns.zone(context)
    if zone.zone_id:
        return build_document(zone.zone_id)
    return Deferred([zone], lambda: build_document(zone.zone_id or str(zone.dns_name)))
