# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project of a cluster in Google Cloud."""

from __future__ import annotations

from ...api.cloud_provider import GCESpec
from ...api.cluster import Cluster


def project_of(cluster: Cluster) -> str:
    """The project in which its objects are."""
    return (cluster.spec.cloud_provider.gce or GCESpec()).project or ""
