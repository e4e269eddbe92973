# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster's specification says of GCE alone."""

from __future__ import annotations

from ...api.cloud_provider import GCESpec
from ..context import ModelContext


def gce_spec(context: ModelContext) -> GCESpec:
    """spec.cloudProvider.gce."""
    return context.cluster.spec.cloud_provider.gce or GCESpec()
