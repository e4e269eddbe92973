# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of AWS for the whole cluster, apart from network and load balancer."""

from __future__ import annotations

from ..cloud_provider import AWSSpec
from ..clouds import regions_of
from ..cluster import AWSAuthenticationSpec, Cluster
from ..questions import is_ipv6_only
from .arns import is_arn_of
from .aws_network import validate_ranges
from .aws_volumes import validate_etcd_volumes
from .problems import Problems, forbidden, invalid, one_of

SECURITY_GROUP_MODES = ("Managed",)
# Regions whose endpoints are not under amazonaws.com, which is where nodes look for an s3:// file repository.
REGIONS_ELSEWHERE = ("cn-", "us-iso-", "us-isob-", "us-isof-", "eu-isoe-", "eusc-")


def validate_aws(cluster: Cluster, aws: AWSSpec, path: str = "spec.cloudProvider.aws") -> Problems:
    """EBS driver, security groups of load balancers, node names, file repository, IAM authenticator."""
    found: Problems = []
    if aws.ebs_csi_driver is not None and aws.ebs_csi_driver.enabled is False:
        found.append(forbidden(f"{path}.ebsCSIDriver.enabled", "cannot be false: Kubernetes has no other EBS driver"))
    found += one_of(f"{path}.nlbSecurityGroupMode", aws.nlb_security_group_mode, SECURITY_GROUP_MODES)
    if aws.use_ip_based_node_names and is_ipv6_only(cluster):
        found.append(forbidden(f"{path}.useIPBasedNodeNames", "nodes of an IPv6 cluster have no IPv4-based names"))
    found += validate_ranges(cluster) + validate_etcd_volumes(cluster)
    found += _validate_file_repository(cluster, "spec.assets.fileRepository")
    if cluster.spec.authentication and cluster.spec.authentication.aws:
        found += _validate_authenticator(cluster.spec.authentication.aws, "spec.authentication.aws")
    return found


def _validate_file_repository(cluster: Cluster, path: str) -> Problems:
    repository = cluster.spec.assets.file_repository if cluster.spec.assets else None
    if not repository or not repository.startswith("s3://"):
        return []
    return [
        forbidden(path, f"nodes cannot read s3:// while they start in region {region}; use https://")
        for region in regions_of(cluster)
        if region.startswith(REGIONS_ELSEWHERE)
    ]


def _validate_authenticator(authenticator: AWSAuthenticationSpec, path: str) -> Problems:
    found: Problems = []
    if authenticator.identity_mappings and "CRD" not in (authenticator.backend_mode or ""):
        found.append(forbidden(f"{path}.backendMode", "must be CRD, because there are identityMappings"))
    found += [
        invalid(
            f"{path}.identityMappings[{index}].arn",
            mapping.arn or "",
            "must be the ARN of a role or user, for example arn:aws:iam::123456789012:role/admin",
        )
        for index, mapping in enumerate(authenticator.identity_mappings)
        if not is_arn_of(mapping.arn or "", "role", "user")
    ]
    return found
