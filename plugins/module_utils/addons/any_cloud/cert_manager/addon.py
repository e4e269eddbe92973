# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cert-manager, which issues certificates, also for webhooks of other addons (certmanager.io of kops)."""

from __future__ import annotations

from typing import Any

from ....api.questions import cert_manager_enabled
from ....iam.policy import Policy, allow
from ...context import AddonContext
from ...definition import AddonDefinition, ServiceAccountRole
from ...objects.core import service_account
from ...upstream import file_of_release
from .components import COMPONENTS, NAMESPACE, VERSION
from .rbac import permissions
from .services import services, webhooks
from .workloads import deployments


def _is_managed(context: AddonContext) -> bool:
    spec = context.cluster.spec.cert_manager
    return cert_manager_enabled(context.cluster) and spec is not None and spec.managed is not False


def _zones(context: AddonContext) -> list[str]:
    spec = context.cluster.spec.cert_manager
    return spec.hosted_zone_ids if spec else []


def _answer_challenges(context: AddonContext, policy: Policy) -> None:
    """Answer ACME challenges in hosted zones."""
    zones = sorted({policy.arn(f"route53:::hostedzone/{zone}") for zone in _zones(context)})
    challenges = {
        "ForAllValues:StringEquals": {"route53:ChangeResourceRecordSetsRecordTypes": ["TXT"]},
        "ForAllValues:StringLike": {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames": ["_acme-challenge.*"],
        },
    }
    policy.statements += [
        allow("route53:ListResourceRecordSets", zones),
        allow("route53:ChangeResourceRecordSets", zones, challenges),
        allow(["route53:GetChange"], [policy.arn("route53:::change/*")]),
        allow(["route53:ListHostedZonesByName"], ["*"]),
    ]


def _build(context: AddonContext) -> list[dict[str, Any]]:
    accounts = [
        service_account(component.name, NAMESPACE, component.labels, automountServiceAccountToken=True)
        for component in COMPONENTS
    ]
    return [*accounts, *permissions(), *services(), *deployments(context), *webhooks()]


def _definitions(context: AddonContext) -> list[str]:
    return [file_of_release("cert-manager/cert-manager", VERSION, "cert-manager.crds.yaml")]


ADDON = AddonDefinition(
    name="certmanager.io",
    condition=_is_managed,
    build=_build,
    upstream=_definitions,
    id="k8s-1.16",
    selector={},
    pruned=True,
    service_accounts=(
        # Needs no general use of roles: without zones to change there is nothing to allow.
        ServiceAccountRole("cert-manager", _answer_challenges, condition=lambda context: bool(_zones(context))),
    ),
)
