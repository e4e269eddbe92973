# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the networking mode."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.kubelet import KubeletConfigSpec
from ..context import Context
from ..problems import invalid


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubelet comes to be. Raises ValidationError for the networking mode ``classic``, which is gone."""
    spec = cluster.spec
    spec.kubelet = spec.kubelet or KubeletConfigSpec()
    if spec.networking.classic is not None:
        raise invalid("spec.networking.classic", "is not supported any more; choose another networking mode")
