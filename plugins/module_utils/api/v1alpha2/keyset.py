# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: keyset as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from ..fields import api_type, field
from ..keyset import KeysetItem
from ..meta import ObjectMeta


@api_type
class KeysetSpec:
    """``Keyset.spec``."""

    type: str | None = field(plain=True)
    primary_id: str | None = field(plain=True)
    keys: list[KeysetItem] = field(default_factory=list)


@api_type
class Keyset:
    """``Keyset``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: KeysetSpec = field(default_factory=KeysetSpec)
