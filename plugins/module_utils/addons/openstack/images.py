# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of the programs that OpenStack's project releases for each version of Kubernetes."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.versions import Version
from ...base.errors import KopsError


def provider_image(program: str, cluster: Cluster) -> str:
    """The image for the cluster's version of Kubernetes, always its first release, as in kops."""
    try:
        version = Version.parse(cluster.spec.kubernetes_version or "")
        tag = f"v{version.major}.{version.minor}.0"
    except KopsError:
        tag = "latest"
    return f"registry.k8s.io/provider-os/{program}:{tag}"
