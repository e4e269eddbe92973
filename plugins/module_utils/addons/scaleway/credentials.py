# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Secret with which programs on Scaleway reach it. Two addons bring it, as in kops."""

from __future__ import annotations

from typing import Any

from ..context import AddonContext
from ..objects.core import secret

NAMESPACE = "kube-system"
_NAME = "scaleway-secret"
_VARIABLES = ("SCW_ACCESS_KEY", "SCW_SECRET_KEY", "SCW_DEFAULT_PROJECT_ID")


def credentials_secret(context: AddonContext) -> dict[str, Any]:
    """The Secret: credentials, region and zone. A cluster on Scaleway lies in one zone."""
    zone = next((subnet.zone for subnet in context.cluster.spec.networking.subnets if subnet.zone), "")
    values = {name: context.credentials.get(name) or None for name in _VARIABLES}
    places = {"SCW_DEFAULT_REGION": zone.rstrip("-123") or None, "SCW_DEFAULT_ZONE": zone or None}
    return secret(_NAME, NAMESPACE, {**values, **places}, type="Opaque")


def credentials_from_secret() -> list[dict[str, Any]]:
    """The environment of programs: the whole Secret."""
    return [{"secretRef": {"name": _NAME}}]
