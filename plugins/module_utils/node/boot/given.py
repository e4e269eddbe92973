# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is to become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Given:
    """The NodeConfig, and the secrets document (name -> base64) of what the node does not have yet.

    facts: those that the NodeConfig needs besides the instance's. is_prepared: whether the NodeConfig is that of an
    instance which is only prepared for it, in a warm pool.
    """

    config: Mapping[str, Any]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    facts: Mapping[str, str] = field(default_factory=dict)
    is_prepared: bool = False
