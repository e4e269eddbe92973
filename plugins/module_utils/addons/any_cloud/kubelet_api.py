# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server may use the kubelets' API, as it does for logs and exec (kubelet-api.rbac.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ..conditions import always
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.rbac import cluster_role_binding, user_subject


def _build(context: AddonContext) -> list[dict[str, Any]]:
    user = user_subject("kubelet-api")
    return [cluster_role_binding("kops:system:kubelet-api-admin", "system:kubelet-api-admin", user)]


ADDON = AddonDefinition(name="kubelet-api.rbac.addons.k8s.io", condition=always, build=_build, id="k8s-1.9")
