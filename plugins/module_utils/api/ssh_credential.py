# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: ssh credential (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .meta import ObjectMeta


@api_type
class SSHCredentialSpec:
    """``SSHCredential.spec``."""

    public_key: str | None = field(plain=True)


@api_type
class SSHCredential:
    """``SSHCredential``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: SSHCredentialSpec = field(default_factory=SSHCredentialSpec)
