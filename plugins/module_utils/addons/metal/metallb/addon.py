# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MetalLB, which gives Services of type LoadBalancer addresses of the user's own network, where no cloud does.

Its native mode: it answers ARP and NDP for the addresses (L2), or announces them to routers by its own BGP, without
FRR. The user's own objects say which addresses, and how they are announced.
Source: config/manifests/metallb-native.yaml of upstream.
"""

from __future__ import annotations

from typing import Any

from ....api.well_known_addons import METALLB
from ...conditions import on_bare_metal_if_named
from ...context import AddonContext
from ...definition import AddonDefinition
from ...objects.core import kubernetes_object
from ...upstream import files_in_repository
from .names import NAMESPACE, VERSION
from .rbac import permissions
from .webhooks import webhooks
from .workloads import controller, speaker


def _build(context: AddonContext) -> list[dict[str, Any]]:
    # The speakers use their node's network, to see who asks for an address.
    enforced = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("audit", "enforce", "warn")}
    return [
        kubernetes_object("v1", "Namespace", NAMESPACE, labels=enforced),
        *permissions(),
        *webhooks(),
        controller(),
        *speaker(),
    ]


def _definitions(context: AddonContext) -> list[str]:
    return files_in_repository("metallb/metallb", VERSION, "config/manifests", ["metallb-native.yaml"])


ADDON = AddonDefinition(
    name="metallb.addons.k8s.io",
    condition=on_bare_metal_if_named(METALLB),
    build=_build,
    upstream=_definitions,
    id="k8s-1.16",
    pruned=True,
    stays=True,
)
