# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policies of the roles that instances have (pkg/model/iam/iam_builder.go of kops)."""

from __future__ import annotations

from ....iam.account import Account
from ....iam.policy import Policy
from ...addons import addon_context
from ...context import ModelContext
from . import permissions
from .addons import allow_on_control_plane, allow_on_instances
from .store_access import allow_store_access


def policy_of_role(context: ModelContext, role: str, *, has_lifecycle_hook: bool, zone_id: str) -> Policy:
    """What instances of a role may do. zone_id: of the hosted zone, "" where the cluster publishes no records."""
    policy = Policy(context.name, Account.of(context.account).partition, context.region, zone_id)
    addons = addon_context(context)
    if role == "ControlPlane":
        permissions.etcd_manager(policy)
        policy.anywhere.add("ec2:DescribeInstances")
        if context.is_ipv6_only:
            policy.anywhere.add("ec2:DescribeNetworkInterfaces")
        _every_instance(context, policy)
        _api_server(context, policy, writes_backups=True)
        allow_on_control_plane(addons, policy)
        _images(context, policy)
        allow_on_instances(addons, policy, role)
    elif role == "APIServer":
        _every_instance(context, policy, has_lifecycle_hook=has_lifecycle_hook)
        _api_server(context, policy, writes_backups=False)
        _images(context, policy)
        allow_on_instances(addons, policy, role)
    elif role == "Node":
        _every_instance(context, policy, has_lifecycle_hook=has_lifecycle_hook)
        _images(context, policy)
        allow_on_instances(addons, policy, role)
    return policy


def _every_instance(context: ModelContext, policy: Policy, *, has_lifecycle_hook: bool = False) -> None:
    if has_lifecycle_hook:
        permissions.lifecycle_hook(policy)
    if context.is_ipv6_only:
        policy.anywhere.add("ec2:AssignIpv6Addresses")


def _api_server(context: ModelContext, policy: Policy, *, writes_backups: bool) -> None:
    allow_store_access(policy, context.cluster, writes_backups=writes_backups)
    # A plugin that encrypts Secrets calls KMS itself, not through another AWS service.
    policy.use_keys(directly=bool(context.cluster.spec.encryption_config))


def _images(context: ModelContext, policy: Policy) -> None:
    spec = context.cluster.spec
    if spec.iam is not None and spec.iam.allow_container_registry:
        policy.anywhere.update(permissions.CONTAINER_REGISTRY)
    if spec.containerd is not None and spec.containerd.use_ecr_credentials_for_mirrors:
        policy.anywhere.update(permissions.CONTAINER_REGISTRY_PULL_THROUGH)
