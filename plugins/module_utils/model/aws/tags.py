# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of objects in AWS: by them kops, Kubernetes and we find what belongs to a cluster.

Source: pkg/model/context.go of kops.
"""

from __future__ import annotations

from ...addons.aws.node_termination_handler import termination_handler, uses_termination_queue
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from .. import group_tags

CLUSTER = "KubernetesCluster"
OWNERSHIP_PREFIX = "kubernetes.io/cluster/"
KOPS_ROLE = "kubernetes.io/kops/role"
PUBLIC_LOAD_BALANCER = "kubernetes.io/role/elb"
INTERNAL_LOAD_BALANCER = "kubernetes.io/role/internal-elb"
KARPENTER_SUBNET_PREFIX = "kops.k8s.io/instance-group/"
SERVICE_ACCOUNT_NAME = "service-account.kops.k8s.io/name"
SERVICE_ACCOUNT_NAMESPACE = "service-account.kops.k8s.io/namespace"


def of_object(cluster: Cluster, name: str = "", shared: bool = False) -> dict[str, str]:
    """Tags of an object. A shared one gets neither our name nor the user's labels, as the cluster does not own it."""
    cluster_name = str(cluster.metadata.name)
    if shared:
        return {OWNERSHIP_PREFIX + cluster_name: "shared"}
    named = {"Name": name} if name else {}
    owned = {CLUSTER: cluster_name, OWNERSHIP_PREFIX + cluster_name: "owned"}
    return {**named, **owned, **cluster.spec.cloud_labels}


def of_service_account_role(cluster: Cluster, role_name: str, name: str, namespace: str) -> dict[str, str]:
    """Tags of the IAM role of a Kubernetes service account."""
    return {
        **of_object(cluster, role_name),
        SERVICE_ACCOUNT_NAME: name,
        SERVICE_ACCOUNT_NAMESPACE: namespace.replace("*", "wildcard"),
    }


def of_instance_group(
    cluster: Cluster, group: InstanceGroup, name: str, features: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Tags of an instance group's objects and instances; name is the autoscaling group's."""
    own = {**_termination_handler_tag(cluster), **of_object(cluster, name)}
    return {**own, **group_tags.of_group(cluster, group, features)}


def _termination_handler_tag(cluster: Cluster) -> dict[str, str]:
    handler = termination_handler(cluster)
    tag = handler.managed_asg_tag if handler and uses_termination_queue(cluster) else None
    return {tag: ""} if tag else {}
