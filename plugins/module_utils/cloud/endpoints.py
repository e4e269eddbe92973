# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a load balancer of a cluster is reached (ApiIngressStatus in upup/pkg/fi/cloud.go of kops)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Endpoint:
    """A way to a load balancer.

    host: a name in DNS or an IP address, as the cloud gives load balancers the one or the other; without brackets.
    internal: whether only the cluster's network reaches it.
    """

    host: str
    internal: bool = False
