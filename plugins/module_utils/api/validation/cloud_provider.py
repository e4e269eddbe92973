# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.cloudProvider."""

from __future__ import annotations

from ..cloud_provider import AWSSpec
from ..clouds import CLOUDS, METAL, cloud_of, clouds_in
from ..cluster import Cluster
from ..common import WarmPoolSpec
from ..components import NodeTerminationHandlerSpec
from ..questions import cert_manager_enabled
from .problems import Problems, forbidden, invalid, required
from .vsphere import validate_vsphere


def validate_cloud_provider(cluster: Cluster, path: str = "spec.cloudProvider") -> Problems:
    """Exactly one cloud, and the cloud's own settings."""
    provider = cluster.spec.cloud_provider
    taken = [cloud.attribute for cloud in clouds_in(cluster)]
    if cloud_of(cluster) is METAL:
        taken.append(METAL.name)
    if not taken:
        known = ", ".join(cloud.attribute for cloud in CLOUDS.values() if cloud.attribute)
        return [required(path, f"name one cloud: {known}")]
    found = [forbidden(f"{path}.{extra}", f"only one cloud may be given, and {taken[0]} is") for extra in taken[1:]]
    if provider.aws is not None:
        found += _validate_aws(cluster, provider.aws, f"{path}.aws")
    if provider.vsphere is not None:
        found += validate_vsphere(provider.vsphere, f"{path}.vsphere")
    return found


def _validate_aws(cluster: Cluster, aws: AWSSpec, path: str) -> Problems:
    found: Problems = []
    if aws.node_termination_handler:
        found += _validate_termination_handler(cluster, aws.node_termination_handler, f"{path}.nodeTerminationHandler")
    if not cert_manager_enabled(cluster):
        if aws.load_balancer_controller and aws.load_balancer_controller.enabled:
            found.append(forbidden(f"{path}.awsLoadBalanceController", "needs spec.certManager.enabled: true"))
        if aws.pod_identity_webhook and aws.pod_identity_webhook.enabled:
            found.append(forbidden(f"{path}.podIdentityWebhook", "needs spec.certManager.enabled: true"))
    if aws.warm_pool:
        found += validate_warm_pool_sizes(aws.warm_pool, f"{path}.warmPool")
        if aws.warm_pool.max_size is not None and aws.warm_pool.additional_images:
            found.append(
                forbidden(
                    f"{path}.warmPool.additionalImages",
                    "may be set only in the warm pool of an instance group, not in the cluster's",
                )
            )
    return found


def validate_warm_pool_sizes(pool: WarmPoolSpec, path: str) -> Problems:
    """Sizes of a warm pool: not negative, and the minimum within the maximum."""
    found: Problems = []
    minimum = pool.min_size or 0
    if pool.max_size is not None:
        if pool.max_size < 0:
            found.append(invalid(f"{path}.maxSize", pool.max_size, "must be 0 or more"))
        elif minimum > pool.max_size:
            found.append(
                invalid(f"{path}.maxSize", pool.max_size, f"must not be less than minSize, which is {minimum}")
            )
    if minimum < 0:
        found.append(invalid(f"{path}.minSize", minimum, "must be 0 or more"))
    return found


def _validate_termination_handler(cluster: Cluster, spec: NodeTerminationHandlerSpec, path: str) -> Problems:
    found: Problems = []
    karpenter = cluster.spec.karpenter
    if spec.enabled is not False and karpenter and karpenter.enabled:
        found.append(forbidden(path, "cannot run together with Karpenter, which drains nodes itself; disable one"))
    if not spec.enabled or spec.enable_sqs_termination_draining is False:
        return found
    # From here on the handler reads events from its queue.
    if spec.enable_spot_interruption_draining is False:
        found.append(
            forbidden(
                f"{path}.enableSpotInterruptionDraining",
                "cannot be false while events come from the queue; set enableSQSTerminationDraining: false first",
            )
        )
    if spec.enable_rebalance_monitoring and not spec.enable_rebalance_draining:
        found.append(
            forbidden(
                f"{path}.enableRebalanceMonitoring",
                "rebalance events from the queue can only drain; set enableRebalanceDraining: true instead",
            )
        )
    return found
