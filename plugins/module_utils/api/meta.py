# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Object metadata, as every Kubernetes object carries it."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import field


@dataclass
class ObjectMeta:
    """``metadata`` of an API object; only what kops keeps in its state store."""

    name: str | None = field(plain=True)
    namespace: str | None = field(plain=True)
    generation: int | None = field(plain=True)
    creation_timestamp: str | None = field(default=None)
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
