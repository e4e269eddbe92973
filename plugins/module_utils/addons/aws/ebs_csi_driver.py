# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of EBS volumes (aws-ebs-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from ...api.clouds import AWS
from ...iam.policy import Policy, actions, allow
from ..any_cloud import snapshot_controller
from ..conditions import always
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole

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


ADDON = AddonDefinition(
    name="aws-ebs-csi-driver.addons.k8s.io",
    condition=_is_managed,
    service_accounts=(ServiceAccountRole("ebs-csi-controller-sa", _manage_volumes, on_control_plane=always),),
)
