# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: networking as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import networking as hub_networking
from ..fields import api_type, without


@without("cross_subnet")
@api_type
class CalicoNetworkingSpec(hub_networking.CalicoNetworkingSpec):
    """``Cluster.spec.networking.calico``."""


@without("classic", "lyftvpc", "romana")
@api_type
class NetworkingSpec(hub_networking.NetworkingSpec):
    """``Cluster.spec.networking``."""

    calico: CalicoNetworkingSpec | None = None
