# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs and AWS refuse of a specification while kops takes it, or looks at the cluster's settings only.

It is asked where a specification is stored and applied (operations/refused.py). That it is apart from entry.py keeps
kops' own verdict on a specification as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...base.errors import FieldError
from ..clouds import AWS, cloud_of
from ..cluster import Cluster
from ..instance_group import InstanceGroup
from .aws_volumes import validate_etcd_keys, validate_keys
from .component_values import validate_component_values, validate_gone
from .containerd import validate_configuration
from .iam import validate_boundary
from .kubelet import validate_kubelet_as_kops
from .load_balancer import validate_references
from .names import validate_hosted_zone
from .problems import Problems


def validate_for_readers(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """Problems of a specification, completed or not, each with its group. groups: those that are looked at."""
    spec, of_groups = cluster.spec, list(groups)
    found = validate_component_values(cluster) + list(validate_gone(cluster, of_groups))
    if spec.containerd is not None:
        found += validate_configuration(spec.containerd, "spec.containerd")
    if cloud_of(cluster) is AWS:
        found += validate_boundary(cluster) + validate_hosted_zone(cluster) + validate_etcd_keys(cluster)
        found += validate_references(spec.api.load_balancer, "spec.api.loadBalancer") if spec.api.load_balancer else []
    for group in of_groups:
        name = str(group.metadata.name or "")
        found += [replace(problem, group=name) for problem in _of_group(cluster, group)]
    return found


def _of_group(cluster: Cluster, group: InstanceGroup) -> Problems:
    spec = group.spec
    found: Problems = []
    if spec.kubelet is not None:
        # The values have been judged with the group.
        found += validate_kubelet_as_kops(spec.kubelet, "spec.kubelet")
    if spec.containerd is not None:
        found += validate_configuration(spec.containerd, "spec.containerd")
    if cloud_of(cluster) is AWS:
        found += validate_keys(spec)
    return found
