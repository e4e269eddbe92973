# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent and the operator of Cilium may do in their namespace: read settings, and keep secrets for Envoy."""

from __future__ import annotations

from typing import Any, NamedTuple

from ....api.networking import CiliumNetworkingSpec
from ...objects.rbac import account_subject, role, role_binding, rule
from .parts import AGENT, NAMESPACE, OPERATOR, PART_OF, uses_gateway_api, uses_ingress


class _Grant(NamedTuple):
    """A role, whom it is for, what it allows, and the name of its binding, if that is another one."""

    role: str
    account: str
    resource: str
    verbs: str
    binding: str = ""


_READ, _WRITE = "get list watch", "create delete update patch"
_CONFIG = _Grant("cilium-config-agent", AGENT, "configmaps", _READ)
_INGRESS = _Grant("cilium-ingress-secrets", AGENT, "secrets", _READ, "cilium-secrets")
_GATEWAY = _Grant("cilium-gateway-secrets", AGENT, "secrets", _READ)
_ENVOY = _Grant("cilium-envoy-config-secrets", AGENT, "secrets", _READ)
_OPERATOR_INGRESS = _Grant("cilium-operator-ingress-secrets", OPERATOR, "secrets", _WRITE)
_OPERATOR_GATEWAY = _Grant("cilium-operator-gateway-secrets", OPERATOR, "secrets", _WRITE)


def roles(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The Roles, then their bindings."""
    ingress, gateway = uses_ingress(cilium), uses_gateway_api(cilium)
    grants = [
        _CONFIG,
        *([_INGRESS] if ingress else []),
        *([_GATEWAY] if gateway else []),
        *([_ENVOY] if ingress or gateway else []),
        *([_OPERATOR_INGRESS] if ingress else []),
        *([_OPERATOR_GATEWAY] if gateway else []),
    ]
    return [
        *(role(each.role, NAMESPACE, PART_OF, [rule("", each.resource, each.verbs)]) for each in grants),
        *(_binding(each) for each in grants),
    ]


def _binding(grant: _Grant) -> dict[str, Any]:
    subject = account_subject(grant.account, NAMESPACE)
    return role_binding(grant.binding or grant.role, NAMESPACE, grant.role, subject, PART_OF)
