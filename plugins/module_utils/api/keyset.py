# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: keyset (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .meta import ObjectMeta


@api_type
class KeysetItem:
    """``Keyset.spec.keys[]``."""

    id: str | None = field(plain=True)
    distrust_timestamp: str | None = None
    public_material: str | None = field(plain=True)
    private_material: str | None = field(plain=True)


@api_type
class KeysetSpec:
    """``Keyset.spec``."""

    type: str | None = field(plain=True)
    primary_id: str | None = field(key="primaryID", plain=True)
    keys: list[KeysetItem] = field(default_factory=list)


@api_type
class Keyset:
    """``Keyset``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: KeysetSpec = field(default_factory=KeysetSpec)
