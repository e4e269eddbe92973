# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons that a cluster has because spec.addons names them: ``manifest: metallb`` instead of the URL of a channel.

kops' names of this form stand for channels in its own repository, which it no longer installs
(buildMenu in channels/pkg/cmd/apply_channel.go of kops).
"""

from __future__ import annotations

from .cluster import Cluster

LOCAL_PATH_STORAGE, METALLB = "local-path-storage", "metallb"
# All for bare metal only: clouds have load balancers and volumes of their own.
WELL_KNOWN = (LOCAL_PATH_STORAGE, METALLB)


def is_location(manifest: str) -> bool:
    """Whether the manifest of an entry of spec.addons says where a channel is, rather than naming an addon."""
    return ":" in manifest or "/" in manifest


def named_addons(cluster: Cluster) -> frozenset[str]:
    """The names in spec.addons, known or not."""
    manifests = [addon.manifest or "" for addon in cluster.spec.addons]
    return frozenset(manifest for manifest in manifests if manifest and not is_location(manifest))
