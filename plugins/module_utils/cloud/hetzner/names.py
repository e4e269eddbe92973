# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and labels of a cluster's objects in Hetzner Cloud.

Source: pkg/model/hetznermodel and upup/pkg/fi/cloudup/hetzner of kops.
"""

from __future__ import annotations

from collections.abc import Mapping

# Of the cluster, on each of its objects.
CLUSTER = "kops.k8s.io/cluster"
# Of servers; that of the group is on volumes, too.
GROUP, ROLE = "kops.k8s.io/instance-group", "kops.k8s.io/instance-role"
CONTROL_PLANE, NODE = "ControlPlane", "Node"
USER_DATA = "kops.k8s.io/instance-userdata"
NODE_LABEL, NODE_GROUP = "node-label.kops.k8s.io.", "hcloud/node-group"
# Of the volumes of etcd: main or events. Of firewalls: control-plane or nodes.
VOLUME_ROLE, FIREWALL_ROLE = "kops.k8s.io/volume-role", "kops.k8s.io/firewall-role"
# Of load balancers of Services, by the cloud controller manager.
OF_SERVICE = "hcloud-ccm/service-uid"


def api(cluster: str) -> str:
    """The load balancer of the API."""
    return f"api.{cluster}"


def firewall(role: str, cluster: str) -> str:
    """A firewall. role: as its label says it."""
    return f"{role}.{cluster}"


def ssh_key(fingerprint: str, cluster: str) -> str:
    """An SSH key. fingerprint: colon-separated."""
    return f"{cluster}-{fingerprint}"


def placement_group(location: str, cluster: str) -> str:
    """The placement group of the control planes in a location; kops has none."""
    return f"control-plane-{location}.{cluster}"


def of_cluster(cluster: str) -> dict[str, str]:
    """The labels that each object of the cluster has."""
    return {CLUSTER: cluster}


def selector(labels: Mapping[str, str]) -> str:
    """A label selector for what has all of these labels, in their order."""
    return ",".join(f"{key}={value}" for key, value in labels.items())


def servers_of(role: str, cluster: str) -> str:
    """The label selector for the servers of a role."""
    return selector({CLUSTER: cluster, ROLE: role})
