# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calico, a network of pods (networking.projectcalico.org of kops)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....api.questions import is_ipv6_only
from ....iam.policy import Policy, actions
from ...conditions import network
from ...context import AddonContext
from ...definition import AddonDefinition
from ...upstream import files_in_repository
from ..selector import NETWORKING
from . import config, controllers, node, rbac, typha
from .settings import settings_of

_ANYWHERE = actions("ec2", "DescribeInstances ModifyNetworkInterfaceAttribute")


def _switch_off_source_checks(context: AddonContext, policy: Policy, role: str) -> None:
    """Instances accept packets of pods: AWS checks sources and destinations unless it is told otherwise."""
    calico = context.cluster.spec.networking.calico
    if calico is not None and calico.aws_src_dst_check != "DoNothing" and not is_ipv6_only(context.cluster):
        policy.anywhere.update(_ANYWHERE)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    settings = settings_of(context)
    with_typha = settings.has_typha
    return [
        *config.api_server(settings),
        controllers.disruption_budget_of(settings),
        *([typha.disruption_budget_of(settings)] if with_typha else []),
        *rbac.service_accounts(),
        config.config_map_of(settings),
        *rbac.roles(),
        *([typha.service_of(settings)] if with_typha else []),
        node.daemon_set_of(settings),
        controllers.deployment_of(settings),
        *([typha.deployment_of(settings)] if with_typha else []),
    ]


def _upstream(context: AddonContext) -> Sequence[str]:
    return files_in_repository("projectcalico/calico", settings_of(context).version, "manifests", ["crds.yaml"])


ADDON = AddonDefinition(
    name="networking.projectcalico.org",
    condition=network("calico"),
    build=_build,
    upstream=_upstream,
    id="k8s-1.25",
    selector=NETWORKING,
    pruned=True,
    instance_permissions=_switch_off_source_checks,
)
