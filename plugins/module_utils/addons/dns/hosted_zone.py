# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions of programs that publish DNS records in AWS (pkg/model/iam/iam_builder.go of kops)."""

from __future__ import annotations

from ...iam.policy import Policy, allow
from ..context import AddonContext


def change_records(context: AddonContext, policy: Policy) -> None:
    """Change the records of the cluster's hosted zone; nothing when there is no zone."""
    if not policy.hosted_zone_id:
        return
    zone = policy.hosted_zone_id.lstrip("/")
    zone = zone[len("hostedzone/") :] if zone.startswith("hostedzone/") else zone
    policy.statements += [
        allow(
            ["route53:ChangeResourceRecordSets", "route53:GetHostedZone", "route53:ListResourceRecordSets"],
            [policy.arn(f"route53:::hostedzone/{zone}")],
        ),
        allow(["route53:GetChange"], [policy.arn("route53:::change/*")]),
        allow(["route53:ListHostedZones", "route53:ListTagsForResource"], ["*"]),
    ]
