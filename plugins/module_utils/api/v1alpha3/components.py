# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: components as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import components as hub_components
from ..fields import api_type, without


@without("bind_address", "hostname_override")
@api_type
class KubeProxyConfig(hub_components.KubeProxyConfig):
    """``Cluster.spec.kubeProxy``."""
