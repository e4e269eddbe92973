# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM: additional and external policies, permissions of service accounts."""

from __future__ import annotations

from ..cluster import Cluster, ServiceAccountExternalPermission
from .arns import is_arn_of
from .iam_policy import validate_statements
from .problems import Problems, duplicate, forbidden, invalid, one_of, required

_ARN_OF_POLICY = "must be the ARN of a policy, for example arn:aws:iam::123456789012:policy/example"
# AWS' limit for all inline policies of a role, white space not counted.
LARGEST_POLICIES = 10240
# The keys of additionalPolicies and externalPolicies.
ROLE_KEYS = ("control-plane", "apiserver", "node", "bastion", "etcd", "scheduler", "kubecontrollermanager")


def validate_iam(cluster: Cluster) -> Problems:
    """Everything in the cluster's spec that ends up in IAM."""
    spec = cluster.spec
    found: Problems = []
    for role, policy in spec.additional_policies.items():
        found += _validate_additional_policy(role, policy, "spec.additionalPolicies")
    for role, arns in spec.external_policies.items():
        found += one_of("spec.externalPolicies", role, ROLE_KEYS)
        found += [
            invalid(
                f"spec.externalPolicies.{role}",
                arn,
                _ARN_OF_POLICY,
            )
            for arn in arns
            if not is_arn_of(arn, "policy")
        ]
    if spec.iam is not None:
        if spec.iam.legacy:
            found.append(forbidden("spec.iam.legacy", "legacy permissions are no longer supported; remove it"))
        found += _validate_permissions(
            spec.iam.service_account_external_permissions, "spec.iam.serviceAccountExternalPermissions"
        )
    return found


def validate_boundary(cluster: Cluster, path: str = "spec.iam.permissionsBoundary") -> Problems:
    """The policy that bounds all roles, which IAM looks at only when it makes one."""
    boundary = cluster.spec.iam.permissions_boundary if cluster.spec.iam else None
    if not boundary or is_arn_of(boundary, "policy"):
        return []
    return [invalid(path, boundary, _ARN_OF_POLICY)]


def _validate_additional_policy(role: str, policy: str, path: str) -> Problems:
    found = one_of(path, role, ROLE_KEYS) + validate_statements(policy, f"{path}[{role}]")
    size = sum(not each.isspace() for each in policy)
    if size > LARGEST_POLICIES:
        message = f"has {size} characters without white space; AWS takes {LARGEST_POLICIES} for all policies of a role"
        found.append(invalid(f"{path}[{role}]", None, f"{message}: use externalPolicies"))
    return found


def _validate_permissions(permissions: list[ServiceAccountExternalPermission], path: str) -> Problems:
    found: Problems = []
    seen: set[str] = set()
    for permission in permissions:
        key = f"{permission.namespace or ''}/{permission.name or ''}"
        at = f"{path}[{key}]"
        if not permission.namespace:
            found.append(required(f"{at}.namespace", "the service account's namespace is needed"))
        if not permission.name:
            found.append(required(f"{at}.name", "the service account's name is needed"))
        if key in seen:
            found.append(duplicate(at, key, "has permissions already; merge them"))
        seen.add(key)
        aws = permission.aws
        if aws is None:
            found.append(required(f"{at}.aws", "give policyARNs or inlinePolicy"))
        elif aws.policy_arns and aws.inline_policy:
            found.append(forbidden(f"{at}.aws", "give policyARNs or inlinePolicy, not both"))
        elif not aws.policy_arns and not aws.inline_policy:
            found.append(required(f"{at}.aws", "give policyARNs or inlinePolicy"))
        elif aws.inline_policy:
            found += validate_statements(aws.inline_policy, f"{at}.aws.inlinePolicy")
    return found
