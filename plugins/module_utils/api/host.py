# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: host (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .meta import ObjectMeta


@api_type
class HostSpec:
    """``Host.spec``."""

    public_key: str | None = field(plain=True)
    instance_group: str | None = field(plain=True)
    pod_cidrs: list[str] = field(default_factory=list, key="podCIDRs")


@api_type
class Host:
    """``Host``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: HostSpec = field(default_factory=HostSpec)
