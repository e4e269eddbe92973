# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kindnet, a network of pods (networking.kindnet of kops)."""

from __future__ import annotations

from ...iam.policy import Policy
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from .selector import NETWORKING


def _switch_off_source_checks(context: AddonContext, policy: Policy, role: str) -> None:
    """Instances accept packets of pods: AWS checks sources and destinations unless it is told otherwise."""
    policy.on_owned.add("ec2:ModifyInstanceAttribute")


ADDON = AddonDefinition(
    name="networking.kindnet",
    condition=network("kindnet"),
    selector=NETWORKING,
    instance_permissions=_switch_off_source_checks,
)
