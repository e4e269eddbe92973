# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster's specification says of AWS alone."""

from __future__ import annotations

from ...api.cloud_provider import AWSSpec
from ..context import ModelContext


def aws_spec(context: ModelContext) -> AWSSpec:
    """spec.cloudProvider.aws."""
    return context.cluster.spec.cloud_provider.aws or AWSSpec()
