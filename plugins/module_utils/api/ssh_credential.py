# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: ssh credential (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import field
from .meta import ObjectMeta


@dataclass
class SSHCredentialSpec:
    """``SSHCredential.spec``."""

    public_key: str | None = field(plain=True)


@dataclass
class SSHCredential:
    """``SSHCredential``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: SSHCredentialSpec = field(default_factory=SSHCredentialSpec)
