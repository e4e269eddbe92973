# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, labels and annotations: the object metadata."""

from __future__ import annotations

import re

from ..addresses import parse_address
from ..clouds import cloud_of
from ..cluster import Cluster
from ..meta import ObjectMeta
from ..questions import uses_none_dns
from .problems import Problems, forbidden, invalid, required
from .syntax import SUBDOMAIN_RULE, is_dns_subdomain, is_qualified_name, qualified_name_rule, validate_labels

_IMPORTED = ("kops.kubernetes.io/management", "imported")
LONGEST_LABEL = 63
_HOSTED_ZONE = re.compile(r"(?:/?hostedzone/)?[A-Za-z0-9]+|[a-z0-9_*-]+(?:\.[a-z0-9_*-]+)*")
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


def validate_host_names(cluster: Cluster) -> Problems:
    """The names of the API, of the bastion and of Services: what a DNS server, a certificate and a kubelet take."""
    spec = cluster.spec
    bastion = spec.networking.topology.bastion if spec.networking.topology else None
    found: Problems = []
    public = [("spec.api.publicName", spec.api.public_name or "")]
    public.append(("spec.networking.topology.bastion.publicName", bastion.public_name or "" if bastion else ""))
    for path, name in public:
        is_address = cloud_of(cluster).has_hosts and parse_address(name) is not None
        if name and not is_host_name(name) and not is_address:
            found.append(invalid(path, name, f"the name {SUBDOMAIN_RULE}, each part at most {LONGEST_LABEL}"))
    for index, name in enumerate(spec.api.additional_sans):
        if parse_address(name) is None and not is_host_name(name.lower().removeprefix("*.").rstrip(".")):
            message = "must be a DNS name or an IP address of the API server, without https:// or a port"
            found.append(invalid(f"spec.api.additionalSANs[{index}]", name, message))
    domain = spec.cluster_dns_domain or ""
    if domain and not is_host_name(domain.rstrip(".")):
        found.append(invalid("spec.clusterDNSDomain", domain, f"the domain {SUBDOMAIN_RULE}"))
    if not uses_none_dns(cluster):
        labels = (cluster.metadata.name or "").split(".")
        found += [
            invalid("metadata.name", label, f"a part of a DNS name has at most {LONGEST_LABEL} characters")
            for label in labels
            if len(label) > LONGEST_LABEL
        ]
    return found


def validate_hosted_zone(cluster: Cluster, path: str = "spec.dnsZone") -> Problems:
    """Route 53 takes records below the name of their zone only. A zone that is given by its id is known later."""
    zone = (cluster.spec.dns_zone or "").rstrip(".")
    if uses_none_dns(cluster) or not zone:
        return []
    if not _HOSTED_ZONE.fullmatch(zone):
        return [invalid(path, zone, "must be the name of a hosted zone, or its id, such as Z0123456789ABC")]
    name = (cluster.spec.api.public_name or cluster.metadata.name or "").rstrip(".")
    if "." not in zone or name == zone or name.endswith(f".{zone}"):
        return []
    return [invalid(path, zone, f"Route 53 takes no records for {name} in it; the zone must be a part of that name")]


def is_host_name(name: str) -> bool:
    """Whether DNS takes a name: as Kubernetes, and each part within its length."""
    return is_dns_subdomain(name) and all(len(label) <= LONGEST_LABEL for label in name.split("."))


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
