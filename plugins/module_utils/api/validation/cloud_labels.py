# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels (tags) for cloud objects. Those by which kops finds its own objects are not for users."""

from __future__ import annotations

from collections.abc import Iterable

from .problems import Problems, forbidden

RESERVED = ("Name", "KubernetesCluster")
RESERVED_PREFIXES = ("kubernetes.io/cluster/", "k8s.io/role/", "kops.k8s.io/")


def validate_cloud_labels(labels: Iterable[str], path: str) -> Problems:
    """Refuse the reserved keys, with which objects would no longer be found, or be taken for others."""
    return [
        forbidden(f"{path}.{label}", f"is reserved; so are {', '.join(RESERVED)} and {', '.join(RESERVED_PREFIXES)}...")
        for label in labels
        if label in RESERVED or label.startswith(RESERVED_PREFIXES)
    ]
