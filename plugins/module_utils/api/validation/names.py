# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, labels and annotations: the object metadata."""

from __future__ import annotations

from ..clouds import cloud_of
from ..cluster import Cluster
from ..meta import ObjectMeta
from ..questions import uses_none_dns
from .problems import Problems, forbidden, invalid, required
from .syntax import SUBDOMAIN_RULE, is_dns_subdomain, is_qualified_name, qualified_name_rule, validate_labels

_IMPORTED = ("kops.kubernetes.io/management", "imported")
_ANNOTATIONS_LIMIT = 256 * 1024


def validate_cluster_name(cluster: Cluster) -> Problems:
    """The cluster's name is the DNS name under which its objects are found."""
    path, name = "metadata.name", cluster.metadata.name or ""
    if not name:
        return [required(path, "a cluster needs a name that is a DNS name, for example demo.example.com")]
    found: Problems = []
    if not is_dns_subdomain(name):
        found.append(invalid(path, name, f"the cluster name {SUBDOMAIN_RULE}"))
    elif "." not in name and not uses_none_dns(cluster):
        key, imported = _IMPORTED
        if cluster.metadata.annotations.get(key) != imported:
            found.append(
                invalid(
                    path,
                    name,
                    "the cluster name must be fully qualified, for example "
                    f"{name}.example.com; only clusters with DNS topology None may have a name without a dot",
                )
            )
    cloud = cloud_of(cluster)
    if cloud.longest_cluster_name is not None and len(name) > cloud.longest_cluster_name:
        limit = f"on {cloud.title} the cluster name may have at most {cloud.longest_cluster_name} characters"
        found.append(invalid(path, name, limit))
    return found


def validate_cluster_metadata(metadata: ObjectMeta) -> Problems:
    """What Kubernetes itself demands of an object's metadata, besides its name. A cluster has no namespace."""
    found: Problems = []
    if metadata.namespace:
        found.append(forbidden("metadata.namespace", "a cluster is not in a namespace; remove it"))
    if (metadata.generation or 0) < 0:
        found.append(invalid("metadata.generation", metadata.generation, "must be 0 or more"))
    found += validate_labels(metadata.labels, "metadata.labels")
    return found + _validate_annotations(metadata.annotations)


def validate_instance_group_name(name: str | None, path: str) -> Problems:
    """The name of an InstanceGroup where it stands alone (an option, a reference): a DNS subdomain."""
    if not name:
        return [required(path, "an instance group needs a name")]
    return [] if is_dns_subdomain(name) else [invalid(path, name, f"the name {SUBDOMAIN_RULE}")]


def _validate_annotations(annotations: dict[str, str]) -> Problems:
    path = "metadata.annotations"
    found = [
        invalid(path, key, qualified_name_rule("annotation key"))
        for key in annotations
        if not is_qualified_name(key.lower())
    ]
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > _ANNOTATIONS_LIMIT:
        found.append(invalid(path, None, f"all annotations together may have at most {_ANNOTATIONS_LIMIT} bytes"))
    return found
