# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the instances of a cluster are made from and by: templates, managed instance groups, and themselves.

Templates and instances carry the cluster's full name in their metadata, so they are the cluster's beyond doubt; groups
are known by their templates. Source: FindInstanceTemplates in upup/pkg/fi/cloudup/gce/gce_cloud.go of kops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.cloud_names import safe_cluster_name
from .cloud import GCECloud
from .identifiers import last_component

# Keys of metadata: of templates, and so of instances; Google adds the other two to the instances of managed groups.
CLUSTER_NAME, GROUP_NAME = "cluster-name", "kops-k8s-io-instance-group-name"
MADE_BY, MADE_FROM = "created-by", "instance-template"
CLUSTER_LABEL = "k8s-io-cluster-name"
# States of instances that come, run, or are stopped.
LIVING = ("PROVISIONING", "STAGING", "RUNNING", "REPAIRING", "SUSPENDING", "SUSPENDED", "TERMINATED")

Described = Mapping[str, Any]


def metadata_of(described: Described) -> dict[str, str]:
    """Metadata of an instance, or of the properties of a template."""
    items = (described.get("metadata") or {}).get("items") or ()
    return {item["key"]: item.get("value", "") for item in items}


def is_owned(cloud: GCECloud, described: Described) -> bool:
    """Whether the metadata of an instance, or of a template's properties, names the cluster."""
    return metadata_of(described).get(CLUSTER_NAME, "").strip() == cloud.cluster_name


def owned_templates(cloud: GCECloud) -> dict[str, Described]:
    """Name -> instance template of the cluster. One call for all of the project, and its further pages."""
    pages = cloud.pages("compute", f"{cloud.project}/global/instanceTemplates")
    found = (each for page in pages for each in page.get("items", ()))
    return {each["name"]: each for each in found if is_owned(cloud, each.get("properties") or {})}


def owned_managers(cloud: GCECloud) -> dict[str, Described]:
    """Name -> managed instance group of the cluster, in the zones of the region."""
    templates = cloud.once(owned_templates)
    found = cloud.aggregated(f"{cloud.project}/aggregated/instanceGroupManagers", "instanceGroupManagers")
    return {
        each["name"]: each
        for scope, each in found
        if scope.startswith(f"zones/{cloud.region}-") and templates.keys() & templates_of(each)
    }


def templates_of(manager: Described) -> set[str]:
    """Names of the templates that a managed group starts instances from."""
    versions = [manager, *(manager.get("versions") or ())]
    return {last_component(each["instanceTemplate"]) for each in versions if each.get("instanceTemplate")}


def owned_instances(cloud: GCECloud) -> list[Described]:
    """The cluster's instances in the region, in whatever state. The filter only keeps the answer short."""
    found = cloud.aggregated(
        f"{cloud.project}/aggregated/instances",
        "instances",
        filter=f"labels.{CLUSTER_LABEL}={safe_cluster_name(cloud.cluster_name)}",
    )
    return [each for scope, each in found if scope.startswith(f"zones/{cloud.region}-") and is_owned(cloud, each)]


def group_of(manager: Described, templates: Mapping[str, Described]) -> str:
    """The instance group of a managed group, as its template says."""
    (name,) = sorted(templates.keys() & templates_of(manager))[:1]
    return metadata_of(templates[name]["properties"]).get(GROUP_NAME, "")
