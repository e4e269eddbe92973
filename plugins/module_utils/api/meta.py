# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Object metadata, as every Kubernetes object carries it."""

from __future__ import annotations

from .fields import api_type, field
from .scalars import JSON


@api_type
class ObjectMeta:
    """``metadata`` of an API object. kops uses the first six fields; an API server adds the others."""

    name: str | None = field(plain=True)
    namespace: str | None = field(plain=True)
    generation: int | None = field(plain=True)
    creation_timestamp: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    generate_name: str | None = field(plain=True)
    self_link: str | None = field(plain=True)
    uid: str | None = field(plain=True)
    resource_version: str | None = field(plain=True)
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    owner_references: list[JSON] = field(default_factory=list)
    finalizers: list[str] = field(default_factory=list)
    managed_fields: list[JSON] = field(default_factory=list)
