# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Additional Kubernetes objects of a cluster, of other API groups, such as a scheduler configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class AdditionalObject:
    """A Kubernetes object that is not interpreted: plain data with apiVersion, kind and metadata."""

    data: dict[str, Any] = field(default_factory=dict)

    @property
    def api_version(self) -> str:
        """``apps/v1``."""
        return str(self.data.get("apiVersion", ""))

    @property
    def kind(self) -> str:
        """``Deployment``."""
        return str(self.data.get("kind", ""))

    @property
    def name(self) -> str:
        """``metadata.name``, empty if there is none."""
        metadata = self.data.get("metadata")
        return str(metadata.get("name", "")) if isinstance(metadata, dict) else ""
