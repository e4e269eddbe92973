# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policies of the roles that instances have (pkg/model/iam/iam_builder.go of kops)."""

from __future__ import annotations

from ....api.containerd import ContainerdConfig
from ...context import ModelContext
from ..spec import aws_spec
from ..termination import uses_termination_queue
from . import permissions
from .policy import Policy
from .store_access import allow_store_access


def policy_of_role(context: ModelContext, role: str, *, has_lifecycle_hook: bool, zone_id: str) -> Policy:
    """What instances of a role may do. zone_id: of the hosted zone, "" where the cluster publishes no records."""
    policy = Policy(context.name, context.partition, context.region)
    if role == "ControlPlane":
        permissions.etcd_manager(policy)
        _kops_controller(context, policy)
        _every_instance(context, policy, role)
        _api_server(context, policy, writes_backups=True)
        if not context.uses_service_account_roles:
            _addons(context, policy, zone_id)
        _images_and_network(context, policy, role)
    elif role == "APIServer":
        _every_instance(context, policy, role, has_lifecycle_hook=has_lifecycle_hook)
        _api_server(context, policy, writes_backups=False)
        _images_and_network(context, policy, role)
    elif role == "Node":
        _every_instance(context, policy, role, has_lifecycle_hook=has_lifecycle_hook)
        _images_and_network(context, policy, role)
    return policy


def _kops_controller(context: ModelContext, policy: Policy) -> None:
    policy.anywhere.add("ec2:DescribeInstances")
    if context.is_ipv6_only:
        policy.anywhere.add("ec2:DescribeNetworkInterfaces")


def _every_instance(context: ModelContext, policy: Policy, role: str, *, has_lifecycle_hook: bool = False) -> None:
    if has_lifecycle_hook:
        permissions.lifecycle_hook(policy)
    networking = context.cluster.spec.networking
    if _has_gpu(context, role) or networking.amazon_vpc is not None or _cilium_uses_eni(context):
        policy.anywhere.add("ec2:DescribeInstanceTypes")
    if context.is_ipv6_only:
        policy.anywhere.add("ec2:AssignIpv6Addresses")


def _api_server(context: ModelContext, policy: Policy, *, writes_backups: bool) -> None:
    allow_store_access(policy, context.cluster, writes_backups=writes_backups)
    # A plugin that encrypts Secrets calls KMS itself, not through another AWS service.
    policy.use_keys(directly=bool(context.cluster.spec.encryption_config))


def _addons(context: ModelContext, policy: Policy, zone_id: str) -> None:
    """What pods of the control plane need while they have no roles of their own."""
    permissions.dns_records(policy, zone_id)
    permissions.ebs_driver(policy, snapshots=takes_snapshots(context))
    allow_cloud_controller_manager(context, policy)
    balancer = aws_spec(context).load_balancer_controller
    if balancer is not None and balancer.enabled:
        allow_load_balancer_controller(context, policy)
    allow_cluster_autoscaler(context, policy)
    if uses_termination_queue(context.cluster):
        permissions.termination_handler(policy)


def _images_and_network(context: ModelContext, policy: Policy, role: str) -> None:
    spec = context.cluster.spec
    if spec.iam is not None and spec.iam.allow_container_registry:
        policy.anywhere.update(permissions.CONTAINER_REGISTRY)
    if spec.containerd is not None and spec.containerd.use_ecr_credentials_for_mirrors:
        policy.anywhere.update(permissions.CONTAINER_REGISTRY_PULL_THROUGH)
    networking = spec.networking
    if networking.amazon_vpc is not None:
        permissions.amazon_vpc(policy)
    if role != "Node" and _cilium_uses_eni(context):
        policy.anywhere.update(permissions.CILIUM_ENI)
    calico = networking.calico
    if calico is not None and calico.aws_src_dst_check != "DoNothing" and not context.is_ipv6_only:
        policy.anywhere.update(permissions.CALICO)
    if networking.kindnet is not None or (role == "Node" and networking.kube_router is not None):
        policy.on_owned.update(permissions.SOURCE_DESTINATION_CHECK)


def allow_cloud_controller_manager(context: ModelContext, policy: Policy) -> None:
    """The cloud controller manager, as the cluster's network needs it."""
    permissions.cloud_controller_manager(
        policy,
        routes=context.cluster.spec.networking.kubenet is not None,
        manages_load_balancer_groups=aws_spec(context).nlb_security_group_mode == "Managed",
    )


def allow_load_balancer_controller(context: ModelContext, policy: Policy) -> None:
    """The AWS load balancer controller, with the firewalls that the spec enables."""
    spec = aws_spec(context).load_balancer_controller
    permissions.load_balancer_controller(
        policy,
        waf=bool(spec and spec.enable_waf),
        wafv2=bool(spec and spec.enable_wafv2),
        shield=bool(spec and spec.enable_shield),
    )


def allow_cluster_autoscaler(context: ModelContext, policy: Policy) -> None:
    """The cluster autoscaler."""
    spec = context.cluster.spec.cluster_autoscaler
    permissions.cluster_autoscaler(policy, knows_instance_types=bool(spec and spec.aws_use_static_instance_list))


def takes_snapshots(context: ModelContext) -> bool:
    """Whether the snapshot controller runs."""
    spec = context.cluster.spec.snapshot_controller
    return bool(spec and spec.enabled)


def _cilium_uses_eni(context: ModelContext) -> bool:
    cilium = context.cluster.spec.networking.cilium
    return cilium is not None and cilium.ipam == "eni"


def _has_gpu(context: ModelContext, role: str) -> bool:
    """Whether some instance of the role may have an Nvidia GPU: the role is one for all its groups."""
    configured = [context.cluster.spec.containerd, *(group.spec.containerd for group in context.groups_of(role))]
    return any(_enables_gpu(containerd) for containerd in configured)


def _enables_gpu(containerd: ContainerdConfig | None) -> bool:
    return containerd is not None and containerd.nvidia_gpu is not None and bool(containerd.nvidia_gpu.enabled)
