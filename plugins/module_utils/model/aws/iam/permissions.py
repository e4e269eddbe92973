# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What instances may do in AWS for themselves (pkg/model/iam/iam_builder.go of kops)."""

from __future__ import annotations

from ....iam.policy import Policy, actions, allow

CONTAINER_REGISTRY = actions(
    "ecr",
    "GetAuthorizationToken BatchCheckLayerAvailability GetDownloadUrlForLayer GetRepositoryPolicy"
    " DescribeRepositories ListImages BatchGetImage",
)
CONTAINER_REGISTRY_PULL_THROUGH = actions("ecr", "ReplicateImage BatchImportUpstreamImage CreateRepository TagResource")


def etcd_manager(policy: Policy) -> None:
    """Find the volumes of etcd members and attach them."""
    policy.anywhere.update(("ec2:DescribeInstances", "ec2:DescribeVolumes"))
    mine = {"aws:ResourceTag/k8s.io/role/master": "1", "aws:ResourceTag/KubernetesCluster": policy.cluster}
    policy.statements.append(allow("ec2:AttachVolume", ["*"], {"StringEquals": mine}))


def lifecycle_hook(policy: Policy) -> None:
    """Say that an instance of a warm pool is ready."""
    policy.on_owned.add("autoscaling:CompleteLifecycleAction")
    policy.anywhere.add("autoscaling:DescribeLifecycleHooks")
