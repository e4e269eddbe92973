# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service accounts that have IAM roles of their own, and the policies of these.

Source: pkg/model/components/addonmanifests/*/iam.go and upup/pkg/fi/cloudup/bootstrapchannelbuilder of kops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...context import ModelContext
from ..spec import aws_spec
from ..termination import termination_handler
from . import permissions
from .instance_roles import (
    allow_cloud_controller_manager,
    allow_cluster_autoscaler,
    allow_load_balancer_controller,
    takes_snapshots,
)
from .policy import Policy

NAMESPACE = "kube-system"


@dataclass(frozen=True)
class ServiceAccountRole:
    """A service account of namespace kube-system: when it exists, and what it may do.

    fill: adds to the policy; its third argument is the id of the hosted zone, or "".
    """

    name: str
    runs: Callable[[ModelContext], bool]
    fill: Callable[[ModelContext, Policy, str], None]

    def policy(self, context: ModelContext, zone_id: str) -> Policy:
        """The policy of the role."""
        policy = Policy(context.name, context.partition, context.region)
        self.fill(context, policy, zone_id)
        return policy


def roles(context: ModelContext) -> list[ServiceAccountRole]:
    """The service accounts of this cluster that get a role."""
    api_server = context.cluster.spec.kube_api_server
    if api_server is None or not api_server.service_account_issuer:
        return []
    return [role for role in _ROLES if role.runs(context)]


def _runs_dns(provider: str) -> Callable[[ModelContext], bool]:
    def runs(context: ModelContext) -> bool:
        spec = context.cluster.spec.external_dns
        chosen = (spec.provider if spec else None) or "dns-controller"
        return context.uses_service_account_roles and context.publishes_dns_records and chosen == provider

    return runs


def _runs_cluster_autoscaler(context: ModelContext) -> bool:
    spec = context.cluster.spec.cluster_autoscaler
    return context.uses_service_account_roles and bool(spec and spec.enabled)


def _runs_cert_manager(context: ModelContext) -> bool:
    # Needs no general use of roles: without zones to change there is nothing to allow.
    spec = context.cluster.spec.cert_manager
    return bool(spec and spec.enabled and spec.managed is not False and spec.hosted_zone_ids)


def _runs_termination_handler(context: ModelContext) -> bool:
    return context.uses_service_account_roles and termination_handler(context.cluster) is not None


def _runs_load_balancer_controller(context: ModelContext) -> bool:
    spec = aws_spec(context).load_balancer_controller
    return context.uses_service_account_roles and bool(spec and spec.enabled)


def _runs_kube_router(context: ModelContext) -> bool:
    return context.uses_service_account_roles and context.cluster.spec.networking.kube_router is not None


def _runs_cloud_controller(context: ModelContext) -> bool:
    return context.uses_service_account_roles and context.cluster.spec.cloud_controller_manager is not None


def _runs_ebs_driver(context: ModelContext) -> bool:
    spec = aws_spec(context).ebs_csi_driver
    return _runs_cloud_controller(context) and not (spec and spec.managed is False)


def _runs_karpenter(context: ModelContext) -> bool:
    spec = context.cluster.spec.karpenter
    return context.uses_service_account_roles and bool(spec and spec.enabled)


def _fill_dns(_context: ModelContext, policy: Policy, zone_id: str) -> None:
    permissions.dns_records(policy, zone_id)


def _fill_cert_manager(context: ModelContext, policy: Policy, _zone_id: str) -> None:
    spec = context.cluster.spec.cert_manager
    permissions.cert_manager(policy, spec.hosted_zone_ids if spec else [])


def _fill_karpenter(context: ModelContext, policy: Policy, _zone_id: str) -> None:
    groups = [group.spec for group in context.groups_of("Node") if group.spec.manager == "Karpenter"]
    volumes = [group.root_volume for group in groups if group.root_volume is not None]
    permissions.karpenter(
        policy,
        custom_profiles=any(group.iam is not None and group.iam.profile for group in groups),
        customer_keys=any(volume.encryption and volume.encryption_key for volume in volumes),
    )


_ROLES = (
    ServiceAccountRole("dns-controller", _runs_dns("dns-controller"), _fill_dns),
    ServiceAccountRole("external-dns", _runs_dns("external-dns"), _fill_dns),
    ServiceAccountRole(
        "cluster-autoscaler",
        _runs_cluster_autoscaler,
        lambda context, policy, _zone_id: allow_cluster_autoscaler(context, policy),
    ),
    ServiceAccountRole("cert-manager", _runs_cert_manager, _fill_cert_manager),
    ServiceAccountRole(
        "aws-node-termination-handler",
        _runs_termination_handler,
        lambda _context, policy, _zone_id: permissions.termination_handler(policy),
    ),
    ServiceAccountRole(
        "aws-load-balancer-controller",
        _runs_load_balancer_controller,
        lambda context, policy, _zone_id: allow_load_balancer_controller(context, policy),
    ),
    ServiceAccountRole(
        "kube-router",
        _runs_kube_router,
        lambda _context, policy, _zone_id: policy.on_owned.update(permissions.SOURCE_DESTINATION_CHECK),
    ),
    ServiceAccountRole(
        "aws-cloud-controller-manager",
        _runs_cloud_controller,
        lambda context, policy, _zone_id: allow_cloud_controller_manager(context, policy),
    ),
    ServiceAccountRole(
        "ebs-csi-controller-sa",
        _runs_ebs_driver,
        lambda context, policy, _zone_id: permissions.ebs_driver(policy, snapshots=takes_snapshots(context)),
    ),
    ServiceAccountRole("karpenter", _runs_karpenter, _fill_karpenter),
)
