# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""InstanceGroups that Karpenter manages."""

from __future__ import annotations

from ..clouds import AWS, cloud_of
from ..cluster import Cluster
from ..instance_group import InstanceGroup
from .problems import Problems, forbidden, invalid

_IMAGE = "must be ami-..., ssm:<parameter>, <name> or <owner>/<name>"


def validate_karpenter_group(group: InstanceGroup, cluster: Cluster) -> Problems:
    """Karpenter runs nodes on AWS only; a minimum size makes it keep static capacity."""
    spec = group.spec
    if spec.manager != "Karpenter":
        return []
    found: Problems = []
    if cloud_of(cluster) is not AWS:
        found.append(forbidden("spec.manager", "Karpenter is available on AWS only"))
    if spec.role != "Node":
        found.append(forbidden("spec.role", "Karpenter manages groups with role Node only"))
    if spec.max_size is not None and spec.max_size <= 0:
        found.append(invalid("spec.maxSize", spec.max_size, "must be greater than 0; leave it out for no limit"))
    image = (spec.image or "").strip()
    if not _is_image(image):
        found.append(invalid("spec.image", image, _IMAGE))
    if spec.min_size is not None:
        if spec.min_size <= 0:
            found.append(invalid("spec.minSize", spec.min_size, "must be greater than 0; leave it out for none"))
        elif not _static_capacity(cluster):
            found.append(forbidden("spec.minSize", "needs StaticCapacity=true in spec.karpenter.featureGates"))
    return found


def _is_image(image: str) -> bool:
    if image.startswith("ami-") or not image:
        return True
    if image.startswith("ssm:"):
        return image != "ssm:"
    owner, slash, name = image.partition("/")
    return "://" not in image and (not slash or (owner != "" and name != ""))


def _static_capacity(cluster: Cluster) -> bool:
    """Feature gates that the cluster does not name are ours to set, and ours include this one."""
    gates = cluster.spec.karpenter.feature_gates if cluster.spec.karpenter else None
    if not gates:
        return True
    values = {
        name.strip(): value.strip() for name, _equals, value in (gate.partition("=") for gate in gates.split(","))
    }
    return values.get("StaticCapacity", "").lower() == "true"
