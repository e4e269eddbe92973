# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authentication by IAM identities (authentication.aws of kops)."""

from __future__ import annotations

from ..conditions import authentication
from ..definition import AddonDefinition

ADDON = AddonDefinition(name="authentication.aws", condition=authentication("aws"))
