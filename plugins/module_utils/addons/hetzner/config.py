# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration that programs on Hetzner share (hcloud-config.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import HETZNER
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import secret
from ..objects.pods import secret_variable

_NAME = "hcloud"
_VARIABLE = "HCLOUD_TOKEN"


def token_variable() -> dict[str, Any]:
    """The environment variable with which programs on Hetzner get the token."""
    return secret_variable(_VARIABLE, _NAME, "token")


def network_variable() -> dict[str, Any]:
    """The environment variable that names the network of the servers."""
    return secret_variable("HCLOUD_NETWORK", _NAME, "network")


def _build(context: AddonContext) -> list[dict[str, Any]]:
    network = context.cluster.spec.networking.network_id or str(context.cluster.metadata.name)
    return [secret(_NAME, "kube-system", {"network": network, "token": context.credentials.get(_VARIABLE, "")})]


ADDON = AddonDefinition(
    name="hcloud-config.addons.k8s.io",
    condition=on_cloud(HETZNER),
    build=_build,
    id="k8s-1.22",
)
