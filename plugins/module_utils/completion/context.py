# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the components of a cluster are completed with."""

from __future__ import annotations

from dataclasses import dataclass

from ..api.cluster import Cluster, ClusterSpec
from ..api.versions import Version, is_build_url
from .assets import remap_image
from .settings import Settings


@dataclass(frozen=True)
class Context:
    """The same for all components and all rounds of one completion.

    region: the cloud's region that the cluster is in.
    control_plane_version, node_version: Kubernetes of the control plane and of the workers, without pre-release.
    """

    cluster_name: str
    region: str
    settings: Settings
    control_plane_version: Version
    node_version: Version

    @classmethod
    def of(cls, cluster: Cluster, region: str, settings: Settings) -> Context:
        """The context of a cluster with name and Kubernetes version; raises KopsError if a version is malformed."""
        kubernetes_version = cluster.spec.kubernetes_version or ""
        return cls(
            cluster_name=cluster.metadata.name or "",
            region=region,
            settings=settings,
            control_plane_version=Version.parse(kubernetes_version).release,
            node_version=Version.parse(settings.running_kubernetes_version or kubernetes_version).release,
        )

    def has_feature(self, flag: str) -> bool:
        """True if the kops feature flag is on."""
        return flag in self.settings.feature_flags


def kubernetes_image(component: str, spec: ClusterSpec) -> str:
    """The image of a component of Kubernetes ("kube-apiserver"), remapped.

    A build that is named by its URL has images for each architecture, tagged with the URL's last part.
    """
    version = spec.kubernetes_version or ""
    if is_build_url(version):
        tag = version.rstrip("/").rsplit("/", 1)[-1].replace("+", "_")
        return f"registry.k8s.io/{component}-amd64:{tag}"
    return remap_image(f"registry.k8s.io/{component}:v{version}", spec.assets)
