# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calico, a network of pods (networking.projectcalico.org of kops)."""

from __future__ import annotations

from ...api.questions import is_ipv6_only
from ...iam.policy import Policy, actions
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from .selector import NETWORKING

_ANYWHERE = actions("ec2", "DescribeInstances ModifyNetworkInterfaceAttribute")


def _switch_off_source_checks(context: AddonContext, policy: Policy, role: str) -> None:
    """Instances accept packets of pods: AWS checks sources and destinations unless it is told otherwise."""
    calico = context.cluster.spec.networking.calico
    if calico is not None and calico.aws_src_dst_check != "DoNothing" and not is_ipv6_only(context.cluster):
        policy.anywhere.update(_ANYWHERE)


ADDON = AddonDefinition(
    name="networking.projectcalico.org",
    condition=network("calico"),
    selector=NETWORKING,
    instance_permissions=_switch_off_source_checks,
)
