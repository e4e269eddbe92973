# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of Spotinst (spotinst-kubernetes-cluster-controller.addons.k8s.io of kops).

Its credentials are those of the environment, SPOTINST_TOKEN and SPOTINST_ACCOUNT.
"""

from __future__ import annotations

from typing import Any

from ...context import AddonContext
from ...definition import AddonDefinition
from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding
from .controller import controller, settings
from .metrics_server import metrics_server
from .parts import LABELS, NAME, NAMESPACE
from .rbac import RULES


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        *settings(context),
        service_account(NAME, NAMESPACE, LABELS),
        cluster_role(NAME, LABELS, RULES),
        cluster_role_binding(NAME, NAME, account_subject(NAME, NAMESPACE), LABELS),
        controller(),
        *metrics_server(),
    ]


ADDON = AddonDefinition(
    name="spotinst-kubernetes-cluster-controller.addons.k8s.io",
    condition=lambda context: {"Spotinst", "SpotinstController"} <= context.features,
    build=_build,
    id="v1.14.0",
    pruned=True,
)
