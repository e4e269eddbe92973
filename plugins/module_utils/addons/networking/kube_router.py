# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-router, a network of pods (networking.kuberouter of kops)."""

from __future__ import annotations

from ...iam.policy import Policy
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from .selector import NETWORKING


def _switch_off_source_checks(context: AddonContext, policy: Policy) -> None:
    """Instances accept packets of pods: AWS checks sources and destinations unless it is told otherwise."""
    policy.on_owned.add("ec2:ModifyInstanceAttribute")


def _on_workers(context: AddonContext, policy: Policy, role: str) -> None:
    if role == "Node":
        _switch_off_source_checks(context, policy)


ADDON = AddonDefinition(
    name="networking.kuberouter",
    condition=network("kube_router"),
    selector=NETWORKING,
    service_accounts=(ServiceAccountRole("kube-router", _switch_off_source_checks),),
    instance_permissions=_on_workers,
)
