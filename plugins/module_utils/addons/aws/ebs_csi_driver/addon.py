# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of EBS volumes (aws-ebs-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ....api.clouds import AWS
from ....api.versions import is_at_least
from ....iam.policy import Policy, actions, allow
from ...any_cloud import snapshot_controller
from ...conditions import always
from ...context import AddonContext
from ...definition import AddonDefinition, ServiceAccountRole
from ...objects.policy import disruption_budget
from ...objects.storage import csi_driver
from .controller import controller, metrics
from .node import node_pods
from .parts import APP, CONTROLLER, CONTROLLER_ACCOUNT, DRIVER, NAMESPACE, SELINUX_MOUNT, labels
from .rbac import accounts_and_roles

_ANYWHERE = actions(
    "ec2",
    "DescribeAvailabilityZones DescribeInstances DescribeInstanceTypes DescribeTags DescribeVolumes"
    " DescribeVolumesModifications DescribeVolumeStatus",
)
_ON_OWNED = actions("ec2", "AttachVolume DeleteVolume DetachVolume ModifyVolume")
_SNAPSHOTS_ANYWHERE = actions("ec2", "CreateSnapshot DescribeAvailabilityZones DescribeSnapshots")
_SNAPSHOTS_ON_OWNED = actions("ec2", "DeleteSnapshot EnableFastSnapshotRestores")


def _is_managed(context: AddonContext) -> bool:
    aws = context.cluster.spec.cloud_provider.aws
    if context.cloud is not AWS or aws is None:
        return False
    return aws.ebs_csi_driver is None or aws.ebs_csi_driver.managed is not False


def _manage_volumes(context: AddonContext, policy: Policy) -> None:
    """Make and attach volumes of persistent volume claims."""
    policy.use_keys()
    if snapshot_controller.ADDON.condition(context):
        policy.anywhere.update(_SNAPSHOTS_ANYWHERE)
        policy.on_owned.update(_SNAPSHOTS_ON_OWNED)
        policy.create_ec2(["CreateSnapshot"], ["volume", "snapshot"])
        owned = {"StringEquals": {"aws:ResourceTag/KubernetesCluster": policy.cluster}}
        policy.statements.append(allow("ec2:CreateVolume", [policy.arn("ec2:*:*:snapshot/*")], owned))
    policy.anywhere.update(_ANYWHERE)
    policy.on_owned.update(_ON_OWNED)
    policy.create_ec2(["CopyVolumes", "CreateVolume"], ["volume", "snapshot"])


def _build(context: AddonContext) -> list[dict[str, Any]]:
    common = labels(context)
    return [
        disruption_budget(CONTROLLER, NAMESPACE, {"app": CONTROLLER, **APP}, common, maxUnavailable=1),
        *accounts_and_roles(common),
        *metrics(),
        node_pods(context),
        controller(context),
        csi_driver(DRIVER, common, **_kind_of_driver(context)),
    ]


def _kind_of_driver(context: AddonContext) -> dict[str, Any]:
    # kops leaves fsGroupPolicy out: it cannot be changed once the object exists.
    spec: dict[str, Any] = {"attachRequired": True, "podInfoOnMount": False}
    if is_at_least(context.cluster, "1.35.0"):
        spec["nodeAllocatableUpdatePeriodSeconds"] = 10
    if SELINUX_MOUNT in context.features:
        spec["seLinuxMount"] = True
    return spec


ADDON = AddonDefinition(
    name="aws-ebs-csi-driver.addons.k8s.io",
    condition=_is_managed,
    build=_build,
    id="k8s-1.17",
    service_accounts=(ServiceAccountRole(CONTROLLER_ACCOUNT, _manage_volumes, on_control_plane=always),),
)
